import { describe, expect, it } from "vitest"
import type { Model, ModelAnswer, ModelRequest } from "../../src/contract/model.ts"
import { runInProcess } from "../support/run-in-process.ts"

const look = { tool: "Glob", input: { pattern: "*" } }

describe("how the model stops", () => {
  it.each([
    [
      "F15 text cut at the output limit is not success",
      { text: "half", stop_reason: "max_tokens" },
      "model_truncated",
      "half",
    ],
    [
      "F18 a refusal ends the run with its category",
      { stop_reason: "refusal", stop_details: "cyber" },
      "model_refused",
      null,
    ],
    [
      "F21 an unknown stop reason ends the run and is named",
      { text: "?", stop_reason: "tired" },
      "unknown_stop_reason",
      "?",
    ],
  ])("%s", async (_name, turn, code, answer) => {
    const { report } = await runInProcess({ turns: [turn] })
    expect(report).toMatchObject({ status: "failed", exit_code: 6, reason: { code }, answer })
    expect(report.reason?.message).toMatch(/cut off|cyber|tired/)
  })

  it("F14 a call cut off by the output limit is never run; it is asked again once with a higher limit", async () => {
    const cut = { calls: [look], stop_reason: "max_tokens" }
    const mended = await runInProcess({ turns: [cut, { calls: [look] }, { text: "done" }] })
    expect(mended.report).toMatchObject({ exit_code: 0, turns: 3 })
    expect(mended.report.calls).toHaveLength(1)
    const again = await runInProcess({ turns: [cut, cut] })
    expect(again.report).toMatchObject({ exit_code: 6, reason: { code: "model_truncated" }, calls: [] })
  })

  it("F14 the second try has twice the output limit", async () => {
    const limits: number[] = []
    const model = replying((request) => {
      limits.push(request.maxOutputTokens)
      return { content: [{ type: "tool_use", id: "a", name: "Glob", input: {} }], stopReason: "max_tokens" }
    })
    await runInProcess({ model, set: ["agent.max_output_tokens=100"] })
    expect(limits).toEqual([100, 200])
  })

  it("F19 pause_turn goes on with the same conversation, at most ten times", async () => {
    const pause = { text: "thinking", stop_reason: "pause_turn" }
    const done = await runInProcess({ turns: [...Array(10).fill(pause), { text: "done", expect: { messages: 11 } }] })
    expect(done.report).toMatchObject({ exit_code: 0, answer: "done" })
    const never = await runInProcess({ turns: Array(12).fill(pause) })
    expect(never.report).toMatchObject({ exit_code: 6, reason: { code: "model_empty" }, turns: 11 })
  })

  it("F20 an empty end is nudged once, then it is a failure", async () => {
    const nudged = await runInProcess({
      turns: [{}, { text: "here", expect: { last_message_contains: "without an answer" } }],
    })
    expect(nudged.report).toMatchObject({ exit_code: 0, answer: "here" })
    const empty = await runInProcess({ turns: [{}, { text: "  " }] })
    expect(empty.report).toMatchObject({ exit_code: 6, reason: { code: "model_empty" }, answer: null })
  })

  it("F16 a conversation that no longer fits is compacted once, and the same request is never sent again", async () => {
    const sent: string[] = []
    const model = replying((request) => {
      const conversation = JSON.stringify(request.messages)
      expect(sent).not.toContain(conversation)
      sent.push(conversation)
      if (sent.length <= 6)
        return {
          content: [{ type: "tool_use", id: `c${sent.length}`, name: "Glob", input: { pattern: `${sent.length}*` } }],
          stopReason: "tool_use",
        }
      return overflow
    })
    const { report } = await runInProcess({ model })
    expect(report).toMatchObject({ exit_code: 6, reason: { code: "context_overflow" } })
    expect(sent).toHaveLength(8)
    expect(sent[7]).toContain("removed to make room")
    expect(sent[7]?.length).toBeGreaterThan(0)
  })

  it("S2.18 a tool failure goes back to the model, which can react", async () => {
    const turns = [
      { calls: [{ tool: "Read", input: { file_path: "missing.txt" } }] },
      { text: "I look first", calls: [look], expect: { last_result_is_error: true } },
      { text: "there is no such file" },
    ]
    const { report } = await runInProcess({ turns })
    expect(report).toMatchObject({ exit_code: 0, answer: "there is no such file" })
    expect(report.calls.map((call) => call.ok)).toEqual([false, true])
  })

  it("a run whose every call failed is not green, unless that is expected", async () => {
    const turns = [{ calls: [{ tool: "Read", input: { file_path: "missing.txt" } }] }, { text: "all good!" }]
    const red = await runInProcess({ turns })
    expect(red.report).toMatchObject({ exit_code: 8, reason: { code: "no_call_succeeded" }, answer: "all good!" })
    expect(red.report.reason?.message).toContain("0 of 1 calls succeeded (Read: tool_error)")
    const allowed = await runInProcess({ turns, set: ["expect.some_call_succeeds=false"] })
    expect(allowed.report).toMatchObject({ exit_code: 0 })
  })
})

const overflow: ModelAnswer = {
  kind: "failure",
  code: "context_overflow",
  message: "prompt is too long",
  hint: null,
  partialText: null,
}

type Reply = Pick<ModelAnswer & { kind: "reply" }, "content" | "stopReason">

/** A model made of a function, for what a script cannot say. */
function replying(answer: (request: ModelRequest) => Reply | ModelAnswer): Model {
  const usage = { inputTokens: 1, outputTokens: 1, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 }
  return {
    id: "function",
    priced: true,
    async ask(request) {
      const given = answer(request)
      if ("kind" in given) return given
      return { kind: "reply", model: "function", stopDetails: null, usage, costUsd: 0, ...given }
    },
  }
}
