import type { BatchReport, BatchTask, MergeProblem, TaskPlace } from "../contract/batch.ts"
import { UserError } from "../contract/user-error.ts"
import { foldBatch } from "./fold.ts"

/** A batch report, and where it was found. */
export interface ReportSource {
  readonly path: string
  readonly report: BatchReport
}

/** What a file of tasks says about itself. */
interface NamedTasks {
  readonly digest: string
  readonly tasks: readonly { readonly id: string }[]
}

/**
 * One report from those of all shards. The result depends on what the reports say, never on their order. `given`, the
 * file of tasks, gives missing tasks a name. Throws a UserError for reports that do not belong together.
 */
export function mergeReports(sources: readonly ReportSource[], given: NamedTasks | null): BatchReport {
  const ordered = [...sources].sort(byShard)
  const [first] = ordered
  if (first === undefined) throw new UserError("usage_error", "there is no report of a batch to merge")
  const { list, version } = first.report.batch
  for (const source of ordered) refuseOtherList(source, first)
  if (given !== null && given.digest !== list.digest) {
    const counts = `the file has ${given.tasks.length} tasks, the reports are about ${list.tasks}`
    const message = given.tasks.length === list.tasks ? "the reports are about other tasks than the file has" : counts
    throw new UserError("usage_error", message, { where: "--tasks:" })
  }
  const ids = given?.tasks.map(({ id }) => id) ?? null
  const rows = new Map<number, { readonly task: BatchTask; readonly path: string }>()
  const duplicates: MergeProblem[] = []
  for (const { path, report } of ordered) {
    for (const task of report.tasks) {
      const known = rows.get(task.position)
      if (known === undefined) rows.set(task.position, { task, path })
      else duplicates.push({ code: "duplicate_task", message: `task ${task.id} is in ${known.path} and in ${path}` })
    }
  }
  return foldBatch({
    startedAt: ordered.map(({ report }) => report.batch.started_at).sort()[0] ?? "",
    durationMs: Math.max(...ordered.map(({ report }) => report.batch.duration_ms)),
    version,
    list,
    shard: null,
    merged: ordered.length,
    tasks: [...rows.values()].map(({ task }) => task),
    notRun: notRunOf(ordered, rows),
    problems: [...missingShards(ordered), ...missingTasks(ordered, { rows, total: list.tasks, ids }), ...duplicates],
    stopped: null,
  })
}

function refuseOtherList({ path, report }: ReportSource, first: ReportSource): void {
  if (report.batch.list.digest !== first.report.batch.list.digest) {
    throw new UserError("usage_error", `it is about other tasks than ${first.path}`, {
      where: `${path}:`,
      hint: "Reports are merged that were made from the same file of tasks.",
    })
  }
  if (report.batch.shard?.total === first.report.batch.shard?.total) return
  throw new UserError("usage_error", `it is split otherwise than ${first.path}`, {
    where: `${path}:`,
    hint: "Every shard must be started with the same number of shards.",
  })
}

function missingShards(sources: readonly ReportSource[]): readonly MergeProblem[] {
  const total = sources[0]?.report.batch.shard?.total ?? 1
  const there = new Set(sources.map(({ report }) => report.batch.shard?.index ?? 1))
  return Array.from({ length: total }, (_, index) => index + 1)
    .filter((index) => !there.has(index))
    .map((index) => ({ code: "missing_shard", message: `shard ${index}/${total} is missing` }))
}

function missingTasks(
  sources: readonly ReportSource[],
  known: {
    readonly rows: ReadonlyMap<number, unknown>
    readonly total: number
    readonly ids: readonly string[] | null
  },
): readonly MergeProblem[] {
  const names = new Map(sources.flatMap(({ report }) => report.not_run.map(({ id, position }) => [position, id])))
  const missing = Array.from({ length: known.total }, (_, index) => index + 1).filter((at) => !known.rows.has(at))
  const named = missing.flatMap((position): readonly MergeProblem[] => {
    const id = known.ids?.[position - 1] ?? names.get(position)
    return id === undefined ? [] : [{ code: "missing_task", message: `task ${id} has no result` }]
  })
  const unnamed = missing.length - named.length
  if (unnamed === 0) return named
  const more = named.length === 0 ? "" : " more"
  const message = `${unnamed}${more} of the ${known.total} tasks have no result; --tasks FILE names them`
  return [...named, { code: "missing_task", message }]
}

function notRunOf(sources: readonly ReportSource[], rows: ReadonlyMap<number, unknown>): readonly TaskPlace[] {
  const places = sources.flatMap(({ report }) => report.not_run).filter(({ position }) => !rows.has(position))
  return [...new Map(places.map((place) => [place.position, place])).values()]
}

/** By shard, then by age, then by place: never by the order of the command line. */
function byShard(a: ReportSource, b: ReportSource): number {
  const shards = (a.report.batch.shard?.index ?? 0) - (b.report.batch.shard?.index ?? 0)
  if (shards !== 0) return shards
  const keys = [a, b].map(({ report, path }) => `${report.batch.started_at} ${path}`)
  return (keys[0] ?? "") < (keys[1] ?? "") ? -1 : 1
}
