import { expect, it } from "vitest"
import { foldReport } from "../../src/report/fold.ts"
import { renderSummary } from "../../src/report/markdown.ts"
import { renderRunEnd } from "../../src/report/run-end.ts"
import { emitted, runEnd, runStart, toolCall } from "../support/run-events.ts"

const decision = { action: "ask", rule: "ask Send", source: "agent.toml:9" } as const
const identity = (id: string) => ({ turn: 1, call_id: id, tool: "Send", server: null })
const request = (id: string, input: object) => ({ type: "approval.request", ...identity(id), input, decision }) as const

it("S1.7 a paused run shows each request with tool, input, rule and state, and nothing in it is read as markup", () => {
  const events = emitted([
    runStart(),
    toolCall("a", { tool: "Send", decision }),
    request("a", { to: "all | <img src=x> ::error::" }),
    request("b", { to: "me" }),
    { type: "approval.answer", ...identity("b"), approved: false, answer: "No, denied.", reason: "late", by: "option" },
    runEnd({ status: "paused", exit_code: 3, answer: null }),
  ])
  const report = foldReport(events)
  expect(report.calls).toMatchObject([{ id: "a", ok: false, error_code: "not_run" }])
  const summary = renderSummary(report)
  expect(summary).toContain(
    [
      "#### Approvals (2)",
      "",
      "| id | tool | input | asked because of | state | reason |",
      "| --- | --- | --- | --- | --- | --- |",
      '| `a` | `Send` | `{"to":"all ¦ <img src=x> ::error::"}` | `ask Send` in `agent.toml:9` | **pending** |  |',
      '| `b` | `Send` | `{"to":"me"}` | `ask Send` in `agent.toml:9` | rejected | `late` |',
    ].join("\n"),
  )
  const lines = renderRunEnd(report, { verbosity: "normal", color: false })
  expect(lines).toContain("  waits for approval: a Send")
  expect(lines.join("\n")).not.toContain("failed: Send")
})
