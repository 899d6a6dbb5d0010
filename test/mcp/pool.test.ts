import { mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { fixtureServer, remoteServer, startPool } from "../support/mcp-servers.ts"

const scratch = () => mkdtempSync(join(tmpdir(), "mcp-"))
const text = (words: string) => ({ content: [{ type: "text", text: words }], isError: false })

describe("a pool of stdio servers", () => {
  it("C8 S0.5 S0.8 S2.2 S2.7 S3.1 goes from connecting to connected, and its tool answers like any other", async () => {
    const { pool, events, call } = await startPool([fixtureServer("srv", ["--resources"])])
    expect(events).toEqual([
      { type: "server.connecting", server: "srv", transport: "stdio", state: "pending" },
      {
        type: "server.connected",
        server: "srv",
        transport: "stdio",
        state: "connected",
        tools: 1,
        resources: 4,
        prompts: 0,
        connect_ms: expect.any(Number),
        protocol_version: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      },
    ])
    expect(pool.tools()).toEqual([
      {
        name: "mcp__srv__echo",
        description: "Tool echo of the fixture",
        inputSchema: { type: "object", properties: { text: { type: "string" } } },
        origin: { kind: "mcp", server: "srv", tool: "echo" },
        hints: { readOnly: false, destructive: false, idempotent: false },
        subjects: expect.any(Function),
        execute: expect.any(Function),
      },
    ])
    expect(await call("mcp__srv__echo", { text: "hello" })).toEqual(text("hello"))
    expect(pool.states()).toEqual([
      {
        name: "srv",
        transport: "stdio",
        required: false,
        state: { status: "connected", connectMs: expect.any(Number) },
      },
    ])
    await pool.close()
    expect(events.at(-1)).toEqual({
      type: "server.disconnected",
      server: "srv",
      transport: "stdio",
      state: "connected",
      reason: "run_end",
      detail: null,
    })
  })

  it("S2.20 S4.5 sends the initialized notification before anything else", async () => {
    const file = join(scratch(), "calls")
    const { call } = await startPool([fixtureServer("srv", ["--calls-file", file])])
    await call("mcp__srv__echo", { text: "x" })
    const lines = readFileSync(file, "utf8").trim().split("\n")
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { initialized: true },
      { call: "echo", input: { text: "x" } },
    ])
  })

  it("S2.2 follows every page: 12 tools, 5 a page, gives 12", async () => {
    const { pool } = await startPool([fixtureServer("srv", ["--tools", "12", "--page-size", "5"])])
    const expected = Array.from({ length: 12 }, (_, index) => `mcp__srv__tool_${index + 1}`)
    expect(pool.tools().map(({ name }) => name)).toEqual(expected)
  })

  it("S2.8 S4.16 T18 a server called my__srv works, and so do constructor and a name with spaces", async () => {
    const names = ["my__srv", "constructor", "mein Server"]
    const { pool, call } = await startPool(names.map((name) => fixtureServer(name, ["--named", "__proto__,a.b"])))
    expect(pool.tools().map(({ name, origin }) => [name, origin])).toEqual([
      ["mcp__my__srv____proto__", { kind: "mcp", server: "my__srv", tool: "__proto__" }],
      ["mcp__my__srv__a_b", { kind: "mcp", server: "my__srv", tool: "a.b" }],
      ["mcp__constructor____proto__", { kind: "mcp", server: "constructor", tool: "__proto__" }],
      ["mcp__constructor__a_b", { kind: "mcp", server: "constructor", tool: "a.b" }],
      ["mcp__mein_Server____proto__", { kind: "mcp", server: "mein Server", tool: "__proto__" }],
      ["mcp__mein_Server__a_b", { kind: "mcp", server: "mein Server", tool: "a.b" }],
    ])
    expect(await call("mcp__my__srv__a_b", { text: "dotted" })).toEqual(text("dotted"))
  })

  it("S2.8 T18 tools that would share a name are told apart by their pair", async () => {
    const { pool, call, warnings } = await startPool([
      fixtureServer("a", ["--named", "b__c"]),
      fixtureServer("a__b", ["--named", "c"]),
    ])
    const tools = pool.tools()
    expect(new Set(tools.map(({ name }) => name)).size).toBe(2)
    for (const tool of tools) expect(await call(tool.name, { text: tool.name })).toEqual(text(tool.name))
    expect(warnings()).toHaveLength(2)
  })

  it("enabled_tools and disabled_tools hide tools, which keep a name for the rules", async () => {
    const { pool } = await startPool([
      fixtureServer("srv", ["--tools", "3"], { enabledTools: ["tool_*"], disabledTools: ["*_2"] }),
    ])
    expect(pool.tools().map(({ name }) => name)).toEqual(["mcp__srv__tool_1", "mcp__srv__tool_3"])
    expect(pool.hiddenTools()).toEqual([
      {
        name: "mcp__srv__tool_2",
        server: "srv",
        tool: "tool_2",
        setting: "disabled_tools",
        source: "agent.toml:1",
      },
    ])
  })

  it("S3.5 S3.6 S3.23 cuts a description of 60 KB and long instructions, with a mark", async () => {
    const { pool } = await startPool([
      fixtureServer("srv", ["--description-bytes", "60000", "--instructions", "i".repeat(3000)]),
    ])
    const description = pool.tools()[0]?.description ?? ""
    expect(description).toHaveLength(2048)
    expect(description).toMatch(/^d+… \[cut\]$/)
    expect(pool.instructions()).toEqual([{ server: "srv", text: expect.stringMatching(/^i{2041}… \[cut\]$/) }])
  })

  it("takes only explicit hints", async () => {
    const { pool } = await startPool([fixtureServer("srv", ["--with", "echo,read_note,delete_note"])])
    expect(pool.tools().map(({ hints }) => hints)).toEqual([
      { readOnly: false, destructive: false, idempotent: false },
      { readOnly: true, destructive: false, idempotent: true },
      { readOnly: false, destructive: true, idempotent: false },
    ])
  })

  it("S4.15 one bad tool never costs the rest; what is missing is filled in", async () => {
    const { pool, warnings } = await startPool([fixtureServer("srv", ["--bad-tool", "--tools", "2"])])
    expect(pool.tools().map(({ name, description, inputSchema }) => [name, description, inputSchema])).toEqual([
      ["mcp__srv__bare", "MCP tool bare from srv", { type: "object", properties: {} }],
      ["mcp__srv__tool_1", "Tool tool_1 of the fixture", expect.any(Object)],
      ["mcp__srv__tool_2", "Tool tool_2 of the fixture", expect.any(Object)],
    ])
    expect(warnings()).toEqual([
      'MCP server "srv": an entry of tools/list is not an object; the tool is left out',
      'MCP server "srv": an entry of tools/list has no name; the tool is left out',
      'MCP server "srv": tool "array_schema" has an inputSchema that does not describe an object; the tool is left out',
      'MCP server "srv": tool "string_schema" has an inputSchema that does not describe an object; the tool is left out',
    ])
  })

  it.each(["--no-tools-array", "--no-capabilities"])(
    "S4.13 a server with %s has no tools and is connected",
    async (how) => {
      const { pool } = await startPool([fixtureServer("srv", [how])])
      expect([pool.tools(), pool.states()[0]?.state.status]).toEqual([[], "connected"])
    },
  )

  it("S2.5 T19 T20 the child gets the configured environment and folder, no shell, nothing else", async () => {
    const cwd = scratch()
    const env = { PATH: "/usr/bin", TOKEN: "$(id)" }
    const instructions = "$(id); `id` > file | $HOME"
    const switches = ["--with", "env,cwd,echo", "--instructions", instructions]
    const { call, pool } = await startPool([fixtureServer("srv", switches, { env, cwd })])
    expect(pool.instructions()).toEqual([{ server: "srv", text: instructions }])
    expect(process.getActiveResourcesInfo()).not.toContain("TCPServerWrap")
    const shown = await call("mcp__srv__env")
    expect(shown.content).toEqual([{ type: "text", text: JSON.stringify(env) }])
    expect(await call("mcp__srv__cwd")).toEqual(text(cwd))
  })

  it("S3.12 a disabled server is a state and no tools; required ones are missing", async () => {
    const disabled = [
      { name: "off", transport: "stdio", required: true, why: "not in mcp_server_allowlist" },
      { name: "out", transport: "url", required: false, why: "enabled = false" },
    ] as const
    const { pool, events } = await startPool([], { disabled })
    expect(events).toEqual([
      {
        type: "server.disconnected",
        server: "off",
        transport: "stdio",
        state: "disabled",
        reason: "not_started",
        detail: "not in mcp_server_allowlist",
      },
      {
        type: "server.disconnected",
        server: "out",
        transport: "url",
        state: "disabled",
        reason: "not_started",
        detail: "enabled = false",
      },
    ])
    expect(pool.missingRequired()).toEqual([{ name: "off", error: 'MCP server "off": not in mcp_server_allowlist' }])
  })

  it("S4.17 no servers are fine, and a second start does nothing", async () => {
    const empty = await startPool([])
    expect([empty.pool.tools(), empty.pool.resourceTools(), empty.events]).toEqual([[], [], []])
    const one = await startPool([fixtureServer("srv")])
    await one.pool.start(new AbortController().signal)
    expect(one.events.map(({ type }) => type)).toEqual(["server.connecting", "server.connected"])
  })

  it("S3.15 starts as many local servers at a time as it may, remote ones beside them", async () => {
    const slow = Array.from({ length: 5 }, (_, index) => fixtureServer(`local${index}`, ["--startup-delay", "200"]))
    const remote = remoteServer("remote", "http://127.0.0.1:1/mcp")
    const { events } = await startPool([...slow, remote], { settings: { localConcurrency: 3 } })
    const order = events.flatMap((event) =>
      event.type.startsWith("server.") && "server" in event ? [`${event.type} ${event.server}`] : [],
    )
    const before = (one: string, other: string) => order.indexOf(one) < order.indexOf(other)
    expect(order).toHaveLength(12)
    expect(order.slice(0, 4)).toEqual([
      "server.connecting local0",
      "server.connecting local1",
      "server.connecting local2",
      "server.connecting remote",
    ])
    expect(before("server.error remote", "server.connecting local3")).toBe(true)
    let running = 0
    let most = 0
    for (const entry of order.filter((one) => one.includes("local"))) {
      running += entry.startsWith("server.connecting") ? 1 : -1
      most = Math.max(most, running)
    }
    expect(most).toBe(3)
  })
})
