import { existsSync, mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
import { commandServer, fixtureServer, startPool } from "../support/mcp-servers.ts"

const scratch = () => mkdtempSync(join(tmpdir(), "mcp-"))
const failed = (errorCode: string, text: string) => ({ content: [{ type: "text", text }], isError: true, errorCode })

function linesOf(file: string): unknown[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, "utf8").trim().split("\n")
  return lines.map((line) => JSON.parse(line))
}

describe("a server that cannot be connected", () => {
  it.each([
    {
      what: "F31 a command that does not exist",
      server: commandServer("srv", ["no-such-command-here"]),
      error: 'MCP server "srv": could not be started: the command "no-such-command-here" was not found',
      hint: "Check command, args, cwd and env of [mcp_servers.srv] (agent.toml:1).",
      tail: null,
    },
    {
      what: "a folder that does not exist",
      server: fixtureServer("srv", [], { cwd: "/no/such/folder" }),
      error: 'MCP server "srv": could not be started: its folder /no/such/folder does not exist',
      hint: "Check command, args, cwd and env of [mcp_servers.srv] (agent.toml:1).",
      tail: null,
    },
    {
      what: "arguments that no process can have",
      server: fixtureServer("srv", ["a\0b"]),
      error: expect.stringMatching(/^MCP server "srv": could not be started: .*null bytes/),
      hint: "Check command, args, cwd and env of [mcp_servers.srv] (agent.toml:1).",
      tail: null,
    },
    {
      what: "F31 a server that exits at start",
      server: fixtureServer("srv", ["--exit-at-start", "3", "--stderr", "first line\nno database"]),
      error: 'MCP server "srv": exited with code 3; its last words: no database',
      hint: "Check command, args, cwd and env of [mcp_servers.srv] (agent.toml:1).",
      tail: "first line\nno database",
    },
    {
      what: "F30 a server that never answers initialize",
      server: fixtureServer("srv", ["--silent"], { startupTimeoutMs: 300 }),
      error: 'MCP server "srv": did not answer initialize within 300 ms',
      hint: "Raise startup_timeout_sec of [mcp_servers.srv] (agent.toml:1) if the server needs longer to start.",
      tail: null,
    },
    {
      what: "a server that never lists its tools",
      server: fixtureServer("srv", ["--silent-list", "--startup-delay", "200"], { discoveryTimeoutMs: 150 }),
      error: 'MCP server "srv": did not list its tools within 150 ms',
      hint: "Raise discovery_timeout_sec of [mcp_servers.srv] (agent.toml:1) if the server needs longer to list what it has.",
      tail: null,
    },
    {
      what: "a server whose list is an error",
      server: fixtureServer("srv", ["--tools-error"]),
      error: 'MCP server "srv": tools/list failed: MCP error -32603: the list is broken',
      hint: null,
      tail: null,
    },
    {
      what: "a program that speaks no MCP",
      server: commandServer("srv", ["sh", "-c", "echo hello; cat > /dev/null; exit 1"], { startupTimeoutMs: 300 }),
      error: 'MCP server "srv": did not answer initialize within 300 ms',
      hint: expect.any(String),
      tail: null,
    },
  ])("S0.8 S2.16 S3.12 S4.6 S4.10 S4.11 S4.21 F30 F31 $what is a state, and the others go on", async (row) => {
    const { pool, events } = await startPool([{ ...row.server, required: true }, fixtureServer("good")])
    const about = { server: "srv", transport: "stdio", state: "failed" }
    expect(events.filter(({ type }) => type === "server.error")).toEqual([
      { type: "server.error", ...about, error: row.error, hint: row.hint, stderr_tail: row.tail },
    ])
    expect(pool.tools().map(({ name }) => name)).toEqual(["mcp__good__echo"])
    expect(pool.missingRequired()).toEqual([{ name: "srv", error: row.error }])
  })

  it("F31 shows no more than the last 4 KB of stderr", async () => {
    const { events } = await startPool([
      fixtureServer("srv", ["--stderr", `START${"é".repeat(4000)}END`, "--exit-at-start", "1"]),
    ])
    const tail = events.flatMap((event) => (event.type === "server.error" ? [event.stderr_tail] : []))[0] ?? ""
    expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(4096)
    expect(tail).toMatch(/^é+END$/)
  })

  it("a stopped run starts nothing more", async () => {
    const file = join(scratch(), "started")
    const stopped = await startPool([fixtureServer("srv", ["--started-file", file])], { signal: AbortSignal.abort() })
    expect(stopped.pool.states()[0]?.state.status).toBe("failed")
    expect(existsSync(file)).toBe(false)
  })
})

describe("a call that fails", () => {
  it("S2.18 S4.10 S4.11 is an error result, by kind", async () => {
    const { call } = await startPool([fixtureServer("srv", ["--with", "fail,rpc_error,not_object"])])
    expect(await call("mcp__srv__fail")).toEqual(failed("tool_error", "it did not work"))
    expect(await call("mcp__srv__rpc_error")).toEqual(
      failed("protocol_error", 'MCP server "srv": MCP error -32602: bad arguments'),
    )
    expect(await call("mcp__srv__not_object")).toEqual(
      failed(
        "protocol_error",
        'MCP server "srv": MCP error -32603: the server answered with a result that is not an object',
      ),
    )
  })

  it("S2.19 F33 times out, is cancelled at the server, and the next call works", async () => {
    const file = join(scratch(), "calls")
    const { call } = await startPool([
      fixtureServer("srv", ["--with", "hang,echo", "--calls-file", file], { toolTimeoutMs: 150 }),
    ])
    expect(await call("mcp__srv__hang")).toEqual(
      failed("timeout", 'MCP server "srv": "hang" gave no answer within 150 ms (tool_timeout_sec) and was cancelled.'),
    )
    expect(await call("mcp__srv__echo", { text: "on" })).toMatchObject({ isError: false })
    expect(linesOf(file)).toEqual([
      { initialized: true },
      { call: "hang", input: {} },
      { cancelled: expect.any(Number) },
      { call: "echo", input: { text: "on" } },
    ])
  })

  it("is cancelled at the server when the run stops", async () => {
    const file = join(scratch(), "calls")
    const { call } = await startPool([fixtureServer("srv", ["--with", "hang", "--calls-file", file])])
    const stop = new AbortController()
    const result = call("mcp__srv__hang", {}, stop.signal)
    await vi.waitFor(() => expect(linesOf(file)).toHaveLength(2))
    stop.abort()
    expect(await result).toMatchObject({ isError: true, errorCode: "aborted" })
    await vi.waitFor(() => expect(linesOf(file).at(-1)).toEqual({ cancelled: expect.any(Number) }))
  })

  it("F34 progress keeps a call alive, and only that call", async () => {
    const { call } = await startPool([fixtureServer("srv", ["--with", "progress,hang"], { toolTimeoutMs: 600 })])
    const [progressed, hung] = await Promise.all([
      call("mcp__srv__progress", { steps: 9, ms: 100 }),
      call("mcp__srv__hang"),
    ])
    expect([progressed?.isError, hung?.errorCode]).toEqual([false, "timeout"])
  })

  it("S2.17 S4.12 a server that dies rejects all pending calls at once", async () => {
    const { call } = await startPool([fixtureServer("srv", ["--with", "hang,die"])])
    const results = await Promise.all([call("mcp__srv__hang"), call("mcp__srv__hang"), call("mcp__srv__die")])
    const error = 'MCP server "srv": exited with code 7; its last words: dying as asked'
    const expected = failed("server_unavailable", `${error}. It is being reconnected, and its tools may come back.`)
    expect(results).toEqual([expected, expected, expected])
  })

  it("F35 late, duplicate and unknown answers are dropped", async () => {
    const { call } = await startPool([fixtureServer("srv", ["--with", "stray_ids,echo"])])
    expect(await call("mcp__srv__stray_ids")).toEqual({
      content: [{ type: "text", text: "the answer" }],
      isError: false,
    })
    expect(await call("mcp__srv__echo", { text: "on" })).toMatchObject({ content: [{ type: "text", text: "on" }] })
  })
})

describe("a server that floods us", () => {
  it("S4.8 F36 100,000 noise lines are ignored and few are shown", async () => {
    const { pool, call, warnings } = await startPool([fixtureServer("srv", ["--noise", "100000"])])
    expect(await call("mcp__srv__echo", { text: "still here" })).toMatchObject({ isError: false })
    await pool.close()
    expect(warnings()).toEqual([
      'MCP server "srv": wrote a line to stdout that is no JSON-RPC; it was ignored: noise line 1',
      'MCP server "srv": wrote a line to stdout that is no JSON-RPC; it was ignored: noise line 2',
      'MCP server "srv": wrote a line to stdout that is no JSON-RPC; it was ignored: noise line 3',
      'MCP server "srv": wrote 100000 lines to stdout that are no JSON-RPC; all were ignored',
    ])
  })

  it.each([
    ["F37 a line of 100 MB", "huge_line"],
    ["F38 an endless line", "endless_line"],
  ])("F37 F38 %s closes the server, memory stays flat", async (_, tool) => {
    const { call } = await startPool([fixtureServer("srv", ["--with", tool])])
    const before = process.memoryUsage().rss
    const result = await call(`mcp__srv__${tool}`)
    expect(result).toMatchObject({ isError: true, errorCode: "server_unavailable" })
    expect(JSON.stringify(result)).toContain("sent a line longer than 10 MiB and was closed")
    expect(process.memoryUsage().rss - before).toBeLessThan(80 * 1024 * 1024)
  })

  it("a result just below the limit of a line arrives whole", async () => {
    const { call } = await startPool([fixtureServer("srv", ["--with", "big"])])
    const result = await call("mcp__srv__big", { bytes: 10_000_000 })
    expect(JSON.stringify(result).length).toBeGreaterThan(10_000_000)
  })

  it("S2.5 F39 64 MB of stderr do not stop it, memory stays flat, and the end is what is kept", async () => {
    const before = process.memoryUsage().rss
    const { call } = await startPool([fixtureServer("srv", ["--stderr-flood", "64000000", "--with", "echo,die"])])
    expect(await call("mcp__srv__echo", { text: "on" })).toMatchObject({ isError: false })
    expect(process.memoryUsage().rss - before).toBeLessThan(80 * 1024 * 1024)
    expect(JSON.stringify(await call("mcp__srv__die"))).toContain("its last words: dying as asked")
  })

  it.each([
    [
      "F40 a repeated cursor",
      "--repeat-cursor",
      'MCP server "srv": tools/list repeats a cursor; the 2 entries so far are used',
    ],
    [
      "F41 endless pages",
      "--endless-pages",
      'MCP server "srv": tools/list has more than 500 pages; the 0 entries so far are used',
    ],
  ])("F40 F41 %s is stopped with a warning", async (_, how, warning) => {
    const { pool, warnings } = await startPool([fixtureServer("srv", [how])])
    expect(warnings()).toContain(warning)
    expect(pool.states()[0]?.state.status).toBe("connected")
  })
})
