import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import { createMcpHandler, Server, type Tool } from "@modelcontextprotocol/server"
import { describe, expect, it, onTestFinished } from "vitest"
import { fixtureServer, remoteServer, startPool } from "../../support/mcp-servers.ts"

const region = { type: "string", "x-mcp-header": "Region" }
const tools: Tool[] = [
  { name: "find", inputSchema: { type: "object", properties: { region, text: { type: "string" } } } },
  { name: "twice", inputSchema: { type: "object", properties: { region, other: region } } },
  { name: "deep", inputSchema: { type: "object", properties: { list: { type: "array", items: region } } } },
]

/** A server of the newer SDK generation that speaks both protocols, and what it was asked with. */
async function startModernServer() {
  const requests: { readonly rpc: string; readonly headers: IncomingHttpHeaders }[] = []
  const handler = createMcpHandler(() => {
    const server = new Server({ name: "modern", version: "1.0.0" }, { capabilities: { tools: {} } })
    server.setRequestHandler("tools/list", () => ({ tools }))
    server.setRequestHandler("tools/call", ({ params }) => ({
      content: [{ type: "text", text: JSON.stringify(params.arguments) }],
    }))
    return server
  })
  const http = createServer(async (request, response) => {
    const body = await buffer(request)
    requests.push({ rpc: body.length === 0 ? "" : JSON.parse(body.toString()).method, headers: request.headers })
    const answer = await handler.fetch(
      new Request(`http://localhost${request.url}`, {
        method: request.method ?? "GET",
        headers: request.headers as Record<string, string>,
        ...(body.length === 0 ? {} : { body }),
      }),
    )
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve))
  onTestFinished(async () => {
    await handler.close()
    http.close()
    http.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`, requests }
}

describe("the protocol of a server", () => {
  it.each([
    ["auto", "http", "2026-07-28", "server/discover"],
    ["2026-07-28", "url", "2026-07-28", "server/discover"],
    ["legacy", "http", "2025-11-25", "initialize"],
    ["auto", "url", "2025-11-25", "initialize"],
  ] as const)("%s over %s is %s, asked for with %s", async (protocol, transport, version, first) => {
    const server = await startModernServer()
    const { events, call } = await startPool([remoteServer("far", server.url, { transport, protocol })])
    expect(events.at(-1)).toMatchObject({ type: "server.connected", protocol_version: version })
    expect(server.requests[0]?.rpc).toBe(first)
    expect((await call("mcp__far__find", { text: "x" })).isError).toBe(false)
  })

  it("2026-07-28 is insisted on: a server that does not speak it is failed", async () => {
    const { pool } = await startPool([fixtureServer("near", [], { protocol: "2026-07-28", startupTimeoutMs: 3000 })])
    expect(pool.states()[0]?.state.status).toBe("failed")
  })
})

describe("arguments that a tool wants in headers", () => {
  it.each([
    ["eu-west", "eu-west"],
    ["  ü\n", `=?base64?${Buffer.from("  ü\n").toString("base64")}?=`],
    ["", "=?base64??="],
  ])("%j is sent as %s beside the input itself", async (value, header) => {
    const server = await startModernServer()
    const { call } = await startPool([remoteServer("far", server.url, { transport: "http" })])
    const result = await call("mcp__far__find", { region: value, text: "not in a header" })
    expect(result.content).toEqual([{ type: "text", text: JSON.stringify({ region: value, text: "not in a header" }) }])
    const { headers } = server.requests.find(({ rpc }) => rpc === "tools/call") ?? { headers: {} }
    expect(Object.entries(headers).filter(([name]) => name.startsWith("mcp-param-"))).toEqual([
      ["mcp-param-region", header],
    ])
  })

  it("a tool that asks for them in a wrong way is left out and named, but only where the protocol has them", async () => {
    const server = await startModernServer()
    const modern = await startPool([remoteServer("far", server.url, { transport: "http" })])
    expect(modern.pool.tools().map(({ name }) => name)).toEqual(["mcp__far__find"])
    expect(modern.warnings()).toEqual([
      'MCP server "far": the tool "twice" is left out: x-mcp-header "Region" is declared twice',
      'MCP server "far": the tool "deep" is left out: x-mcp-header stands where no single argument is meant',
    ])
    const legacy = await startPool([remoteServer("far", server.url, { transport: "http", protocol: "legacy" })])
    expect(legacy.pool.tools()).toHaveLength(3)
  })
})
