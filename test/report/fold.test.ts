import { describe, expect, it } from "vitest"
import { createReportFold, foldReport } from "../../src/report/fold.ts"
import { emitted, expectValidReport, reply, runEnd, runStart, toolCall, toolResult } from "../support/run-events.ts"
import { sampleRun } from "../support/sample-run.ts"

const allowed = { action: "allow", rule: "Read", source: "agent.toml:4" }

describe("the report", () => {
  it("C3, S1.8 holds what the events of a run say, and nothing else", () => {
    const report = foldReport(emitted(sampleRun))
    expectValidReport(report)
    const none = { tools: 0, resources: 0, prompts: 0, connect_ms: null }
    expect(report).toEqual({
      schema_version: 1,
      status: "completed",
      exit_code: 0,
      reason: null,
      answer: "Done.",
      structured: null,
      run: {
        id: "r1",
        started_at: "2026-11-18T10:00:00.000Z",
        duration_ms: 1500,
        version: "1.0.0",
        model: "m",
        workspace: "/work",
        config_sources: ["agent.toml"],
        sandbox: "off",
      },
      turns: 2,
      usage: { input_tokens: 200, output_tokens: 40, cache_read_input_tokens: 600, cache_creation_input_tokens: 0 },
      cost_usd: 0.0246,
      servers: [
        { name: "off", transport: "http", state: "disabled", ...none, error: "enabled = false" },
        {
          name: "fs",
          transport: "stdio",
          state: "connected",
          tools: 12,
          resources: 3,
          prompts: 0,
          connect_ms: 340,
          error: null,
        },
        { name: "gh", transport: "stdio", state: "failed", ...none, error: "spawn gh-mcp ENOENT" },
      ],
      tools: { offered: 9, deferred: 0, loaded: 0 },
      calls: [
        {
          id: "c1",
          turn: 1,
          tool: "Read",
          server: null,
          decision: allowed,
          ok: true,
          duration_ms: 12,
          error_code: null,
        },
        {
          id: "c2",
          turn: 1,
          tool: "mcp__fs__write",
          server: "fs",
          decision: { action: "deny", rule: "mcp__fs__*", source: "agent.toml:14" },
          ok: false,
          duration_ms: 0,
          error_code: "denied",
        },
        {
          id: "c3",
          turn: 1,
          tool: "mcp__fs__slow",
          server: "fs",
          decision: allowed,
          ok: false,
          duration_ms: 60_000,
          error_code: "timeout",
        },
        {
          id: "c4",
          turn: 1,
          tool: "made_up",
          server: null,
          decision: null,
          ok: false,
          duration_ms: 0,
          error_code: "unknown_tool",
        },
      ],
      denied: 1,
      files_changed: [{ path: "docs/a.md", added: 3, removed: 1 }],
      plan: [],
      findings: [{ file: "src/a.ts", line: 7, level: "warning", rule: "unused", message: "a is never read" }],
      approvals: [],
      expectations: [],
      retries: 1,
      redactions: 0,
      warnings: [{ code: "dead_rule", message: "rule mcp__x__* matches no tool" }],
    })
  })

  it("C3 is valid at every moment of a run, and says failed until the run said otherwise", () => {
    const fold = createReportFold()
    expectValidReport(fold.report())
    for (const event of emitted(sampleRun.slice(0, -1))) {
      fold.write(event)
      expectValidReport(fold.report())
      expect(fold.report()).toMatchObject({ status: "failed", exit_code: 1, reason: { code: "internal_error" } })
    }
  })

  it("counts a call without a result as aborted, and the time until the last event", () => {
    const report = foldReport(emitted([runStart(), toolCall("c1")]))
    expect(report.calls).toMatchObject([{ id: "c1", ok: false, error_code: "aborted" }])
    expect(report.run.duration_ms).toBe(1000)
  })

  it("knows no cost as soon as one reply has none, and no cost at all is zero", () => {
    const costOf = (...bodies: Parameters<typeof emitted>[0]) =>
      foldReport(emitted([runStart(), ...bodies, runEnd()])).cost_usd
    expect(costOf()).toBe(0)
    expect(costOf(reply("a"), reply("b", { cost_usd: null }), reply("c"))).toBeNull()
    expect(costOf(reply("a", { usage: null, cost_usd: null }), reply("b"))).toBe(0.0123)
    expect(costOf(reply("a", { cost_usd: 0.1 }), reply("b", { cost_usd: 0.2 }))).toBe(0.3)
  })

  it("tells a server that was lost from one that was closed at the end", () => {
    const server = { server: "s", transport: "http" } as const
    const [connecting] = [{ type: "server.connecting", ...server, state: "pending" } as const]
    const offers = { tools: 1, resources: 0, prompts: 0, connect_ms: 5, protocol_version: null }
    const connected = { type: "server.connected", ...server, state: "connected", ...offers } as const
    const lost = { type: "server.disconnected", ...server, state: "failed", reason: "lost", detail: "gone" } as const
    const closed = {
      type: "server.disconnected",
      ...server,
      state: "pending",
      reason: "run_end",
      detail: null,
    } as const
    const stateAfter = (...bodies: Parameters<typeof emitted>[0]) => {
      const [found] = foldReport(emitted(bodies)).servers
      return [found?.state, found?.error]
    }
    expect(stateAfter(connecting, connected, closed)).toEqual(["connected", null])
    expect(stateAfter(connecting, connected, lost, closed)).toEqual(["failed", "gone"])
    expect(stateAfter(connecting, connected, lost, connecting, connected)).toEqual(["connected", null])
  })

  it("takes a run of 100,000 events", () => {
    const fold = createReportFold()
    const [call, result] = emitted([toolCall("c"), toolResult("c")])
    for (let index = 0; index < 50_000; index += 1) {
      if (call?.type === "tool.call") fold.write({ ...call, call_id: `c${index}` })
      if (result?.type === "tool.result") fold.write({ ...result, call_id: `c${index}` })
    }
    const { calls } = fold.report()
    expect(calls).toHaveLength(50_000)
    expect(calls.every(({ ok }) => ok)).toBe(true)
  })
})
