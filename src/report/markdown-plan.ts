import type { PlanCall } from "../contract/plan.ts"
import type { Report } from "../contract/report.ts"
import { toCodeSpan, toFence } from "./escape.ts"
import { formatCount } from "./format.ts"
import { renderTable } from "./markdown-table.ts"

const maxDiffs = 20
const maxDiffChars = 40_000

/** The plan of a run as a table to review, with the diffs of its edits below. */
export function renderPlan(report: Report): string {
  if (report.plan.length === 0) return ""
  const rows = report.plan.map((call) => [
    call.id,
    toCodeSpan(call.tool),
    whatOf(call),
    `${call.decision.action}: ${toCodeSpan(call.decision.rule, 200)}`,
    call.reason === null ? "" : toCodeSpan(call.reason, 500),
  ])
  const title = `Plan (${formatCount(report.plan.length)}): nothing of this has run`
  const table = renderTable(title, ["id", "tool", "what", "decided", "why"], rows)
  return [table, ...renderDiffs(report.plan)].join("\n\n")
}

function whatOf({ edit, input }: PlanCall): string {
  if (edit === null) return toCodeSpan(JSON.stringify(input) ?? "", 500)
  const lines = edit.diff.split("\n").slice(2)
  const count = (sign: string) => formatCount(lines.filter((line) => line.startsWith(sign)).length)
  return `${toCodeSpan(edit.path)} +${count("+")} −${count("-")}`
}

function renderDiffs(calls: readonly PlanCall[]): readonly string[] {
  const sections: string[] = []
  let chars = 0
  for (const { id, edit } of calls) {
    if (edit === null || edit.diff === "") continue
    chars += edit.diff.length
    if (sections.length >= maxDiffs || chars > maxDiffChars) return [...sections, "More diffs are in the plan."]
    sections.push(`${id}\n\n${toFence(edit.diff, maxDiffChars, "diff")}`)
  }
  return sections
}
