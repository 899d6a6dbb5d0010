import { resolve } from "node:path"
import { mergeReports } from "../batch/merge.ts"
import { readText } from "../config/text/read-text.ts"
import { reasons } from "../contract/reason.ts"
import { createBatchProgress } from "../report/batch/progress.ts"
import { movedReport, readBatchReports } from "../run/batch/batch-reports.ts"
import { readTasks } from "../run/batch/read-tasks.ts"
import { prepareBatchOutputs, writeBatch } from "../run/batch/write-batch.ts"
import type { mergeOptions } from "./batch-options.ts"
import { toBatchResult } from "./batch-result.ts"
import type { OptionValues } from "./options.ts"
import { writeOut } from "./write-out.ts"

/** `agent-run merge REPORT…|DIR`: one report from those of all shards; exit code 8 when something is missing or twice. */
export async function mergeCommand(
  paths: readonly string[],
  values: OptionValues<typeof mergeOptions>,
  host: NodeJS.Process,
): Promise<number> {
  const cwd = host.cwd()
  const outDir = resolve(cwd, values["out-dir"] ?? defaultFolder)
  const sources = (await readBatchReports(paths, { cwd, outDir })).map((source) =>
    movedReport(source, { cwd, to: outDir }),
  )
  const { tasks } = values
  const list = tasks === undefined ? null : await readTasks(tasks, { cwd, read: readText })
  const report = mergeReports(sources, list)
  prepareBatchOutputs(outDir)
  const problems = await writeBatch(report, outDir)
  const say = (line: string) => host.stderr.write(`${line}\n`)
  for (const line of createBatchProgress(() => 0).end(report)) say(line)
  for (const { message } of report.problems) say(`  ${message}`)
  for (const problem of problems) say(`agent-run: ${problem}`)
  const unwritten = await writeOut(host.stdout, toBatchResult(report, values.output ?? "text"))
  const incomplete = problems.length > 0 || unwritten !== null
  return report.exit_code || (incomplete ? reasons.output_incomplete.exitCode : 0)
}

const defaultFolder = "agent-run-merged"
