import type { IncomingHttpHeaders } from "node:http"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"
import { type WebSocket, WebSocketServer } from "ws"
import { answerTo, createFixtureDesk, type Rpc } from "./http-mcp-server.ts"

/** A running server. */
export interface WebSocketMcpServer {
  readonly url: string
  /** The headers of all handshakes, also refused ones. */
  readonly handshakes: readonly IncomingHttpHeaders[]
  /** How many sockets are open. */
  open(): number
}

/**
 * An MCP server over WebSockets on loopback with the tools of http-mcp-server.ts; it is gone when the test is. `hang`
 * never answers, `drop` closes the socket with 1011, `end_stream` answers with more than a client takes.
 */
export async function startWebSocketMcpServer(
  options: { readonly accept?: (headers: IncomingHttpHeaders) => { status: number; challenge: string } | null } = {},
): Promise<WebSocketMcpServer> {
  const handshakes: IncomingHttpHeaders[] = []
  const server = createServer((_, response) => response.writeHead(404).end())
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: (offered) => offered.has("mcp") && "mcp" })
  server.on("upgrade", (request, socket, head) => {
    handshakes.push(request.headers)
    const refusal = options.accept?.(request.headers) ?? null
    if (refusal === null) return sockets.handleUpgrade(request, socket, head, serve)
    const challenge = `WWW-Authenticate: ${refusal.challenge}`
    return socket.end(`HTTP/1.1 ${refusal.status} No\r\n${challenge}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    for (const socket of sockets.clients) socket.terminate()
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return { url: `ws://127.0.0.1:${port}/mcp`, handshakes, open: () => sockets.clients.size }
}

function serve(socket: WebSocket): void {
  socket.on("message", (data) => {
    const rpc: Rpc = JSON.parse(data.toString())
    const tool = rpc.method === "tools/call" ? rpc.params?.name : undefined
    if (rpc.id === undefined || tool === "hang") return
    if (tool === "drop") socket.close(1011, "the server is tired")
    else if (tool === "end_stream") socket.send("x".repeat(11 * 1024 * 1024))
    else socket.send(JSON.stringify(answerTo(rpc, createFixtureDesk())))
  })
}
