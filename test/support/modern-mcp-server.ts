/**
 * An MCP server on loopback that speaks 2026-07-28 and nothing older: without a session, it asks the client by answering
 * "input required". Its tool ask {questions, endless?, wait?} asks these questions, then answers with the responses it got.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"
import type { JsonObject } from "../../src/contract/json.ts"

interface Rpc {
  readonly id?: number
  readonly method?: string
  readonly params?: JsonObject & { readonly arguments?: JsonObject; readonly _meta?: JsonObject }
}

/** A running server, gone when the test is. */
export interface ModernMcpServer {
  readonly url: string
  readonly requests: readonly Rpc[]
}

/** Start a server of the newest revision. */
export async function startModernMcpServer(): Promise<ModernMcpServer> {
  const requests: Rpc[] = []
  const server = createServer(async (request, response) => {
    let body = ""
    for await (const chunk of request) body += chunk
    const rpc: Rpc = body === "" ? {} : JSON.parse(body)
    requests.push(rpc)
    const status = request.method === "POST" ? (rpc.id === undefined ? 202 : 200) : 405
    response.writeHead(status, { "content-type": "application/json" })
    response.end(status === 200 ? JSON.stringify({ jsonrpc: "2.0", id: rpc.id, result: resultOf(rpc) }) : "")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, requests }
}

function resultOf({ method, params = {} }: Rpc): JsonObject {
  const cache = { ttlMs: 0, cacheScope: "private" }
  switch (method) {
    case "server/discover": {
      const capabilities = { tools: {}, logging: {} }
      return { resultType: "complete", ...cache, supportedVersions: ["2026-07-28"], capabilities }
    }
    case "tools/list": {
      const tools = [{ name: "ask", inputSchema: { type: "object" } }]
      return { resultType: "complete", ...cache, tools }
    }
    default:
      return ask(params.arguments ?? {}, params)
  }
}

function ask({ questions, endless, wait }: JsonObject, { inputResponses, requestState }: JsonObject): JsonObject {
  if (wait === true && requestState === undefined) return { resultType: "input_required", requestState: "later" }
  if (wait !== true && (inputResponses === undefined || endless === true)) {
    return { resultType: "input_required", inputRequests: questions, requestState: "s1" }
  }
  const text = JSON.stringify({ inputResponses, requestState })
  return { resultType: "complete", content: [{ type: "text", text }] }
}
