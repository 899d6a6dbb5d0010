import { existsSync, mkdtempSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import type { RunEventBody } from "../../../src/contract/event.ts"
import { backoffMs } from "../../../src/mcp/life/backoff.ts"
import { createDeadLetters, readDeadLetters } from "../../../src/mcp/life/dead-letters.ts"
import { startHttpMcpServer } from "../../support/http-mcp-server.ts"
import { fixtureServer, remoteServer, startPool } from "../../support/mcp-servers.ts"

const scratch = () => mkdtempSync(join(tmpdir(), "mcp-"))
const text = (words: string) => ({ content: [{ type: "text", text: words }], isError: false })
const retries = (events: readonly RunEventBody[]) => events.filter(({ type }) => type === "retry")

async function serve() {
  const server = await startHttpMcpServer("http")
  onTestFinished(() => server.close())
  const calls = () => server.requests.filter(({ rpc }) => rpc === "tools/call").length
  return { server, calls }
}

describe("a call that cannot have run", () => {
  it.each([429, 503])("S0.29 refused with %i is made again with growing pauses", async (status) => {
    const { server, calls } = await serve()
    const { call, events } = await startPool([remoteServer("srv", server.url)])
    server.answerCalls([status, status])
    expect(await call("mcp__srv__echo", { n: 1 })).toEqual(text('{"n":1}'))
    expect(calls()).toBe(3)
    const retry = { type: "retry", what: "mcp", delay_ms: expect.any(Number) }
    const error = expect.stringMatching(new RegExp(`^MCP server "srv": HTTP ${status}`))
    expect(retries(events)).toEqual([
      { ...retry, attempt: 1, error },
      { ...retry, attempt: 2, error },
    ])
  })

  it("S0.29 F32 that never reached a server is made again by the next process of that server", async () => {
    const { call, events } = await startPool([fixtureServer("srv", ["--with", "go_deaf,echo"])])
    expect(await call("mcp__srv__go_deaf")).toEqual(text("deaf from now on"))
    expect(await call("mcp__srv__echo", { text: "heard" })).toEqual(text("heard"))
    const error = 'MCP server "srv": stopped reading its stdin'
    expect(events).toContainEqual(expect.objectContaining({ type: "server.disconnected", detail: error }))
    expect(retries(events)).toEqual([{ type: "retry", what: "mcp", attempt: 1, delay_ms: expect.any(Number), error }])
  })

  it("S0.29 is given up after max_attempts", async () => {
    const { server, calls } = await serve()
    const { call, events } = await startPool([remoteServer("srv", server.url)])
    server.answerCalls([429, 429, 429, 429])
    expect(await call("mcp__srv__echo")).toMatchObject({ isError: true, errorCode: "server_unavailable" })
    expect([calls(), retries(events).length]).toEqual([3, 2])
  })

  it("S0.29 max_attempts = 1 makes nothing again", async () => {
    const { server, calls } = await serve()
    const retry = { maxAttempts: 1, initialMs: 1, maxMs: 1 }
    const { call } = await startPool([remoteServer("srv", server.url)], { settings: { retry } })
    server.answerCalls([429])
    expect(await call("mcp__srv__echo")).toMatchObject({ isError: true })
    expect(calls()).toBe(1)
  })
})

describe("a call that may have run", () => {
  it.each([
    { status: 500, trustHints: true, why: "its tool does not say that it only reads" },
    { status: 502, trustHints: false, why: "nor when its server fails in another way" },
  ])("S0.29 is not made again ($status): $why", async ({ status, trustHints }) => {
    const { server, calls } = await serve()
    const { call, events } = await startPool([remoteServer("srv", server.url, { trustHints })])
    server.answerCalls([status])
    expect(await call("mcp__srv__echo")).toMatchObject({ isError: true, errorCode: "server_unavailable" })
    expect([calls(), retries(events)]).toEqual([1, []])
  })

  it.each([
    { trustHints: false, calls: 1 },
    { trustHints: true, calls: 2 },
  ])(
    "S0.29 F45 a read-only call whose answer breaks off is made $calls times with trust_hints = $trustHints",
    async (row) => {
      const { server, calls } = await serve()
      const { call } = await startPool([remoteServer("srv", server.url, { trustHints: row.trustHints })])
      expect(await call("mcp__srv__drop")).toMatchObject({ isError: true })
      expect(calls()).toBe(row.calls)
    },
  )

  it.each([
    { trustHints: false, expected: { isError: true, errorCode: "server_unavailable" } },
    { trustHints: true, expected: text("alive again") },
  ])("S0.29 F32 a read-only call that was open when its server died, trust_hints = $trustHints", async (row) => {
    const started = join(scratch(), "started")
    const switches = ["--with", "die_first", "--started-file", started]
    const { call } = await startPool([fixtureServer("srv", switches, { trustHints: row.trustHints })])
    expect(await call("mcp__srv__die_first")).toMatchObject(row.expected)
  })

  it("F32 even a trusted one is repeated only once after a death", async () => {
    const started = join(scratch(), "started")
    // Every process believes to be the first: its count starts anew in a file of its own.
    const switches = ["--with", "die_first", "--started-file", `${started}`]
    const { call, events } = await startPool([
      fixtureServer("srv", switches, {
        trustHints: true,
        command: "sh",
        args: ["-c", `rm -f ${started}; exec "$@"`, "sh", ...argsOf(switches)],
      }),
    ])
    expect(await call("mcp__srv__die_first")).toMatchObject({ isError: true, errorCode: "server_unavailable" })
    expect(retries(events)).toHaveLength(1)
  })

  it("S0.29 a tool's own error, and a timeout, are never tried again", async () => {
    const file = join(scratch(), "calls")
    const switches = ["--with", "fail,rpc_error,hang", "--calls-file", file]
    const { call } = await startPool([fixtureServer("srv", switches, { toolTimeoutMs: 100, trustHints: true })])
    for (const tool of ["fail", "rpc_error", "hang"]) await call(`mcp__srv__${tool}`)
    const lines = readFileSync(file, "utf8").trim().split("\n")
    expect(lines.filter((line) => line.includes('"call"'))).toHaveLength(3)
  })
})

describe("pauses", () => {
  it("S0.29 double up to the longest, each between its half and its whole", () => {
    const settings = { maxAttempts: 9, initialMs: 250, maxMs: 5000 }
    const most = [1, 2, 3, 4, 5, 6, 7].map((attempts) => backoffMs(settings, attempts, () => 1))
    const least = [1, 2, 3, 4, 5, 6, 7].map((attempts) => backoffMs(settings, attempts, () => 0))
    expect(most).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000])
    expect(least).toEqual([125, 250, 500, 1000, 2000, 2500, 2500])
  })
})

describe("dead letters", () => {
  const redact = <Value>(value: Value): Value =>
    JSON.parse(JSON.stringify(value).replaceAll("hunter2hunter2", "[redacted:PASSWORD]"))

  it("S0.30 a call that failed for good is one private line, redacted; others leave none", async () => {
    const path = join(scratch(), "letters.jsonl")
    const warnings: string[] = []
    const deadLetters = createDeadLetters({ path, redact, warn: (message) => warnings.push(message) })
    const { server } = await serve()
    const { call } = await startPool(
      [fixtureServer("srv", ["--with", "echo,fail,die,rpc_error"]), remoteServer("far", server.url)],
      {
        deadLetters,
      },
    )
    server.answerCalls([429])
    await call("mcp__srv__echo", { text: "fine" })
    await call("mcp__srv__fail")
    await call("mcp__far__echo")
    await call("mcp__srv__echo", {}, AbortSignal.abort())
    expect(existsSync(path)).toBe(false)

    await call("mcp__srv__die", { password: "hunter2hunter2" })
    server.answerCalls([503, 503, 503])
    await Promise.all([call("mcp__far__echo", { n: 2 }), call("mcp__srv__rpc_error")])
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const head = { id: expect.any(String), at: expect.stringMatching(/^\d{4}-.*Z$/) }
    const letters = await readDeadLetters(path)
    expect(letters.toSorted((one, other) => one.tool.localeCompare(other.tool))).toEqual([
      {
        ...head,
        server: "srv",
        tool: "die",
        args: { password: "[redacted:PASSWORD]" },
        error: { code: "server_unavailable", message: expect.stringContaining("exited with code 7") },
        attempts: 1,
      },
      {
        ...head,
        server: "far",
        tool: "echo",
        args: { n: 2 },
        error: { code: "server_unavailable", message: expect.stringContaining("HTTP 503") },
        attempts: 3,
      },
      {
        ...head,
        server: "srv",
        tool: "rpc_error",
        args: {},
        error: { code: "protocol_error", message: expect.stringContaining("bad arguments") },
        attempts: 1,
      },
    ])
    expect(new Set(letters.map(({ id }) => id)).size).toBe(3)
    expect(warnings).toEqual([])
  })

  it("S0.30 many at once are whole lines, after what was there, and a line that is no letter is passed over", async () => {
    const path = join(scratch(), "letters.jsonl")
    writeFileSync(path, '{"id": "cut o\n[]\n')
    const warn = () => {}
    const writers = [createDeadLetters({ path, redact, warn }), createDeadLetters({ path, redact, warn })]
    const error = { code: "timeout", message: "x".repeat(3000) }
    const letter = (n: number) => ({ server: "s", tool: "t", args: { n }, error, attempts: 1 })
    await Promise.all(Array.from({ length: 100 }, (_, n) => writers[n % 2]?.add(letter(n))))
    const numbers = (await readDeadLetters(path)).map(({ args }) => Number(args.n))
    expect(numbers.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 100 }, (_, n) => n))
  })

  it("S0.30 never follows a link, and says what could not be kept", async () => {
    const folder = scratch()
    const path = join(folder, "letters.jsonl")
    symlinkSync(join(folder, "elsewhere"), path)
    const warnings: string[] = []
    const deadLetters = createDeadLetters({ path, redact, warn: (message) => warnings.push(message) })
    const error = { code: "timeout", message: "late" }
    await deadLetters.add({ server: "s", tool: "t", args: {}, error, attempts: 1 })
    expect(warnings).toEqual([expect.stringMatching(/^a failed call could not be kept in .*letters\.jsonl: ELOOP/)])
    expect(existsSync(join(folder, "elsewhere"))).toBe(false)
  })
})

function argsOf(switches: readonly string[]): readonly string[] {
  const { command, args } = fixtureServer("srv", switches)
  return [command, ...args]
}
