import type { Report } from "../contract/report.ts"
import { toCodeSpan } from "./escape.ts"
import { formatCount } from "./format.ts"
import { renderTable } from "./markdown-table.ts"

/** What a person was asked, or still is, with everything needed to answer. */
export function renderApprovals(report: Report): string {
  const rows = report.approvals.map((approval) => [
    toCodeSpan(approval.id),
    toCodeSpan(approval.tool),
    toCodeSpan(JSON.stringify(approval.input) ?? "", 1000),
    `${toCodeSpan(approval.decision.rule, 200)} in ${toCodeSpan(approval.decision.source)}`,
    approval.state === "pending" ? "**pending**" : approval.state,
    approval.reason === null ? "" : toCodeSpan(approval.reason, 500),
  ])
  const head = ["id", "tool", "input", "asked because of", "state", "reason"]
  return renderTable(`Approvals (${formatCount(report.approvals.length)})`, head, rows)
}
