import type { BatchReport, BatchTask, MergeProblem, Shard, TaskPlace } from "../contract/batch.ts"
import type { Reason } from "../contract/reason.ts"
import { reasons } from "../contract/reason.ts"
import type { Report } from "../contract/report.ts"

/** Everything that a batch report is made from. */
export interface BatchParts {
  readonly startedAt: string
  readonly durationMs: number
  readonly version: string
  readonly list: BatchReport["batch"]["list"]
  readonly shard: Shard | null
  readonly merged: number
  readonly tasks: readonly BatchTask[]
  readonly notRun: readonly TaskPlace[]
  readonly problems: readonly MergeProblem[]
  /** What ended the batch before its tasks were through. */
  readonly stopped: Reason | null
}

/** The report of a batch: rows in the order of the file of tasks, so that sums are the same however it was split. */
export function foldBatch(parts: BatchParts): BatchReport {
  const tasks = [...parts.tasks].sort(byPosition)
  const reason = parts.stopped ?? reasonOf(tasks, parts.problems)
  return {
    schema_version: 1,
    kind: "batch",
    status: reason === null ? "completed" : reasons[reason.code].status,
    exit_code: reason === null ? 0 : reasons[reason.code].exitCode,
    reason,
    cost_usd: tasks.reduce<number | null>((sum, task) => addCost(sum, task.cost_usd), 0),
    usage: tasks.reduce<Report["usage"]>((sum, { usage }) => addUsage(sum, usage), noUsage),
    batch: {
      started_at: parts.startedAt,
      duration_ms: parts.durationMs,
      version: parts.version,
      list: parts.list,
      shard: parts.shard,
      merged: parts.merged,
    },
    tasks,
    not_run: [...parts.notRun].sort(byPosition),
    problems: [...parts.problems],
  }
}

/** One row for a task, from its report. */
export function toBatchTask(
  report: Report,
  task: TaskPlace & { readonly digest: string; readonly path: string; readonly reused: boolean },
): BatchTask {
  return {
    id: task.id,
    position: task.position,
    status: report.status,
    exit_code: report.exit_code,
    reason: report.reason,
    cost_usd: report.cost_usd,
    usage: report.usage,
    turns: report.turns,
    duration_ms: report.run.duration_ms,
    report: task.path,
    digest: task.digest,
    reused: task.reused,
  }
}

function reasonOf(tasks: readonly BatchTask[], problems: readonly MergeProblem[]): Reason | null {
  if (problems.length > 0) return incomplete(problems)
  const failed = tasks.filter(({ status }) => status === "failed" || status === "stopped")
  if (failed.length > 0) {
    const named = failed.map(({ id, reason }) => `${id} (${reason?.code ?? "failed"})`)
    const message = `${failed.length} of ${tasks.length} tasks did not complete: ${listOf(named)}`
    return { code: "batch_failed", message, hint: "The report of each task says why; start the batch again to retry." }
  }
  const paused = tasks.filter(({ status }) => status === "paused").map(({ id }) => id)
  if (paused.length === 0) return null
  const hint = "Answer each with agent-run --resume TRANSCRIPT, then start the batch again."
  return { code: "approval_needed", message: `tasks wait for a person: ${listOf(paused)}`, hint }
}

function incomplete(problems: readonly MergeProblem[]): Reason {
  const message = listOf(
    problems.map((problem) => problem.message),
    "; ",
  )
  return { code: "merge_incomplete", message, hint: "Give the reports of all shards, each once." }
}

const mostNamed = 10

function listOf(names: readonly string[], separator = ", "): string {
  const more = names.length > mostNamed ? [`and ${names.length - mostNamed} more`] : []
  return [...names.slice(0, mostNamed), ...more].join(separator)
}

const noUsage: Report["usage"] = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
}

function addUsage(a: Report["usage"], b: Report["usage"]): Report["usage"] {
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cache_read_input_tokens: a.cache_read_input_tokens + b.cache_read_input_tokens,
    cache_creation_input_tokens: a.cache_creation_input_tokens + b.cache_creation_input_tokens,
  }
}

/** What nobody knows of one task nobody knows of all. */
function addCost(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b
}

function byPosition(a: TaskPlace, b: TaskPlace): number {
  return a.position - b.position
}
