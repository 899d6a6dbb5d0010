import { setMaxListeners } from "node:events"
import { resolve } from "node:path"
import { foldBatch } from "../../batch/fold.ts"
import { type BatchLimits, batchTimeout, createSpending } from "../../batch/spending.ts"
import { expectedDurations, longestFirst, splitTasks } from "../../batch/split.ts"
import type { TaskEntry, TaskList } from "../../batch/task.ts"
import { createTrust } from "../../config/trust/trust.ts"
import type { BatchReport, BatchTask, Shard } from "../../contract/batch.ts"
import type { Reason } from "../../contract/reason.ts"
import type { Host, RunOptions } from "../../contract/run-options.ts"
import { UserError } from "../../contract/user-error.ts"
import { run } from "../../run.ts"
import { version } from "../../util/version.ts"
import { findWorkspace } from "../find-config.ts"
import { openSharedRooms } from "../shared-rooms.ts"
import { stopReason } from "../stop.ts"
import { clearTask, findFinished, markFinished, type Reuse, rowOf } from "./finished-tasks.ts"
import { createTaskPreparer, type PreparedTask } from "./prepare-task.ts"
import { readTasks } from "./read-tasks.ts"

/** What a batch can be told. */
export interface BatchRequest {
  /** The file of tasks. */
  readonly file: string
  /** What all tasks have in common, as `run()` takes it. */
  readonly common: RunOptions
  readonly outDir: string
  readonly limits: { readonly [Name in keyof BatchLimits]?: BatchLimits[Name] | undefined }
  readonly concurrency: number | undefined
  readonly shard: Shard | null
  /** How long tasks took before, by id. */
  readonly durations: ReadonlyMap<string, number> | null
  readonly reuse: Reuse
  readonly signal: AbortSignal
  /** Told of what happens, for people. */
  readonly onBegin?: (batch: { readonly tasks: number; readonly list: number; readonly concurrency: number }) => void
  readonly onTask?: (task: BatchTask) => void
}

const defaultConcurrency = 4

/** A timer that is set for longer goes off at once. */
const longestTimerMs = 2 ** 31 - 1

/** Run the tasks of a file that are of this shard and not finished yet. Throws a UserError before anything is started. */
export async function runBatch(request: BatchRequest, host: Host): Promise<BatchReport> {
  const begunAt = performance.now()
  const startedAt = new Date().toISOString()
  const trust = await createTrust({ workspace: findWorkspace(request.common, host), env: host.env })
  const list = await readTasks(request.file, { cwd: host.cwd, read: trust.read })
  for (const { message } of trust.warnings) host.log(`agent-run: ${message}`)
  const limits = limitsOf(request, list)
  const mine = tasksOfShard(list, request)
  const prepared = await prepareAll(mine, request, { host, needsPrice: limits.maxCostUsd !== null })
  const concurrency = request.concurrency ?? list.head.concurrency ?? defaultConcurrency
  request.onBegin?.({ tasks: mine.length, list: list.tasks.length, concurrency })
  const { rows, stopped } = await runAll(prepared, { request, host, limits, concurrency })
  return foldBatch({
    startedAt,
    durationMs: Math.round(performance.now() - begunAt),
    version,
    list: { file: list.file, digest: list.digest, tasks: list.tasks.length },
    shard: request.shard,
    merged: 0,
    tasks: [...rows.values()],
    notRun: mine.filter(({ id }) => !rows.has(id)).map(({ id, position }) => ({ id, position })),
    problems: [],
    stopped,
  })
}

function limitsOf({ limits }: BatchRequest, { head }: TaskList): BatchLimits {
  const { timeout_sec: seconds } = head
  return {
    maxCostUsd: limits.maxCostUsd ?? head.max_cost_usd ?? null,
    timeoutMs: limits.timeoutMs ?? (seconds === undefined ? null : seconds * 1000),
    maxFailures: limits.maxFailures ?? head.max_failures ?? null,
    failFast: limits.failFast ?? head.fail_fast ?? false,
  }
}

/** In the order in which they are begun: with durations the longest first, else as the file has them. */
function tasksOfShard({ tasks }: TaskList, { shard, durations }: BatchRequest): readonly TaskEntry[] {
  const ids = tasks.map(({ id }) => id)
  const shards = shard === null ? null : splitTasks(ids, shard.total, durations)
  const mine = tasks.filter((_, index) => shards === null || shards[index] === shard?.index)
  if (durations === null) return mine
  const own = mine.map(({ id }) => id)
  const order = longestFirst([...own.keys()], expectedDurations(own, durations))
  return order.flatMap((index) => mine[index] ?? [])
}

async function prepareAll(
  tasks: readonly TaskEntry[],
  { common, outDir }: BatchRequest,
  { host, needsPrice }: { readonly host: Host; readonly needsPrice: boolean },
): Promise<readonly PreparedTask[]> {
  const prepare = createTaskPreparer({ common, host, outDir: resolve(host.cwd, outDir), needsPrice })
  const prepared: PreparedTask[] = []
  const mistakes: UserError[] = []
  for (const task of tasks) {
    const one = await prepare(task).catch((error: unknown) => {
      if (error instanceof UserError) return error
      throw error
    })
    if (one instanceof UserError) mistakes.push(one)
    else prepared.push(one)
  }
  refuse(mistakes)
  return prepared
}

const mostMistakes = 50

/** All mistakes at once, a line each. */
function refuse(mistakes: readonly UserError[]): void {
  const [first] = mistakes
  if (first === undefined) return
  const more = mistakes.length > mostMistakes ? [`and ${mistakes.length - mostMistakes} more`] : []
  const lines = [...mistakes.slice(0, mostMistakes).map(({ message }) => message), ...more]
  throw new UserError(first.code, lines.join("\n"), first.hint === null ? {} : { hint: first.hint })
}

interface Running {
  readonly request: BatchRequest
  readonly host: Host
  readonly limits: BatchLimits
  readonly concurrency: number
}

async function runAll(tasks: readonly PreparedTask[], { request, host, limits, concurrency }: Running) {
  const rows = new Map<string, BatchTask>()
  const spending = createSpending(limits)
  await using shared = openSharedRooms()
  const stop = new AbortController()
  // Every running task listens, and there may be many.
  setMaxListeners(0, stop.signal)
  const onOuter = () => stop.abort(stopReason(request.signal))
  const { timeoutMs } = limits
  const timer =
    timeoutMs === null
      ? undefined
      : setTimeout(() => stop.abort(batchTimeout(timeoutMs)), Math.min(timeoutMs, longestTimerMs))
  request.signal.addEventListener("abort", onOuter, { once: true })
  if (request.signal.aborted) onOuter()

  function stopAtLimit(): void {
    const reason = spending.reached()
    if (reason !== null && !stop.signal.aborted) stop.abort(reason)
  }

  function conclude(row: BatchTask): void {
    const { id } = row
    rows.set(id, row)
    spending.end(id, row.cost_usd ?? 0)
    // A task that ended because the batch did is no failure of its own.
    if (!stop.signal.aborted && (row.status === "failed" || row.status === "stopped")) spending.countFailure(id)
    request.onTask?.(row)
  }

  async function runTask(task: PreparedTask): Promise<BatchTask> {
    const { id } = task.entry
    const log = (line: string) => host.log(`${id}: ${line}`)
    const complain = (error: Error) => log(`agent-run: the record of what is finished is incomplete: ${error.message}`)
    await clearTask(task).catch(complain)
    const report = await run(
      {
        ...task.options,
        signal: stop.signal,
        onEvent(event) {
          if (event.type !== "message" && event.type !== "server.request") return
          spending.pay(id, event.cost_usd ?? 0)
          // An answer that is paid for counts, as in a run of its own.
          if (event.type !== "message" || event.stop_reason !== "end_turn") stopAtLimit()
        },
      },
      { ...host, log },
      { shared },
    )
    if (!stop.signal.aborted) await markFinished(task, report).catch(complain)
    return rowOf(task, report, false)
  }

  // What is finished is counted first: no limit hides it, and nothing new is begun that it leaves no room for.
  const left: PreparedTask[] = []
  for (const task of tasks) {
    const row = request.signal.aborted ? null : await findFinished(task, request.reuse)
    if (row === null) left.push(task)
    else conclude(row)
  }
  if (left.length > 0) stopAtLimit()
  const queue = left.values()
  const workers = Array.from({ length: Math.min(concurrency, left.length) }, async () => {
    for (const task of queue) {
      if (stop.signal.aborted) return
      conclude(await runTask(task))
      stopAtLimit()
    }
  })
  await Promise.all(workers)
  clearTimeout(timer)
  request.signal.removeEventListener("abort", onOuter)
  const completed = [...rows.values()].filter(({ status }) => status === "completed").length
  const ended = stop.signal.aborted && completed < tasks.length
  return { rows, stopped: ended ? endOf(stopReason(stop.signal), limits) : null }
}

/** A batch that fails fast ends because a task failed, and says so. */
function endOf(reason: Reason, { failFast }: BatchLimits): Reason | null {
  return reason.code === "max_failures" && failFast ? null : reason
}
