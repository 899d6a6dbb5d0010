import { describe, expect, it } from "vitest"
import type { RunEvent } from "../../src/contract/event.ts"
import type { Model, ModelRequest } from "../../src/contract/model.ts"
import { createScriptModel } from "../../src/model/script.ts"
import type { Script } from "../../src/model/script-schema.ts"
import { defineTool } from "../../src/tools/define-tool.ts"
import { eventsOf, type InProcessRun, runInProcess } from "../support/run-in-process.ts"

const on = ["tools.agent=true"]
const delegate = (input: object) => ({ calls: [{ tool: "Agent", input: { task: "Count the files", ...input } }] })

/** A run whose requests are kept. */
async function runWatched(turns: Script["turns"], options: Partial<InProcessRun> = {}) {
  const requests: ModelRequest[] = []
  const script = createScriptModel({ turns })
  const model: Model = {
    ...script,
    ask(request, context) {
      requests.push({ ...request, messages: [...request.messages] })
      return script.ask(request, context)
    },
  }
  const run = await runInProcess({ model, set: on, allow: ["Agent"], ...options })
  return { ...run, requests }
}

const toolsIn = (request: ModelRequest | undefined) => request?.tools.map(({ name }) => name)
const parentsOf = (events: readonly RunEvent[], type: RunEvent["type"]) =>
  events.filter((event) => event.type === type).map((event) => event.parent_call_id ?? null)

describe("a sub-agent", () => {
  it("S4.20 is off unless it is switched on, and calling it needs a rule", async () => {
    const off = await runWatched([{ text: "done" }], { set: [] })
    expect(toolsIn(off.requests[0])).not.toContain("Agent")
    const turns = [delegate({}), { text: "done" }]
    const unruled = await runWatched(turns, { allow: [], set: [...on, "expect.some_call_succeeds=false"] })
    expect(unruled.report.calls).toMatchObject([{ tool: "Agent", error_code: "denied" }])
  })

  it("S4.20 has an empty context and the tools of its parent without Agent; its answer is the result", async () => {
    const turns = [
      delegate({}),
      { calls: [{ tool: "Glob", input: { pattern: "*" } }] },
      { text: "There are 3 files." },
      { text: "done" },
    ]
    const { requests, events, report } = await runWatched(turns)
    expect(report).toMatchObject({ exit_code: 0, answer: "done", turns: 4 })
    expect(toolsIn(requests[1])).toEqual(toolsIn(requests[0])?.filter((name) => name !== "Agent"))
    expect(requests[1]?.messages).toEqual([{ role: "user", content: [{ type: "text", text: "Count the files" }] }])
    expect(requests[1]?.system).toContain("You are a sub-agent")
    expect(requests[3]?.messages).toHaveLength(3)
    expect(requests[3]?.messages.at(-1)?.content).toMatchObject([{ content: [{ text: "There are 3 files." }] }])
    expect(parentsOf(events, "turn.start")).toEqual([null, "call_1_1", "call_1_1", null])
    expect(parentsOf(events, "tool.call")).toEqual([null, "call_1_1"])
    expect(parentsOf(events, "message")).toEqual([null, null, "call_1_1", "call_1_1", "call_1_1", null])
    expect(report.calls.map(({ tool }) => tool)).toEqual(["Agent", "Glob"])
  })

  it("S4.20 has only the tools it was given, and none that its parent does not have", async () => {
    const turns = [
      delegate({ tools: ["Read"] }),
      {
        calls: [
          { tool: "Write", input: { file_path: "a", content: "" } },
          { tool: "Agent", input: { task: "more" } },
        ],
      },
      { text: "I have no Write." },
      { text: "done" },
    ]
    const narrow = await runWatched(turns, { allow: ["Agent", "Write"] })
    expect(toolsIn(narrow.requests[1])).toEqual(["Read"])
    expect(narrow.report.calls.map(({ error_code }) => error_code)).toEqual([null, "unknown_tool", "unknown_tool"])

    for (const tools of [["Read", "mcp__x__y"], ["Agent"], ["Bash"]]) {
      const wide = await runWatched([delegate({ tools }), { text: "done" }], {
        deny: ["Bash"],
        set: [...on, "expect.some_call_succeeds=false"],
      })
      expect(wide.requests).toHaveLength(2)
      expect(wide.report.calls).toMatchObject([{ error_code: "invalid_input" }])
    }
  })

  it("S4.20 cannot start others behind a custom tool over Agent", async () => {
    const custom = 'tools.custom=[{ name = "helper", description = "x", uses = "Agent", fixed = { tools = ["Read"] } }]'
    const turns = [
      { calls: [{ tool: "helper", input: { task: "Read it" } }] },
      { text: "read" },
      delegate({}),
      { text: "nothing" },
      { text: "done" },
    ]
    const { requests, report } = await runWatched(turns, { set: [...on, custom], allow: ["Agent", "helper"] })
    expect(report.exit_code).toBe(0)
    expect(toolsIn(requests[0])).toContain("helper")
    expect(toolsIn(requests[1])).toEqual(["Read"])
    expect(toolsIn(requests[3])).not.toContain("helper")
  })

  it("S4.20 is held by the rules of its parent, and a denial that must end the run ends it", async () => {
    const write = { tool: "Write", input: { file_path: "a", content: "" } }
    const turns = [delegate({}), { calls: [write] }, { text: "It was denied." }, { text: "done" }]
    const denied = await runWatched(turns)
    expect(denied.report).toMatchObject({ exit_code: 0, denied: 1 })
    const late = defineTool({ name: "late", description: "", inputSchema: {}, execute: async () => "ran" })
    const [first] = turns
    const both = { calls: [...(first && "calls" in first ? (first.calls ?? []) : []), { tool: "late", input: {} }] }
    const failed = await runWatched([both, { calls: [write] }], {
      allow: ["Agent", "late"],
      tools: [late],
      set: [...on, 'permissions.on_denied="fail"'],
    })
    expect(failed.report).toMatchObject({ exit_code: 7, reason: { code: "call_denied" }, turns: 2 })
    expect(failed.report.calls.map(({ tool, error_code }) => [tool, error_code])).toEqual([
      ["Agent", "tool_error"],
      ["Write", "denied"],
      ["late", "not_run"],
    ])
  })

  it("S4.20 spends what is left of its parent's turns, tokens and cost, and all of it is counted", async () => {
    const spent = { usage: { input_tokens: 10, output_tokens: 10 }, cost_usd: 0.1 }
    const look = { calls: [{ tool: "Glob", input: { pattern: "*" } }], ...spent }
    const work = [{ ...delegate({}), ...spent }, look, look, look, look, look, look]
    const turns = await runWatched(work, { maxTurns: 3 })
    expect(turns.report).toMatchObject({ exit_code: 4, reason: { code: "max_turns" }, turns: 3, cost_usd: 0.4 })
    expect(eventsOf(turns.events, "limit")).toHaveLength(1)
    expect(eventsOf(turns.events, "turn.start").at(-1)).toMatchObject({ kind: "summary" })

    const cost = await runWatched(work, { maxCostUsd: 0.55 })
    expect(cost.report.reason?.code).toBe("max_cost")
    expect(cost.report.cost_usd).toBeLessThanOrEqual(0.55)
    const tokens = await runWatched(work, { maxTokens: 100 })
    expect(tokens.report.reason?.code).toBe("max_tokens")
    expect(tokens.report.usage.input_tokens + tokens.report.usage.output_tokens).toBeLessThanOrEqual(100)
  })

  it("S4.20 that gives no answer is a failed call, and the parent goes on", async () => {
    const turns = [delegate({}), { stop_reason: "refusal", text: "No." }, { text: "done without it" }]
    const { report, events } = await runWatched(turns, { set: [...on, "expect.some_call_succeeds=false"] })
    expect(report).toMatchObject({ exit_code: 0, calls: [{ ok: false, error_code: "tool_error" }] })
    const [result] = eventsOf(events, "tool.result")
    expect(result?.content).toEqual([
      { type: "text", text: "The sub-agent did not finish: the model refused\nWhat it said so far:\nNo." },
    ])
  })
})
