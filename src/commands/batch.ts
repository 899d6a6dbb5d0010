import { resolve } from "node:path"
import { foldBatch } from "../batch/fold.ts"
import { readShard } from "../batch/shard.ts"
import type { BatchReport } from "../contract/batch.ts"
import { reasons } from "../contract/reason.ts"
import { UserError } from "../contract/user-error.ts"
import { createBatchProgress } from "../report/batch/progress.ts"
import { readBatchReport } from "../run/batch/batch-reports.ts"
import { type BatchRequest, runBatch } from "../run/batch/run-batch.ts"
import { prepareBatchOutputs, writeBatch } from "../run/batch/write-batch.ts"
import { version } from "../util/version.ts"
import type { batchOptions } from "./batch-options.ts"
import { toBatchResult } from "./batch-result.ts"
import { toConfigRunOptions } from "./config-options.ts"
import type { OptionValues } from "./options.ts"
import { toTimeoutMs } from "./run.ts"
import { listenForStop } from "./stop-signals.ts"
import { writeOut } from "./write-out.ts"

type Values = OptionValues<typeof batchOptions>

const heartbeatMs = 30_000

/** `agent-run batch TASKS`: many tasks, a report for each and one for all. */
export async function batchCommand(file: string, values: Values, host: NodeJS.Process): Promise<number> {
  using stop = listenForStop(host)
  const say = (line: string) => void host.stderr.write(`${line}\n`)
  const progress = createBatchProgress(() => performance.now())
  const heartbeat = setInterval(() => (values.quiet ? undefined : say(progress.waiting())), heartbeatMs).unref()
  const outDir = resolve(host.cwd(), values["out-dir"] ?? defaultFolder)
  prepareBatchOutputs(outDir)
  const report = await perform(async () => ({
    ...(await toRequest(file, values, host)),
    outDir,
    signal: stop.signal,
    onBegin(batch) {
      const line = progress.begin(batch)
      if (!values.quiet) say(line)
    },
    onTask(task) {
      heartbeat.refresh()
      const line = progress.task(task)
      if (!values.quiet || task.exit_code !== 0) say(line)
    },
  }))
  clearInterval(heartbeat)
  const problems = await writeBatch(report, outDir)
  if (report.batch.list.tasks > 0) for (const line of progress.end(report)) say(line)
  for (const problem of problems) say(`agent-run: ${problem}`)
  const unwritten = await writeOut(host.stdout, toBatchResult(report, values.output ?? "text"))
  if (unwritten !== null) say(`agent-run: the result could not be written to stdout: ${unwritten}`)
  const incomplete = problems.length > 0 || unwritten !== null
  return report.exit_code || (incomplete ? reasons.output_incomplete.exitCode : 0)

  /** A batch that cannot begin has a report, too. */
  async function perform(request: () => Promise<BatchRequest>): Promise<BatchReport> {
    const around = { env: host.env, cwd: host.cwd(), stdin: host.stdin, log: say }
    try {
      return await runBatch(await request(), around)
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      say(`agent-run: ${error.message}${error.hint === null ? "" : `\n  ${error.hint}`}`)
      return refused(error, file)
    }
  }
}

const defaultFolder = "agent-run-batch"

async function toRequest(file: string, values: Values, host: NodeJS.Process) {
  const { durations, shard, force, concurrency } = values
  if (concurrency !== undefined && !(Number.isInteger(concurrency) && concurrency > 0)) {
    throw new UserError("usage_error", "must be a whole number, at least 1", { where: "--concurrency:" })
  }
  return {
    file,
    common: {
      ...toConfigRunOptions(values),
      locked: values.locked,
      refreshAuth: values["refresh-auth"],
      baseUrl: values["base-url"],
      script: values.script === undefined ? undefined : resolve(host.cwd(), values.script),
    },
    limits: {
      maxCostUsd: notNegative("max-cost-usd", values["max-cost-usd"]),
      timeoutMs: toTimeoutMs(values.timeout),
      maxFailures: notNegative("max-failures", values["max-failures"]),
      failFast: values["fail-fast"],
    },
    concurrency,
    shard: shard === undefined ? null : readShard(shard, host.env),
    durations: durations === undefined ? null : await readDurations(durations, host.cwd()),
    reuse: force ? "none" : values["keep-failed"] ? "all" : "completed",
  } as const
}

async function readDurations(path: string, cwd: string): Promise<ReadonlyMap<string, number>> {
  const { tasks } = await readBatchReport(path, cwd)
  return new Map(tasks.map(({ id, duration_ms }) => [id, duration_ms]))
}

function notNegative(option: string, value: number | undefined): number | undefined {
  if (value === undefined || value >= 0) return value
  throw new UserError("usage_error", "must not be negative", { where: `--${option}:` })
}

function refused(error: UserError, file: string): BatchReport {
  return foldBatch({
    startedAt: new Date().toISOString(),
    durationMs: 0,
    version,
    list: { file, digest: "", tasks: 0 },
    shard: null,
    merged: 0,
    tasks: [],
    notRun: [],
    problems: [],
    stopped: error.toReason(),
  })
}
