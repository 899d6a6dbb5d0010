import { readdir, readFile, stat } from "node:fs/promises"
import { join, relative, resolve, sep } from "node:path"
import type { ReportSource } from "../../batch/merge.ts"
import { type BatchReport, batchReportSchema } from "../../contract/batch.ts"
import { isJsonObject } from "../../contract/json.ts"
import { outputFiles } from "../../contract/output.ts"
import { UserError } from "../../contract/user-error.ts"

const deepest = 8

/** Read the batch reports that these files are and these folders hold, each once. Throws a UserError for what is none. */
export async function readBatchReports(
  paths: readonly string[],
  { cwd, outDir }: { readonly cwd: string; readonly outDir: string },
): Promise<readonly ReportSource[]> {
  const named = (await Promise.all(paths.map((path) => findReports(path, cwd)))).flat()
  const files = new Map(named.toSorted().map((path) => [resolve(cwd, path), path]))
  const sources: ReportSource[] = []
  for (const path of files.values()) sources.push({ path, report: await readBatchReport(path, cwd) })
  // A merge that is made again does not read what it wrote before.
  const own = resolve(outDir, outputFiles.report)
  const others = sources.filter(({ path, report }) => resolve(cwd, path) !== own || report.batch.merged === 0)
  return others.length > 0 ? others : sources
}

/** Read one batch report. Throws a UserError when it is none. */
export async function readBatchReport(path: string, cwd: string): Promise<BatchReport> {
  try {
    const found = batchReportSchema.safeParse(JSON.parse(await readFile(resolve(cwd, path), "utf8")))
    if (found.success) return found.data
    const [issue] = found.error.issues
    throw new Error(`${issue?.path.join(".") || "it"} is not as the report of a batch has it`)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new UserError("usage_error", `is no report of a batch: ${why}`, {
      where: `${path}:`,
      hint: "agent-run batch writes one as report.json into its --out-dir.",
      cause,
    })
  }
}

/** The same rows with their reports seen from another folder. */
export function movedReport(
  { path, report }: ReportSource,
  { cwd, to }: { readonly cwd: string; readonly to: string },
) {
  const folder = resolve(cwd, path, "..")
  const tasks = report.tasks.map((task) => {
    const moved = relative(resolve(cwd, to), resolve(folder, task.report))
    return { ...task, report: moved.split(sep).join("/") }
  })
  return { path, report: { ...report, tasks } }
}

async function findReports(path: string, cwd: string): Promise<readonly string[]> {
  const found = await stat(resolve(cwd, path)).catch(() => null)
  if (found === null) throw new UserError("usage_error", "does not exist", { where: `${path}:` })
  if (!found.isDirectory()) return [path]
  const files = await reportsIn(path, cwd, 0)
  if (files.length > 0) return files
  throw new UserError("usage_error", "there is no report of a batch in it", {
    where: `${path}:`,
    hint: `It is called ${outputFiles.report} and stands in the --out-dir of agent-run batch.`,
  })
}

/** Reports of single tasks lie below that of their batch, and are no parts of a merge. */
async function reportsIn(folder: string, cwd: string, depth: number): Promise<readonly string[]> {
  if (depth > deepest) return []
  const entries = await readdir(resolve(cwd, folder), { withFileTypes: true })
  const names = entries.map(({ name }) => name).sort()
  const own = join(folder, outputFiles.report)
  const isBatch = names.includes(outputFiles.report) && (await isBatchReport(resolve(cwd, own)))
  const folders = entries.filter((entry) => entry.isDirectory() && !(isBatch && entry.name === "tasks"))
  const below = await Promise.all(folders.map(({ name }) => reportsIn(join(folder, name), cwd, depth + 1)))
  return [...(isBatch ? [own] : []), ...below.flat()].sort()
}

async function isBatchReport(path: string): Promise<boolean> {
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"))
    return isJsonObject(value) && value.kind === "batch"
  } catch {
    // Whatever it is, it is no report of ours.
    return false
  }
}
