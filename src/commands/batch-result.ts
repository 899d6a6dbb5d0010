import type { BatchReport } from "../contract/batch.ts"
import { formatCost } from "../report/format.ts"
import { toJsonReport } from "../report/json.ts"
import { formatDuration } from "../util/duration.ts"
import { renderTable } from "./table.ts"

/** What stdout carries for a batch: a row for each task, or the report. */
export function toBatchResult(report: BatchReport, output: string): string {
  if (output === "json") return toJsonReport(report)
  if (report.tasks.length === 0) return ""
  const rows = report.tasks.map((task) => [
    task.id,
    task.status,
    String(task.exit_code),
    task.reason?.code ?? "",
    formatCost(task.cost_usd),
    formatDuration(task.duration_ms),
  ])
  return renderTable(["task", "status", "exit", "reason", "cost", "duration"], rows, "")
}
