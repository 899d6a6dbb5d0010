import { mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import type { RunEventBody } from "../../../src/contract/event.ts"
import { startHttpMcpServer } from "../../support/http-mcp-server.ts"
import { fixtureServer, remoteServer, startPool } from "../../support/mcp-servers.ts"

const scratch = () => mkdtempSync(join(tmpdir(), "mcp-"))
const text = (words: string) => ({ content: [{ type: "text", text: words }], isError: false })
const linesIn = (file: string) => readFileSync(file, "utf8").trim().split("\n").length

/** The life of a server in short: type, state and reason of its events. */
function lifeOf(events: readonly RunEventBody[], server = "srv"): readonly string[] {
  return events.flatMap((event) => {
    if (event.type === "retry") return ["retry"]
    if (!("server" in event) || event.server !== server || !("state" in event)) return []
    return [`${event.type.replace("server.", "")} ${event.state}${"reason" in event ? ` ${event.reason}` : ""}`]
  })
}

async function serve() {
  const server = await startHttpMcpServer("http")
  onTestFinished(() => server.close())
  return server
}

describe("a stdio server that dies", () => {
  it("S0.8 S2.17 S3.11 S3.24 S3.25 F32 fails the call, is restarted once, and offers its tools again", async () => {
    const started = join(scratch(), "started")
    const { pool, call, events } = await startPool([
      fixtureServer("srv", [
        "--with",
        "die,echo",
        "--started-file",
        started,
        "--resources",
        "--instructions",
        "Be kind.",
      ]),
    ])
    expect(await call("mcp__srv__die")).toMatchObject({ isError: true, errorCode: "server_unavailable" })
    expect(pool.states()[0]?.state).toEqual({
      status: "pending",
      lost: 'MCP server "srv": exited with code 7; its last words: dying as asked',
    })
    expect([pool.tools(), pool.instructions(), pool.missingRequired()]).toEqual([[], [], []])
    expect(await call("mcp__srv__echo", { text: "back" })).toEqual(text("back"))
    expect(pool.tools().map(({ name }) => name)).toEqual(["mcp__srv__die", "mcp__srv__echo"])
    expect(pool.instructions()).toEqual([{ server: "srv", text: "Be kind." }])
    expect(await call("ReadMcpResource", { uri: "note://1" })).toEqual(text("text of one"))
    expect(linesIn(started)).toBe(2)
    expect(lifeOf(events)).toEqual([
      "connecting pending",
      "connected connected",
      "disconnected pending lost",
      "connecting pending",
      "connected connected",
    ])
  })

  it("F32 is restarted at most once a call and five times a run, then left alone", async () => {
    const started = join(scratch(), "started")
    const { pool, call, events } = await startPool([
      fixtureServer("srv", ["--with", "die", "--started-file", started], { required: true }),
    ])
    for (let calls = 1; calls <= 5; calls += 1) {
      await call("mcp__srv__die")
      await pool.settle(new AbortController().signal)
      expect(linesIn(started)).toBe(1 + calls)
    }
    const last = await call("mcp__srv__die")
    const error =
      'MCP server "srv": exited with code 7; its last words: dying as asked; it was connected again 5 times and is left alone now'
    expect(last).toMatchObject({ content: [{ text: `${error}. Its tools cannot be used now.` }] })
    expect(await call("mcp__srv__die")).toEqual(last)
    expect(linesIn(started)).toBe(6)
    expect(pool.states()[0]?.state).toEqual({ status: "failed", error })
    expect(pool.missingRequired()).toEqual([{ name: "srv", error }])
    expect(lifeOf(events).at(-1)).toBe("disconnected failed lost")
  })

  it("S3.13 S3.26 F32 that cannot be restarted is pending, then failed, and a later call tries once more", async () => {
    const started = join(scratch(), "started")
    const switches = ["--with", "die,echo", "--started-file", started, "--starts", "1"]
    const { pool, call, events } = await startPool([fixtureServer("srv", switches)])
    await call("mcp__srv__die")
    await pool.settle(new AbortController().signal)
    const error = 'MCP server "srv": exited with code 9'
    expect(pool.states()[0]?.state).toEqual({ status: "failed", error })
    expect(await call("mcp__srv__echo")).toMatchObject({
      content: [{ text: `${error}. Its tools cannot be used now.` }],
      errorCode: "server_unavailable",
    })
    expect(linesIn(started)).toBe(6)
    expect(lifeOf(events)).toEqual([
      "connecting pending",
      "connected connected",
      "disconnected pending lost",
      ...["connecting pending", "retry", "connecting pending", "retry", "connecting pending", "error failed"],
      ...["connecting pending", "retry", "connecting pending", "error failed"],
    ])
  })

  it("a required one is tried until its five restarts are spent, and is missing only then", async () => {
    const started = join(scratch(), "started")
    const switches = ["--with", "die", "--started-file", started, "--starts", "1"]
    const { pool, call } = await startPool([fixtureServer("srv", switches, { required: true })])
    await call("mcp__srv__die")
    expect(pool.missingRequired()).toEqual([])
    await pool.settle(new AbortController().signal)
    expect(pool.missingRequired()).toEqual([{ name: "srv", error: 'MCP server "srv": exited with code 9' }])
    expect(linesIn(started)).toBe(6)
  })

  it("S3.12 S3.14 while it is away, neither its tools nor its resources are offered, and the others go on", async () => {
    const switches = ["--with", "die,echo", "--resources", "--startup-delay", "300"]
    const { pool, call } = await startPool([fixtureServer("srv", switches), fixtureServer("other")])
    await call("mcp__srv__die")
    expect(pool.tools().map(({ name }) => name)).toEqual(["mcp__other__echo"])
    expect(await call("mcp__other__echo", { text: "on" })).toEqual(text("on"))
    expect(await call("ListMcpResources")).toEqual(text("No resources."))
    expect(await call("ListMcpResources", { server: "srv" })).toMatchObject({
      content: [
        { text: expect.stringMatching(/^MCP server "srv": exited with code 7.*\. It is being reconnected\.$/) },
      ],
      errorCode: "server_unavailable",
    })
    expect(await call("ReadMcpResource", { uri: "note://1" })).toMatchObject({ errorCode: "invalid_input" })
  })

  it("a call waits for it no longer than its own time, nor than the run", async () => {
    const switches = ["--with", "die,echo", "--startup-delay", "5000"]
    const { call, pool } = await startPool([fixtureServer("srv", switches, { toolTimeoutMs: 400 })])
    await call("mcp__srv__die")
    expect(await call("mcp__srv__echo")).toMatchObject({ errorCode: "server_unavailable" })
    expect(await call("mcp__srv__echo", {}, AbortSignal.abort())).toMatchObject({ errorCode: "aborted" })
    expect(pool.states()[0]?.state.status).toBe("pending")
    await pool.close()
    expect(pool.states()[0]?.state).toEqual({
      status: "failed",
      error: expect.stringMatching(/exited with code 7.*; it was not back when the run ended$/),
    })
  }, 20_000)

  it("tools that it had before keep their names, and gone ones say so", async () => {
    const { call, pool } = await startPool([
      fixtureServer("a", ["--with", "offer,withdraw,die", "--named", "b__c"]),
      fixtureServer("a__b", ["--with", "offer"]),
    ])
    const before = pool.tools().map(({ name }) => name)
    await call("mcp__a__b__offer", { name: "c" })
    await pool.settle(new AbortController().signal)
    const [added] = pool.tools().filter(({ name }) => !before.includes(name))
    expect(added).toMatchObject({ origin: { server: "a__b", tool: "c" } })
    expect(added?.name).toMatch(/^mcp__a__b__c_[0-9a-f]{8}$/)
    expect(before).toContain("mcp__a__b__c")
  })
})

describe("a remote server that loses our session", () => {
  it.each([404, 400] as const)(
    "S3.24 S3.25 F47 with %i gets a new one, is asked anew, and the call is repeated",
    async (status) => {
      const server = await serve()
      const { pool, call, events } = await startPool([remoteServer("srv", server.url, { transport: "http" })])
      server.offer(["echo", "fresh"])
      server.loseSessions(status)
      expect(await call("mcp__srv__echo", { n: 1 })).toEqual(text('{"n":1}'))
      expect(pool.tools().map(({ name }) => name)).toEqual(["mcp__srv__echo", "mcp__srv__fresh"])
      expect(lifeOf(events)).toEqual([
        "connecting pending",
        "connected connected",
        "disconnected pending lost",
        "connecting pending",
        "retry",
        "connected connected",
      ])
      expect(await call("mcp__srv__hang")).toEqual({
        content: [{ type: "text", text: 'MCP server "srv" no longer offers "hang": it was withdrawn during the run.' }],
        isError: true,
        errorCode: "unknown_tool",
      })
    },
  )

  it("F47 a plain 400 is an answer to the call, and no lost session", async () => {
    const server = await serve()
    const { call, events } = await startPool([remoteServer("srv", server.url)])
    server.answerCalls([400])
    expect(await call("mcp__srv__echo")).toMatchObject({ errorCode: "server_unavailable" })
    expect(lifeOf(events)).toEqual(["connecting pending", "connected connected"])
  })

  it("S2.17 S3.26 one that went away for good is lost, tried again with pauses, and then failed", async () => {
    const server = await startHttpMcpServer("http")
    const { pool, call, events } = await startPool([remoteServer("srv", server.url, { required: true })])
    await server.close()
    expect(await call("mcp__srv__echo")).toMatchObject({ isError: true, errorCode: "server_unavailable" })
    await pool.settle(new AbortController().signal)
    expect(pool.missingRequired()).toEqual([{ name: "srv", error: expect.stringContaining("ECONNREFUSED") }])
    expect(lifeOf(events).filter((one) => one === "connecting pending")).toHaveLength(11)
    expect(lifeOf(events).at(-1)).toBe("error failed")
  })

  it("S3.13 S3.26 F48 a 401 on the way is needs-auth with its remedy, and leaves the others alone", async () => {
    const server = await serve()
    const { pool, call, events } = await startPool([remoteServer("srv", server.url), fixtureServer("other")])
    server.answerCalls([401])
    expect(await call("mcp__srv__echo")).toMatchObject({ errorCode: "server_unavailable" })
    expect(pool.states().map(({ state }) => state.status)).toEqual(["needs-auth", "connected"])
    expect(events.at(-1)).toMatchObject({
      type: "server.error",
      state: "needs-auth",
      hint: expect.stringContaining("Send credentials"),
    })
    expect(pool.tools().map(({ name }) => name)).toEqual(["mcp__other__echo"])
    expect(await call("mcp__other__echo", { text: "on" })).toEqual(text("on"))
    expect(await call("mcp__srv__echo")).toMatchObject({ errorCode: "server_unavailable" })
    expect(server.requests.filter(({ rpc }) => rpc === "tools/call")).toHaveLength(1)
  })

  it("F45 a connection that drops during a call is an error at once, and the server is still there", async () => {
    const server = await serve()
    const { call, events } = await startPool([remoteServer("srv", server.url)])
    expect(await call("mcp__srv__drop")).toMatchObject({ isError: true, errorCode: "server_unavailable" })
    expect(await call("mcp__srv__echo", {})).toEqual(text("{}"))
    expect(lifeOf(events)).toEqual(["connecting pending", "connected connected"])
  })

  it("what it registers after its start over HTTP, untold, is found by asking again", async () => {
    const server = await serve()
    const { pool, events } = await startPool([remoteServer("srv", server.url)])
    server.offer(["echo", "late"])
    await vi.waitFor(() => expect(pool.tools().map(({ name }) => name)).toContain("mcp__srv__late"), { timeout: 5000 })
    expect(events.at(-1)).toMatchObject({
      type: "server.changed",
      added: ["late"],
      removed: ["hang", "drop", "end_stream"],
      changed: [],
    })
  })
})
