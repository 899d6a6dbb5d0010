import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it, onTestFinished } from "vitest"
import { type HttpBehaviour, startHttpMcpServer } from "../support/http-mcp-server.ts"
import { fixtureServer, remoteServer, startPool } from "../support/mcp-servers.ts"

async function serve(behaviour: HttpBehaviour, delayMs = 0) {
  const server = await startHttpMcpServer(behaviour, delayMs)
  onTestFinished(() => server.close())
  return server
}

const text = (words: string) => ({ content: [{ type: "text", text: words }], isError: false })

describe("a remote server", () => {
  it.each([
    ["http", "http"],
    ["http", "http-stream"],
    ["sse", "sse"],
    ["url", "http"],
    ["url", "http-stream"],
    ["url", "sse"],
  ] as const)("S1.4 S2.6 S3.9 configured as %s and speaking %s is connected and called", async (transport, speaks) => {
    const server = await serve(speaks)
    const headers = { authorization: "Bearer secret" }
    const { pool, call, events } = await startPool([remoteServer("far", server.url, { transport, headers })])
    expect(events.map(({ type }) => type)).toEqual(["server.connecting", "server.connected"])
    expect(await call("mcp__far__echo", { text: "over there" })).toEqual(text('{"text":"over there"}'))
    expect(server.requests.every((request) => request.headers.authorization === "Bearer secret")).toBe(true)
    await pool.close()
    const left = server.requests.filter(({ method }) => method === "DELETE").length
    expect(left).toBe(speaks === "sse" ? 0 : 1)
  })

  it("S2.6 a url alone is asked to initialize by POST first, and only then by SSE", async () => {
    const server = await serve("sse")
    await startPool([remoteServer("far", server.url)])
    expect(server.requests.slice(0, 3).map(({ method, rpc }) => [method, rpc])).toEqual([
      ["POST", "initialize"],
      ["GET", null],
      ["POST", "initialize"],
    ])
  })

  it.each([
    { status: 401, state: "needs-auth", requests: 1, hint: "Send credentials" },
    { status: 403, state: "failed", requests: 1, hint: "may not use" },
    { status: 404, state: "failed", requests: 2, hint: "Check url and type" },
    { status: 407, state: "failed", requests: 1, hint: "if there is a proxy", error: "fetch failed" },
    { status: 408, state: "failed", requests: 1, hint: "check url" },
    { status: 429, state: "failed", requests: 1, hint: "check url" },
    { status: 500, state: "failed", requests: 1, hint: "check url" },
    { status: 503, state: "failed", requests: 1, hint: "check url" },
  ])("S2.6 S3.12 a url that answers $status is $state after $requests requests", async (row) => {
    const server = await serve({ status: row.status })
    const { pool, events } = await startPool([remoteServer("far", server.url)])
    expect(pool.states()[0]?.state).toEqual({
      status: row.state,
      error: expect.stringContaining(row.error ?? `${row.status}`),
    })
    expect(server.requests).toHaveLength(row.requests)
    expect(events.at(-1)).toMatchObject({ type: "server.error", hint: expect.stringContaining(row.hint) })
  })

  it.each([
    ["http", "needs-auth"],
    ["sse", "needs-auth"],
  ] as const)("T20 %s that answers 401 is %s too, without any attempt to log in", async (transport, state) => {
    const server = await serve({ status: 401 })
    const { pool } = await startPool([remoteServer("far", server.url, { transport })])
    expect(pool.states()[0]?.state.status).toBe(state)
    expect(server.requests).toHaveLength(1)
  })

  it.each(["http", "sse", "url"] as const)(
    "S2.16 F30 %s that never answers fails in its one timeout",
    async (transport) => {
      const server = await serve("silent")
      const { pool } = await startPool([
        remoteServer("far", server.url, { transport, startupTimeoutMs: 300 }),
        fixtureServer("near"),
      ])
      expect(pool.states().map(({ state }) => state)).toEqual([
        { status: "failed", error: 'MCP server "far": did not answer initialize within 300 ms' },
        { status: "connected", connectMs: expect.any(Number) },
      ])
    },
  )

  it.each(["http", "sse", "url"] as const)("S4.11 S4.21 %s where nothing listens fails at once", async (transport) => {
    const gone = await startHttpMcpServer("http")
    await gone.close()
    const { pool } = await startPool([remoteServer("far", gone.url, { transport })])
    expect(pool.states()[0]?.state).toEqual({
      status: "failed",
      error: expect.stringMatching(/^MCP server "far": .*ECONNREFUSED 127\.0\.0\.1:\d+$/),
    })
  })

  it.each(["http", "url"] as const)("S4.21 %s that is a web page fails", async (transport) => {
    const server = await serve("html")
    const { pool } = await startPool([remoteServer("far", server.url, { transport })])
    expect(pool.states()[0]?.state).toEqual({
      status: "failed",
      error: expect.stringContaining("Unexpected content type: text/html"),
    })
  })

  it("does not follow a redirect to another origin, nor send its headers there", async () => {
    const elsewhere = await serve("http")
    const server = await serve({ redirectTo: elsewhere.url })
    const { pool } = await startPool([remoteServer("far", server.url, { headers: { "x-key": "secret" } })])
    expect(pool.states()[0]?.state).toEqual({ status: "failed", error: expect.stringContaining("not followed") })
    expect(elsewhere.requests).toEqual([])
  })

  it("S2.19 F33 a call that hangs times out, and the next one works", async () => {
    const server = await serve("http")
    const { call } = await startPool([remoteServer("far", server.url, { toolTimeoutMs: 200 })])
    expect(await call("mcp__far__hang")).toMatchObject({ isError: true, errorCode: "timeout" })
    expect(await call("mcp__far__echo", {})).toEqual(text("{}"))
    expect(server.requests.map(({ rpc }) => rpc)).toContain("notifications/cancelled")
  })

  it("S2.17 a call whose answer breaks off is an error result at once", async () => {
    const server = await serve("http")
    const { call } = await startPool([remoteServer("far", server.url)])
    expect(await call("mcp__far__drop")).toMatchObject({ isError: true, errorCode: "server_unavailable" })
    expect(await call("mcp__far__echo", {})).toEqual(text("{}"))
  })

  it("S2.17 an event stream that ends is a lost connection", async () => {
    const server = await serve("sse")
    const { call, events } = await startPool([remoteServer("far", server.url, { transport: "sse" })])
    expect(await call("mcp__far__end_stream")).toMatchObject({ isError: true, errorCode: "server_unavailable" })
    expect(events).toContainEqual(
      expect.objectContaining({ type: "server.disconnected", reason: "lost", state: "pending" }),
    )
    expect(await call("mcp__far__echo", {})).toEqual(text("{}"))
  })

  it("S3.16 connects as many remote servers at a time as it may", async () => {
    const server = await serve("http", 100)
    const servers = Array.from({ length: 6 }, (_, index) => remoteServer(`far${index}`, server.url))
    const { events } = await startPool(servers, { settings: { remoteConcurrency: 4 } })
    let running = 0
    let most = 0
    for (const { type } of events) {
      running += type === "server.connecting" ? 1 : -1
      most = Math.max(most, running)
    }
    expect([most, running]).toEqual([4, 0])
  })

  it("honours the proxy variables it is given", async () => {
    const asked: string[] = []
    const proxy = createServer().on("connect", (request, socket) => {
      asked.push(request.url ?? "")
      socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n")
    })
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => void proxy.close())
    const { port } = proxy.address() as AddressInfo
    const env = { HTTPS_PROXY: `http://127.0.0.1:${port}`, NO_PROXY: "direct.invalid" }
    await startPool(
      [remoteServer("far", "https://far.invalid/mcp"), remoteServer("near", "https://direct.invalid/mcp")],
      {
        env,
      },
    )
    expect(asked).toEqual(["far.invalid:443"])
  })
})
