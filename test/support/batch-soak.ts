import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import type { BatchReport } from "../../src/contract/batch.ts"
import { type BatchFolder, batchFolder } from "./batch-cli.ts"
import { until } from "./run-cli.ts"

/** How many tasks and workers there are, and how many of the workers are killed on the way. */
export interface Soak {
  readonly tasks: number
  readonly workers: number
  readonly kills: number
  /** Of this test run; decides who is killed and when. */
  readonly seed: number
}

/** What a soak gave; the merge is compared with one process that did everything. */
export interface SoakResult {
  readonly merged: BatchReport
  readonly single: BatchReport
  readonly killedAt: readonly string[]
}

/** Run the same tasks by many processes, some of which are killed and started again, and by one; merge the former. */
export async function soak({ tasks, workers, kills, seed }: Soak): Promise<SoakResult> {
  const folder = furnish(tasks)
  const random = createRandom(seed)
  const victims = chooseVictims(workers, kills, random)
  const killedAt: string[] = []
  await Promise.all(
    Array.from({ length: workers }, async (_, index) => {
      const outDir = `out/${index + 1}`
      const args = ["batch", "tasks.toml", "--bare", "--shard", `${index + 1}/${workers}`, "--out-dir", outDir]
      if (victims.has(index)) {
        const wanted = Math.floor(random() * Math.max(1, tasks / workers - 2))
        killedAt.push(await killed(folder, { args, outDir, wanted }))
      }
      await folder.start([...args, "--quiet"]).ended
    }),
  )
  const merge = await folder.run(["merge", "out", "--out-dir", "merged", "--tasks", "tasks.toml"])
  const whole = await folder.run(["batch", "tasks.toml", "--bare", "--quiet", "--out-dir", "single"])
  expect(merge.exitCode, merge.stderr).toBe(whole.exitCode)
  expectOneReportEach(folder, tasks, workers)
  return { merged: folder.report("merged"), single: folder.report("single"), killedAt }
}

/** What must not depend on how the work was divided. */
export function essenceOf({
  status,
  exit_code,
  reason,
  cost_usd,
  usage,
  batch,
  tasks,
  not_run,
  problems,
}: BatchReport) {
  const rows = tasks.map(({ id, position, status: ended, exit_code: code, cost_usd: cost, turns, digest }) => {
    return { id, position, ended, code, cost, turns, digest }
  })
  return { status, exit_code, reason, cost_usd, usage, list: batch.list, rows, not_run, problems }
}

function furnish(tasks: number): BatchFolder {
  const ids = Array.from({ length: tasks }, (_, index) => `task-${String(index + 1).padStart(4, "0")}`)
  const scripts = ids.map((id, index) => {
    const last = index % 17 === 16 ? { stop_reason: "refusal", text: "no" } : { text: `Done with ${id}.` }
    const look = { calls: [{ tool: "Glob", input: { pattern: "*.toml" } }], cost_usd: 0.001 * (index + 1) }
    return [`scripts/${id}.toml`, { turns: [look, { ...last, delay_ms: 40, cost_usd: 0.1 / (index + 1) }] }] as const
  })
  const entries = ids.map((id) => ({ id, task: `Do ${id}.`, overrides: { script: `scripts/${id}.toml` } }))
  return batchFolder({
    ...Object.fromEntries(scripts),
    "tasks.toml": { batch: { concurrency: 2 }, tasks: entries },
  })
}

/** Start a worker and kill it when so many of its tasks are finished and others are running. */
async function killed(
  folder: BatchFolder,
  { args, outDir, wanted }: { readonly args: readonly string[]; readonly outDir: string; readonly wanted: number },
): Promise<string> {
  const running = folder.start(args)
  const place = join(folder.path, outDir, "tasks")
  const begun = () => (existsSync(place) ? readdirSync(place) : [])
  const finished = () => begun().filter((id) => existsSync(join(place, id, "finished.json")))
  await until(() => finished().length >= wanted && begun().length > finished().length, "tasks are running")
  running.kill("SIGKILL")
  expect((await running.ended).exitCode).toBeNull()
  expect(existsSync(join(folder.path, outDir, "report.json"))).toBe(false)
  return `${outDir} after ${finished().length} of ${begun().length} begun tasks`
}

function expectOneReportEach(folder: BatchFolder, tasks: number, workers: number): void {
  const outDirs = Array.from({ length: workers }, (_, index) => `out/${index + 1}`)
  const found = outDirs.flatMap((outDir) => folder.reported(outDir).map((id) => ({ outDir, id })))
  expect(found.map(({ id }) => id).sort()).toEqual(
    Array.from({ length: tasks }, (_, index) => `task-${String(index + 1).padStart(4, "0")}`),
  )
  for (const { outDir, id } of found) {
    const report = folder.taskReport(outDir, id)
    const files = readdirSync(join(folder.path, outDir, "tasks", id))
    expect(files.filter((name) => name.includes("report.json") || name.endsWith(".tmp"))).toEqual(["report.json"])
    expect(report.answer === `Done with ${id}.` || report.reason?.code === "model_refused").toBe(true)
  }
}

function chooseVictims(workers: number, kills: number, random: () => number): ReadonlySet<number> {
  const victims = new Set<number>()
  while (victims.size < kills) victims.add(Math.floor(random() * workers))
  return victims
}

/** Numbers that look random and are the same for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}
