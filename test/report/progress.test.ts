import { describe, expect, it } from "vitest"
import { foldReport } from "../../src/report/fold.ts"
import { createProgress, type ProgressOptions } from "../../src/report/progress.ts"
import { renderRunEnd } from "../../src/report/run-end.ts"
import { emitted, runEnd } from "../support/run-events.ts"
import { sampleRun } from "../support/sample-run.ts"

function progressOf(options: ProgressOptions): readonly string[] {
  return emitted(sampleRun).flatMap(createProgress(options))
}

const stderrOfServer = ["  hint: Install it.", "  stderr | line 1", "  stderr | line 2"]

describe("progress for people", () => {
  it("S4.18 is one line for a server, a turn with the cost so far, a call, a warning", () => {
    expect(progressOf({ verbosity: "normal", color: false })).toEqual([
      "agent-run 1.0.0: m works on /work",
      "warning dead_rule: rule mcp__x__* matches no tool",
      "server off: disabled: enabled = false",
      "server fs: connected, 12 tools, 3 resources, 340 ms",
      "server gh: failed: spawn gh-mcp ENOENT",
      ...stderrOfServer,
      "retry model: attempt 2 in 500 ms: 529 overloaded",
      "turn 1: 400 tokens in (75 % from cache), 20 out, $0.0123 so far",
      "call Read: allow, ok, 12 ms",
      "call mcp__fs__write: denied by mcp__fs__* (agent.toml:14)",
      "call made_up: failed (unknown_tool), 0 ms: no such tool",
      "call mcp__fs__slow: allow, failed (timeout), 1 m 00 s: no answer in 60 s",
      "finding warning src/a.ts:7: a is never read",
      "turn 1: 400 tokens in (75 % from cache), 20 out, $0.0246 so far",
      "limit max_turns: 2 of 2",
    ])
  })

  it("S4.18 is only trouble when quiet", () => {
    expect(progressOf({ verbosity: "quiet", color: false })).toEqual([
      "warning dead_rule: rule mcp__x__* matches no tool",
      "server gh: failed: spawn gh-mcp ENOENT",
      ...stderrOfServer,
      "limit max_turns: 2 of 2",
    ])
  })

  it("shows turns, inputs and what the model said when verbose", () => {
    const lines = progressOf({ verbosity: "verbose", color: false })
    expect(lines).toEqual(
      expect.arrayContaining([
        "server fs: connecting (stdio)",
        "turn 1",
        "  | Reading.",
        "turn 1: tool_use, 400 tokens in (75 % from cache), 20 out, $0.0123",
        "asks Read {}",
        "turn 3 (summary)",
        "server fs: closed",
      ]),
    )
  })

  it("shows what servers log, ask and report when verbose, and nothing of it otherwise", () => {
    const usage = { input_tokens: 10, output_tokens: 2, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }
    const asked = { server: "fs", request: {}, response: null } as const
    const free = { model: null, usage: null, cost_usd: null }
    const call = { type: "tool.progress", call_id: "c", tool: "mcp__fs__copy", server: "fs" } as const
    const events = emitted([
      { type: "server.log", server: "fs", level: "warning", logger: "db", text: "slow\nquery" },
      { type: "server.request", ...asked, method: "roots/list", outcome: "refused", detail: "roots = false", ...free },
      {
        type: "server.request",
        ...asked,
        method: "sampling/createMessage",
        outcome: "answered",
        detail: null,
        model: "m",
        usage,
        cost_usd: 0.5,
      },
      { ...call, progress: 1, total: 4, message: "copying" },
      { ...call, progress: 2, total: null, message: null },
    ])
    expect(events.flatMap(createProgress({ verbosity: "normal", color: false }))).toEqual([])
    expect(events.flatMap(createProgress({ verbosity: "verbose", color: false }))).toEqual([
      "server fs db warning: slow query",
      "server fs asks roots/list: refused, roots = false",
      "server fs asks sampling/createMessage: answered, 10 tokens in, 2 out, $0.5000",
      "call mcp__fs__copy: progress 1 of 4, copying",
      "call mcp__fs__copy: progress 2",
    ])
    expect(foldReport(events)).toMatchObject({ usage, cost_usd: 0.5 })
  })

  it("has colours only when asked, and the same words", () => {
    const plain = progressOf({ verbosity: "verbose", color: false })
    const colored = progressOf({ verbosity: "verbose", color: true })
    expect(plain.join()).not.toContain("\x1b")
    expect(colored.join()).toContain("\x1b[32mok\x1b[0m")
    expect(colored.map((line) => line.replaceAll(/\x1b\[\d+m/g, ""))).toEqual(plain)
  })
})

describe("the end on stderr", () => {
  it("names denied, failed and unknown calls and failed servers even when the run is green", () => {
    expect(renderRunEnd(foldReport(emitted(sampleRun)), { verbosity: "normal", color: false })).toEqual([
      "completed (exit 0)",
      "  denied: mcp__fs__write, by mcp__fs__* (agent.toml:14)",
      "  failed: mcp__fs__slow: timeout",
      "  unknown tool: made_up",
      "  server gh: failed: spawn gh-mcp ENOENT",
      "  2 turns, 4 calls, 800 tokens in (75 % from cache), 40 out, $0.0246, 1.5 s",
      "  1 file changed:",
      "    docs/a.md +3 -1",
    ])
  })

  it("says why a run failed, what to do, what did not hold, and what there is of an answer", () => {
    const reason = {
      code: "no_call_succeeded",
      message: "tools were called and none succeeded",
      hint: "Look at the rules.",
    } as const
    const expectations = [{ name: "some_call_succeeds", ok: false, message: "0 of 3" }]
    const end = runEnd({ status: "failed", exit_code: 8, reason, answer: "one\ntwo", expectations })
    expect(renderRunEnd(foldReport(emitted([end])), { verbosity: "quiet", color: false })).toEqual([
      "failed (exit 8): no_call_succeeded: tools were called and none succeeded",
      "  hint: Look at the rules.",
      "  expectation some_call_succeeds: 0 of 3",
      "  partial answer:",
      "  | one",
      "  | two",
    ])
  })

  it("is silent in quiet mode when there is nothing to say", () => {
    expect(renderRunEnd(foldReport(emitted([runEnd()])), { verbosity: "quiet", color: false })).toEqual([])
  })
})
