import { describe, expect, it } from "vitest"
import { renderStepSummary } from "../../src/action/summary.ts"
import { foldReport } from "../../src/report/fold.ts"
import { renderSummary } from "../../src/report/markdown.ts"
import { emitted, runEnd, runStart } from "../support/run-events.ts"

describe("the step summary", () => {
  const report = foldReport(emitted([runStart(), runEnd({ answer: "ä".repeat(500_000) })]))

  it("is the summary of the run, and never more than 900 KiB", () => {
    const summary = renderStepSummary(report)
    expect(summary).toBe(renderSummary(report))
    expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(900 * 1024)
  })

  it("is cut at the end of a line when it is longer than allowed", () => {
    const cut = renderStepSummary(report, 200)
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(200)
    expect(renderSummary(report).startsWith(cut)).toBe(true)
    expect(cut.endsWith("\n")).toBe(true)
  })
})
