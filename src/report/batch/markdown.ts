import type { BatchReport } from "../../contract/batch.ts"
import { formatDuration } from "../../util/duration.ts"
import { toCodeSpan } from "../escape.ts"
import { formatCost, formatUsage } from "../format.ts"
import { renderHeadline } from "../markdown.ts"
import { renderList, renderTable } from "../markdown-table.ts"
import { describeCounts, describePart, troubleFirst } from "./counts.ts"

/** A summary of a batch for a step summary: how it ended, what it cost, and the tasks, those with trouble first. */
export function renderBatchSummary(report: BatchReport): string {
  const { batch, usage, cost_usd: costUsd } = report
  const facts = [describeCounts(report), formatUsage(usage), formatCost(costUsd), formatDuration(batch.duration_ms)]
  const rows = troubleFirst(report.tasks).map((task) => [
    toCodeSpan(task.id),
    task.status,
    String(task.exit_code),
    task.reason === null ? "" : toCodeSpan(`${task.reason.code}: ${task.reason.message}`, 200),
    formatCost(task.cost_usd),
    formatDuration(task.duration_ms),
  ])
  const sections = [
    renderHeadline(report),
    `${facts.join(" · ")}\n\n${toCodeSpan(describePart(report))}`,
    renderList(
      "Missing or twice",
      report.problems.map(({ message }) => `- ${toCodeSpan(message, 500)}`),
    ),
    renderTable("Tasks", ["task", "status", "exit", "reason", "cost", "duration"], rows),
    renderList(
      "Not run",
      report.not_run.map(({ id }) => `- ${toCodeSpan(id)}`),
    ),
  ]
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`
}
