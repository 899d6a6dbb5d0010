import { readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { pathToFileURL } from "node:url"
import { describe, expect, it, vi } from "vitest"
import type { RunEventBody } from "../../../src/contract/event.ts"
import type { JsonObject } from "../../../src/contract/json.ts"
import type { ToolResult } from "../../../src/contract/tool.ts"
import { createCallProgress } from "../../../src/mcp/requests/call-progress.ts"
import { answerElicitation } from "../../../src/mcp/requests/elicitation.ts"
import { fixtureServer, type StartedPool, startPool } from "../../support/mcp-servers.ts"
import { scratchFolder } from "../../support/scratch-folder.ts"

const workspace = "/work space"
const form = (properties: JsonObject, required: readonly string[] = []) => ({
  message: "Which?",
  requestedSchema: { type: "object", properties, required },
})

async function ask({ call }: StartedPool, method: string, params: JsonObject = {}): Promise<unknown> {
  return jsonOf(await call("mcp__srv__request", { method, params }))
}

function jsonOf({ content: [block] }: ToolResult): unknown {
  return block?.type === "text" ? JSON.parse(block.text) : null
}

function startServer(more: Parameters<typeof fixtureServer>[2] = {}, switches: readonly string[] = []) {
  const server = fixtureServer("srv", ["--with", "request,declared,log,progress,die", ...switches], more)
  return startPool([server], { requests: { workspace, sample: null } })
}

describe("what a server asks of us", () => {
  it("F46 C10 T18 is refused or declined at once when nothing is switched on, and none of it is declared", async () => {
    const started = await startServer()
    expect(jsonOf(await started.call("mcp__srv__declared"))).toEqual({})
    expect(await ask(started, "roots/list")).toEqual({ code: -32601, message: "Method not found" })
    expect(await ask(started, "sampling/createMessage", { messages: [], maxTokens: 1 })).toMatchObject({ code: -32601 })
    expect(await ask(started, "elicitation/create", form({}))).toEqual({ action: "decline" })
    expect(await ask(started, "constructor")).toMatchObject({ code: -32601 })
    const asked = started.events.filter((event) => event.type === "server.request")
    expect(asked.map(({ method, outcome, detail }) => [method, outcome, detail])).toEqual([
      ["roots/list", "refused", "roots = false"],
      ["sampling/createMessage", "refused", "sampling = false"],
      ["elicitation/create", "declined", 'elicitation = "decline"'],
      ["constructor", "refused", null],
    ])
  })

  it("F46 sampling = true where there is no model is declared, so that nothing is missing in lists, and refused", async () => {
    const started = await startServer({ sampling: { maxRequests: 1, maxTokens: 100 } })
    expect(jsonOf(await started.call("mcp__srv__declared"))).toEqual({ sampling: {} })
    const refusal = { code: -1, message: "there is no model here" }
    expect(await ask(started, "sampling/createMessage", { messages: [], maxTokens: 1 })).toEqual(refusal)
  })

  it("F46 roots = true declares roots and names the workspace, and nothing else", async () => {
    const started = await startServer({ roots: true })
    expect(jsonOf(await started.call("mcp__srv__declared"))).toEqual({ roots: {} })
    const roots = [{ uri: pathToFileURL(workspace).href, name: basename(workspace) }]
    expect(await ask(started, "roots/list")).toEqual({ roots })
    expect(started.events.at(-1)).toEqual({
      type: "server.request",
      server: "srv",
      method: "roots/list",
      outcome: "answered",
      detail: null,
      request: {},
      response: { roots },
      model: null,
      usage: null,
      cost_usd: null,
    })
  })

  it("F46 gets the same answers after the server was lost and came back", async () => {
    const started = await startServer({ roots: true })
    expect(await started.call("mcp__srv__die")).toMatchObject({ isError: true })
    expect(jsonOf(await started.call("mcp__srv__declared"))).toEqual({ roots: {} })
    const roots = [{ uri: pathToFileURL(workspace).href, name: basename(workspace) }]
    expect(await ask(started, "roots/list")).toEqual({ roots })
    expect(started.events.filter(({ type }) => type === "server.connected")).toHaveLength(2)
  })

  it("F46 C10 elicitation = defaults accepts a form that has all it needs, declines others and every URL", async () => {
    const started = await startServer({ elicitation: "defaults" })
    expect(jsonOf(await started.call("mcp__srv__declared"))).toEqual({ elicitation: { form: {} } })
    const color = { type: "string", enum: ["red", "blue"], default: "red" }
    expect(await ask(started, "elicitation/create", form({ color, note: { type: "string" } }, ["color"]))).toEqual({
      action: "accept",
      content: { color: "red" },
    })
    expect(await ask(started, "elicitation/create", form({ note: { type: "string" } }, ["note"]))).toEqual({
      action: "decline",
    })
    const url = { mode: "url", message: "Log in", url: "https://example.com", elicitationId: "1" }
    expect(await ask(started, "elicitation/create", url)).toEqual({ action: "decline" })
    const declined = started.events.flatMap((event) => (event.type === "server.request" ? [event.detail] : []))
    expect(declined).toEqual([
      "the defaults of its form",
      'the field "note" is required and has no default',
      "it would need a browser",
    ])
  })

  it.each<[JsonObject, JsonObject]>([
    [{}, { action: "accept", content: {} }],
    [{ requestedSchema: "no schema" }, { action: "accept", content: {} }],
    [
      form({ a: { default: 0 }, b: { default: false }, c: { default: ["x"] } }, ["a", "b", "c"]),
      {
        action: "accept",
        content: { a: 0, b: false, c: ["x"] },
      },
    ],
    [form({ a: { default: { deep: true } } }, ["a"]), { action: "decline" }],
    [form({ a: { default: [1] }, b: "no field" }), { action: "accept", content: {} }],
    [form({}, ["constructor"]), { action: "decline" }],
  ])("defaults answer %j with %j", (params, result) => {
    expect(answerElicitation(params, "defaults").result).toEqual(result)
  })

  it("F46 a flood of requests is answered, and thinned out in the transcript", async () => {
    const started = await startServer()
    const asked = Array.from({ length: 150 }, () => ask(started, "roots/list"))
    expect(await Promise.all(asked)).toHaveLength(150)
    await started.pool.close()
    const kept = started.events.filter((event) => event.type === "server.request")
    expect(kept.length).toBeLessThan(150)
    expect(started.warnings()).toEqual([
      expect.stringMatching(/^MCP server "srv": sent too many requests; \d+ are not in the transcript$/),
    ])
  })
})

describe("what a server says by itself", () => {
  it("log messages become events, bounded, whatever shape they have", async () => {
    const { call, events } = await startServer()
    const messages = [
      { level: "warning", logger: "db", data: "slow query" },
      { level: "shout", data: { code: 7 } },
      { data: "x".repeat(5000) },
    ]
    await call("mcp__srv__log", { messages })
    expect(events.filter((event) => event.type === "server.log")).toEqual([
      { type: "server.log", server: "srv", level: "warning", logger: "db", text: "slow query" },
      { type: "server.log", server: "srv", level: "info", logger: null, text: '{"code":7}' },
      {
        type: "server.log",
        server: "srv",
        level: "info",
        logger: null,
        text: expect.stringMatching(/^x{1900,2000}… \[cut\]$/),
      },
    ])
  })

  it("a flood of log messages is thinned out, and the warning says by how many", async () => {
    const { call, events, pool, warnings } = await startServer()
    await call("mcp__srv__log", { messages: [{ level: "info", data: "again" }], count: 5000 })
    await pool.close()
    const kept = events.filter((event) => event.type === "server.log").length
    expect(kept).toBeLessThan(1000)
    expect(warnings()).toEqual([
      `MCP server "srv": sent too many log messages; ${5000 - kept} are not in the transcript`,
    ])
  })

  it("the log level is set for a server that declares logging, and for no other", async () => {
    const file = join(await scratchFolder(), "calls")
    await startServer({}, ["--logging", "--calls-file", file])
    expect(readFileSync(file, "utf8")).toContain('{"level":"info"}')
    const other = join(await scratchFolder(), "calls")
    await startServer({}, ["--calls-file", other])
    expect(readFileSync(other, "utf8")).not.toContain("level")
  })

  it("progress becomes events of its call", async () => {
    const { call, events } = await startServer()
    const stop = new AbortController()
    const called = call("mcp__srv__progress", { steps: 10_000, ms: 10, message: "counting" }, stop.signal)
    await vi.waitFor(() => expect(events.at(-1)?.type).toBe("tool.progress"))
    stop.abort()
    await called
    expect(events.find((event) => event.type === "tool.progress")).toEqual({
      type: "tool.progress",
      call_id: "call-1",
      tool: "mcp__srv__progress",
      server: "srv",
      progress: 1,
      total: 10_000,
      message: "counting",
    })
  })

  it("progress is told at most once a second", () => {
    const told: RunEventBody[] = []
    let now = 0
    const call = { call_id: "c", tool: "t", server: "s" }
    const tell = createCallProgress(
      call,
      (event) => told.push(event),
      () => now,
    )
    for (let step = 1; step <= 50; step += 1) {
      tell({ progress: step })
      now += 100
    }
    tell({ progress: Number.NaN })
    expect(told.map((event) => (event.type === "tool.progress" ? event.progress : null))).toEqual([1, 11, 21, 31, 41])
  })
})
