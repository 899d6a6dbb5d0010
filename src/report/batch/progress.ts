import type { BatchReport, BatchTask } from "../../contract/batch.ts"
import { formatDuration } from "../../util/duration.ts"
import { toLogLine } from "../escape.ts"
import { formatCost, formatCount, formatQuantity } from "../format.ts"
import { describeCounts, describePart } from "./counts.ts"

/** Tells people how a batch gets on: a line for each task, with how far the whole is and how long it will take. */
export interface BatchProgress {
  begin(batch: { readonly tasks: number; readonly list: number; readonly concurrency: number }): string
  task(task: BatchTask): string
  /** How it is going, when for long no task ended. */
  waiting(): string
  end(report: BatchReport): readonly string[]
}

/** The progress of one batch; `clock` is in milliseconds and never jumps. */
export function createBatchProgress(clock: () => number): BatchProgress {
  const begunAt = clock()
  let total = 0
  let done = 0
  let reused = 0
  let failed = 0
  let costUsd: number | null = 0

  function timeLeft(): string {
    const ran = done - reused
    if (done === total) return ""
    if (ran === 0) return ", time left unknown"
    return `, about ${formatDuration(((clock() - begunAt) / ran) * (total - done))} left`
  }

  function state(): string {
    const failures = failed === 0 ? "" : `, ${formatCount(failed)} failed`
    return `${formatCount(done)}/${formatCount(total)}${failures}, ${formatCost(costUsd)}${timeLeft()}`
  }

  return {
    begin({ tasks, list, concurrency }) {
      total = tasks
      const part = tasks === list ? "" : ` of ${formatCount(list)}`
      return `batch: ${formatQuantity(tasks, "task")}${part}, ${formatCount(concurrency)} at a time`
    },
    task(task) {
      done += 1
      if (task.reused) reused += 1
      if (task.status === "failed" || task.status === "stopped") failed += 1
      costUsd = costUsd === null || task.cost_usd === null ? null : costUsd + task.cost_usd
      const why = task.reason === null ? "" : ` (${task.reason.code}: ${toLogLine(task.reason.message, 160)})`
      const how = task.reused ? `${task.status} before` : `${task.status}${why}`
      return `[${state()}] ${task.id}: ${how}, ${formatCost(task.cost_usd)}, ${formatDuration(task.duration_ms)}`
    },
    waiting: () => `[${state()}] still running`,
    end(report) {
      const { status, exit_code, reason, batch } = report
      const cost = `${formatCost(report.cost_usd)}, ${formatDuration(batch.duration_ms)}`
      return [
        `batch ${status} (exit ${exit_code})${reason === null ? "" : `: ${reason.code}: ${toLogLine(reason.message, 1000)}`}`,
        ...(reason?.hint ? [`  ${toLogLine(reason.hint, 500)}`] : []),
        `  ${describeCounts(report)}, ${cost}`,
        `  ${toLogLine(describePart(report))}`,
      ]
    },
  }
}
