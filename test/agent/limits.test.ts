import { describe, expect, it } from "vitest"
import { defineTool } from "../../src/tools/define-tool.ts"
import { eventsOf, runInProcess } from "../support/run-in-process.ts"

const look = (pattern = "*") => ({ tool: "Glob", input: { pattern } })
const spent = { usage: { input_tokens: 800, output_tokens: 200 }, cost_usd: 0.1 }

describe("limits", () => {
  it("an answer in the last allowed turn is completed", async () => {
    const { report } = await runInProcess({ turns: [{ calls: [look()] }, { text: "done" }], maxTurns: 2 })
    expect(report).toMatchObject({ status: "completed", exit_code: 0, turns: 2 })
  })

  it("F79 max_turns: calls of the last turn are not run, one more request asks for a summary", async () => {
    const { report, events } = await runInProcess({
      turns: [
        { calls: [look()] },
        { calls: [look("a"), look("b")] },
        { text: "half is done", expect: { last_result_is_error: true } },
      ],
      maxTurns: 2,
    })
    expect(report).toMatchObject({
      status: "stopped",
      exit_code: 4,
      reason: { code: "max_turns" },
      answer: "half is done",
      turns: 2,
    })
    expect(report.calls.map((call) => call.error_code)).toEqual([null, "not_run", "not_run"])
    expect(eventsOf(events, "turn.start").map((event) => event.kind)).toEqual(["work", "work", "summary"])
    expect(eventsOf(events, "limit")).toMatchObject([{ limit: "max_turns", allowed: 2, used: 2 }])
  })

  it("F79 max_cost_usd: the summary is asked for only while it fits", async () => {
    const turns = [
      { calls: [look()], ...spent },
      { text: "so far", ...spent },
    ]
    const near = await runInProcess({ turns, maxCostUsd: 0.25 })
    expect(near.report).toMatchObject({ exit_code: 4, reason: { code: "max_cost" }, answer: "so far", cost_usd: 0.2 })
    const spentAll = await runInProcess({ turns, maxCostUsd: 0.15 })
    expect(spentAll.report).toMatchObject({ exit_code: 4, reason: { code: "max_cost" }, answer: null, cost_usd: 0.1 })
  })

  it("F79 max_tokens counts input with cache and output", async () => {
    const usage = {
      input_tokens: 100,
      cache_read_input_tokens: 400,
      cache_creation_input_tokens: 300,
      output_tokens: 200,
    }
    const turns = [
      { calls: [look()], usage },
      { text: "so far", usage },
    ]
    const { report, events } = await runInProcess({ turns, maxTokens: 3000 })
    expect(report).toMatchObject({ exit_code: 0, answer: "so far" })
    const stopped = await runInProcess({ turns, maxTokens: 2999 })
    expect(stopped.report).toMatchObject({ exit_code: 4, reason: { code: "max_tokens" } })
    expect(eventsOf(events, "limit")).toEqual([])
  })

  it("F79 timeout ends a hanging call, and the call is answered", async () => {
    const hang = defineTool({
      name: "hang",
      description: "hang",
      inputSchema: { type: "object" },
      execute: (_input, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("cancelled")))),
    })
    const { report } = await runInProcess({
      turns: [{ calls: [{ tool: "hang", input: {} }] }],
      tools: [hang],
      allow: ["hang"],
      timeoutMs: 300,
    })
    expect(report).toMatchObject({ status: "stopped", exit_code: 4, reason: { code: "timeout" } })
    expect(report.calls).toMatchObject([{ tool: "hang", ok: false }])
  })

  it("F79 max_denials ends the run once more calls than that are denied", async () => {
    const denied = { tool: "Bash", input: { command: "ls" } }
    const turns = [{ calls: [denied, denied, denied] }, { text: "could not" }]
    const { report } = await runInProcess({ turns, maxDenials: 1 })
    expect(report).toMatchObject({ exit_code: 4, reason: { code: "max_denials" }, denied: 2, answer: "could not" })
    expect(report.calls.map((call) => call.error_code)).toEqual(["denied", "denied", "not_run"])
  })

  it("on_denied = fail ends the run at the first denied call with exit 7", async () => {
    const turns = [{ calls: [{ tool: "Bash", input: { command: "ls" } }, look()] }]
    const { report } = await runInProcess({ turns, set: ['permissions.on_denied="fail"'] })
    expect(report).toMatchObject({ status: "stopped", exit_code: 7, reason: { code: "call_denied" } })
    expect(report.calls.map((call) => call.error_code)).toEqual(["denied", "not_run"])
  })

  it("F59 a model that goes in circles is told, and then the run ends", async () => {
    const turns = Array.from({ length: 25 }, (_, index) => ({
      calls: [look()],
      ...(index === 5 ? { expect: { last_message_contains: "same calls with the same results 5 times" } } : {}),
    }))
    const { report } = await runInProcess({ turns })
    expect(report).toMatchObject({ exit_code: 4, reason: { code: "repeated_call" } })
    expect(report.calls).toHaveLength(20)
  })

  it("a cost limit for a model without a known price is refused before anything is asked", async () => {
    const model = { id: "local-model", priced: false, ask: () => Promise.reject(new Error("asked")) }
    const { report } = await runInProcess({ model, maxCostUsd: 1 })
    expect(report).toMatchObject({ exit_code: 2, reason: { code: "unknown_price" } })
    expect(report.reason?.hint).toContain('agent.prices."local-model"')
  })
})
