import { readdir, readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import * as z from "zod/mini"
import { toBatchTask } from "../../batch/fold.ts"
import type { BatchTask } from "../../contract/batch.ts"
import { outputFiles } from "../../contract/output.ts"
import { type Report, reportSchema } from "../../contract/report.ts"
import { writeFileAtomic } from "../../util/atomic-file.ts"
import type { PreparedTask } from "./prepare-task.ts"

const markSchema = z.object({ digest: z.string(), run_id: z.string() })
const markName = "finished.json"

/** Which results of an earlier start still count: all, all but failures, or none. */
export type Reuse = "all" | "completed" | "none"

/**
 * The row of a task that an earlier start finished: same task, same configuration, and its report is whole. A paused one
 * is finished for a batch, since a person has to answer it; its report is read anew, as it may have been resumed since.
 */
export async function findFinished(task: PreparedTask, reuse: Reuse): Promise<BatchTask | null> {
  if (reuse === "none") return null
  const mark = await readJson(join(task.folder, markName), markSchema)
  if (mark?.digest !== task.digest) return null
  const report = await readJson(join(task.folder, outputFiles.report), reportSchema)
  if (report === null || report.run.id !== mark.run_id) return null
  const counts = reuse === "all" || report.status === "completed" || report.status === "paused"
  return counts ? rowOf(task, report, true) : null
}

/** Remove what an earlier start left of a task, also of a killed one, so that nothing old stands beside what is new. */
export async function clearTask({ folder }: PreparedTask): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  // The mark goes first: what is removed by half must not count.
  const left = [markName, ...names.filter(isOurs)]
  for (const name of left) await rm(join(folder, name), { force: true })
}

const ours: ReadonlySet<string> = new Set([markName, ...Object.values(outputFiles)])

/** Nothing but files of our names is ever removed: a folder of this name may have been somebody's before. */
function isOurs(name: string): boolean {
  return ours.has(name.replace(/\.[0-9a-f]{12}\.tmp$/, ""))
}

/** The last step of a task: all of its files are there. */
export async function markFinished({ folder, digest }: PreparedTask, report: Report): Promise<void> {
  await writeFileAtomic(join(folder, markName), `${JSON.stringify({ digest, run_id: report.run.id })}\n`)
}

/** The row of a task, from its report. */
export function rowOf({ entry, digest }: PreparedTask, report: Report, reused: boolean): BatchTask {
  const path = `tasks/${entry.id}/${outputFiles.report}`
  return toBatchTask(report, { id: entry.id, position: entry.position, digest, path, reused })
}

async function readJson<Schema extends z.ZodMiniType>(path: string, schema: Schema): Promise<z.infer<Schema> | null> {
  try {
    return schema.safeParse(JSON.parse(await readFile(path, "utf8"))).data ?? null
  } catch {
    // Not there, or cut off: the task was not finished.
    return null
  }
}
