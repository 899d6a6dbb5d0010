import { describe, expect, it, vi } from "vitest"
import type { ServerAuth } from "../../../src/contract/server-auth.ts"
import { startHttpMcpServer } from "../../support/http-mcp-server.ts"
import { remoteServer, startPool } from "../../support/mcp-servers.ts"
import { startOAuthMcpServer } from "../../support/oauth-mcp-server.ts"
import { startWebSocketMcpServer } from "../../support/web-socket-mcp-server.ts"

describe("a server over a WebSocket", () => {
  it("S3.8 S3.9 is connected with its headers and the subprotocol, called, and left", async () => {
    const server = await startWebSocketMcpServer()
    const headers = { "x-api-key": "mine" }
    const { pool, call, events } = await startPool([remoteServer("far", server.url, { transport: "ws", headers })])
    expect(events.at(-1)).toMatchObject({ type: "server.connected", transport: "ws", tools: 4 })
    expect(await call("mcp__far__echo", { text: "hi" })).toEqual({
      content: [{ type: "text", text: '{"text":"hi"}' }],
      isError: false,
    })
    expect(server.handshakes).toMatchObject([{ "sec-websocket-protocol": "mcp", "x-api-key": "mine" }])
    await pool.close()
    await vi.waitUntil(() => server.open() === 0)
  })

  it("that closes the socket is lost, the call says why, and a new socket is opened", async () => {
    const server = await startWebSocketMcpServer()
    const { call, events } = await startPool([remoteServer("far", server.url, { transport: "ws" })])
    const result = await call("mcp__far__drop")
    expect(result).toMatchObject({ isError: true, errorCode: "server_unavailable" })
    expect(JSON.stringify(result)).toContain("closed the WebSocket with code 1011: the server is tired")
    expect(events).toContainEqual(expect.objectContaining({ type: "server.disconnected", reason: "lost" }))
    expect((await call("mcp__far__echo")).isError).toBe(false)
    expect(server.handshakes).toHaveLength(2)
  })

  it("that sends more than 10 MiB is cut off", async () => {
    const server = await startWebSocketMcpServer()
    const { call } = await startPool([remoteServer("far", server.url, { transport: "ws" })])
    const result = await call("mcp__far__end_stream")
    expect(result).toMatchObject({ isError: true, errorCode: "server_unavailable" })
  })

  it("that never answers a call is timed out and stays connected", async () => {
    const server = await startWebSocketMcpServer()
    const config = remoteServer("far", server.url, { transport: "ws", toolTimeoutMs: 100 })
    const { call } = await startPool([config])
    expect(await call("mcp__far__hang")).toMatchObject({ isError: true, errorCode: "timeout" })
    expect((await call("mcp__far__echo")).isError).toBe(false)
  })

  it.each([
    { status: 401, state: "needs-auth", hint: "bearer_token_env_var" },
    { status: 403, state: "failed", hint: "may not use" },
    { status: 404, state: "failed", hint: "Check url and type" },
  ])("whose handshake is answered $status is $state", async ({ status, state, hint }) => {
    const server = await startWebSocketMcpServer({ accept: () => ({ status, challenge: "Bearer" }) })
    const { pool, events } = await startPool([remoteServer("far", server.url, { transport: "ws" })])
    expect(pool.states()[0]?.state).toMatchObject({ status: state, error: expect.stringContaining(`HTTP ${status}`) })
    expect(events.at(-1)).toMatchObject({ type: "server.error", hint: expect.stringContaining(hint) })
  })

  it("that is none, or not there, is failed", async () => {
    const server = await startHttpMcpServer("html")
    const none = remoteServer("none", server.url.replace("http", "ws"), { transport: "ws" })
    const gone = remoteServer("gone", "ws://127.0.0.1:1/mcp", { transport: "ws" })
    const { pool } = await startPool([none, gone])
    expect(pool.states().map(({ state }) => state.status)).toEqual(["failed", "failed"])
    await server.close()
  })

  it("that wants a token gets one with the second handshake", async () => {
    const issuer = await startOAuthMcpServer()
    const server = await startWebSocketMcpServer({
      accept: ({ authorization }) => (authorization === undefined ? { status: 401, challenge: "Bearer" } : null),
    })
    const auth: ServerAuth = {
      grant: { kind: "client-credentials", clientId: "ci", proof: { kind: "secret", secret: "s3cret-of-ci" } },
      scope: null,
      issuer: null,
      tokenUrl: `${issuer.origin}/token`,
    }
    const { pool } = await startPool([remoteServer("far", server.url, { transport: "ws", auth })])
    expect(server.handshakes.map(({ authorization }) => authorization)).toEqual([
      undefined,
      "Bearer access-token-number-1",
    ])
    expect(pool.states()[0]?.state.status).toBe("connected")
  })
})
