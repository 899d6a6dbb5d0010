/**
 * An MCP server on loopback, over real HTTP, for tests of remote servers. It remembers every request.
 *
 *     const server = await startHttpMcpServer("http")
 *     … [mcp_servers.remote] url = server.url …
 *     expect(server.requests.map(({ rpc }) => rpc)).toEqual(["initialize", …])
 *     await server.close()
 *
 * Behaviours: "http" (Streamable HTTP, JSON answers) · "http-stream" (the same, answers as event streams) ·
 * "sse" (the older transport only; a POST to the URL is 405) · "silent" (takes requests, never answers) · "html" (200, a web page) ·
 * { status } (this status for everything) · { redirectTo } (307 to another URL).
 * Tools: echo{text} · hang · drop (the answer breaks off; the connection too) · end_stream (sse: the event stream ends).
 * On the way: loseSessions(status) forgets all sessions of "http" · answerCalls(statuses) answers the next calls with these
 * instead of running them · offer(names) changes the tools without telling anyone.
 */
import { randomUUID } from "node:crypto"
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { JsonObject } from "../../src/contract/json.ts"

/** How the server behaves. */
export type HttpBehaviour =
  | "http"
  | "http-stream"
  | "sse"
  | "silent"
  | "html"
  | { readonly status: number }
  | { readonly redirectTo: string }

/** One request as it arrived; `rpc` is the JSON-RPC method of its body. */
interface RecordedHttpRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly rpc: string | null
}

/** A running server. */
export interface HttpMcpServer {
  readonly url: string
  readonly requests: readonly RecordedHttpRequest[]
  /** From now on an old session is answered like this, and a new one is taken. */
  loseSessions(status: 404 | 400): void
  answerCalls(statuses: readonly number[]): void
  offer(names: readonly string[]): void
  close(): Promise<void>
}

/** A message as it arrived. */
export interface Rpc {
  readonly id?: number | string
  readonly method?: string
  readonly params?: JsonObject
}

/** Start a server that behaves like this; `delayMs` is how long it takes to answer initialize. */
export async function startHttpMcpServer(behaviour: HttpBehaviour, delayMs = 0): Promise<HttpMcpServer> {
  const requests: RecordedHttpRequest[] = []
  const streams = new Map<string, ServerResponse>()
  const desk = createFixtureDesk()
  const server = createServer(async (request, response) => {
    const rpc = await readRpc(request)
    const path = request.url ?? "/"
    requests.push({ method: request.method ?? "", path, headers: request.headers, rpc: rpc.method ?? null })
    if (rpc.method === "initialize") await new Promise((resolve) => setTimeout(resolve, delayMs))
    if (behaviour === "silent") return
    if (behaviour === "html") return send(response, 200, "<html>hello</html>", { "content-type": "text/html" })
    if (typeof behaviour === "object") return refuse(behaviour, response)
    if (behaviour === "sse") return serveSse({ request, response, rpc, streams, desk })
    return serveHttp({ request, response, rpc, desk }, behaviour === "http-stream")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    requests,
    loseSessions(status) {
      desk.sessions.clear()
      desk.lostStatus = status
    },
    answerCalls(statuses) {
      desk.statuses = [...statuses]
    },
    offer(names) {
      desk.tools = names
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** What a test can change while the server runs. */
interface Desk {
  readonly sessions: Set<string>
  lostStatus: number | null
  statuses: number[]
  tools: readonly string[]
}

/** A server as it is before a test changes something. */
export function createFixtureDesk(): Desk {
  return { sessions: new Set(), lostStatus: null, statuses: [], tools: [...firstTools] }
}

const firstTools = ["echo", "hang", "drop", "end_stream"]

/** One request, and where its answer goes. */
export interface Exchange {
  readonly desk: Desk
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly rpc: Rpc
}

function refuse(behaviour: { status: number } | { redirectTo: string }, response: ServerResponse): unknown {
  if ("redirectTo" in behaviour) return send(response, 307, "", { location: behaviour.redirectTo })
  return send(response, behaviour.status, `status ${behaviour.status}`)
}

/** Answer a request as a Streamable HTTP server does. */
export function serveHttp({ request, response, rpc, desk }: Exchange, asStream: boolean): unknown {
  if (request.method === "DELETE") return send(response, 200, "")
  const known = desk.sessions.has(String(request.headers["mcp-session-id"]))
  if (desk.lostStatus !== null && !known && rpc.method !== "initialize" && rpc.method !== "server/discover") {
    return send(response, desk.lostStatus, "Bad Request: No valid session ID provided")
  }
  if (request.method !== "POST") return send(response, 405, "")
  if (rpc.method === "server/discover") return send(response, 400, "no such method")
  if (rpc.id === undefined) return send(response, 202, "")
  if (calledTool(rpc) === "hang") return undefined
  const status = calledTool(rpc) === undefined ? undefined : desk.statuses.shift()
  if (status !== undefined) return send(response, status, `status ${status}`)
  if (calledTool(rpc) === "drop") {
    response.writeHead(200, { "content-type": "text/event-stream" })
    return response.write(": the answer begins\n\n", () => response.destroy())
  }
  const answer = JSON.stringify(answerTo(rpc, desk))
  const session: Record<string, string> = rpc.method === "initialize" ? { "mcp-session-id": openSession(desk) } : {}
  if (!asStream) return send(response, 200, answer, { ...session, "content-type": "application/json" })
  return send(response, 200, `event: message\ndata: ${answer}\n\n`, { ...session, "content-type": "text/event-stream" })
}

function openSession({ sessions }: Desk): string {
  const id = randomUUID()
  sessions.add(id)
  return id
}

function serveSse({
  request,
  response,
  rpc,
  streams,
  desk,
}: Exchange & { streams: Map<string, ServerResponse> }): unknown {
  const url = new URL(request.url ?? "/", "http://localhost")
  if (request.method === "GET" && url.pathname === "/mcp") {
    const id = randomUUID()
    streams.set(id, response)
    response.writeHead(200, { "content-type": "text/event-stream" })
    return response.write(`event: endpoint\ndata: /messages?id=${id}\n\n`)
  }
  const stream = streams.get(url.searchParams.get("id") ?? "")
  if (stream === undefined) return send(response, 405, "")
  send(response, 202, "")
  if (calledTool(rpc) === "end_stream") return stream.end()
  if (rpc.id === undefined || calledTool(rpc) === "hang") return undefined
  return stream.write(`event: message\ndata: ${JSON.stringify(answerTo(rpc, desk))}\n\n`)
}

/** What the fixture answers to a request. */
export function answerTo({ id, method, params = {} }: Rpc, desk: Desk): JsonObject {
  const result = resultOf(method, params, desk)
  if (result === null) return { jsonrpc: "2.0", id, error: { code: -32601, message: `no method ${method}` } }
  return { jsonrpc: "2.0", id, result }
}

function resultOf(method: string | undefined, params: JsonObject, { tools }: Desk): JsonObject | null {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: "http-fixture", version: "1.0.0" },
      }
    case "tools/list": {
      const annotations = (name: string) => (name === "drop" ? { readOnlyHint: true } : {})
      return { tools: tools.map((name) => ({ name, inputSchema: { type: "object" }, annotations: annotations(name) })) }
    }
    case "tools/call":
      return { content: [{ type: "text", text: JSON.stringify(params.arguments) }] }
    default:
      return null
  }
}

function calledTool({ method, params }: Rpc): unknown {
  return method === "tools/call" ? params?.name : undefined
}

/** The JSON-RPC message in the body of a request. */
export async function readRpc(request: IncomingMessage): Promise<Rpc> {
  let body = ""
  for await (const chunk of request) body += chunk
  return body === "" ? {} : JSON.parse(body)
}

function send(response: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, headers)
  response.end(body)
}
