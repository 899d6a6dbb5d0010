// What a batch costs beside the model: overhead per task, memory over 400 tasks, balance of shards, and from these the
// arithmetic for 10,000 and 1,000,000 tasks. npm run bench:scale; the result is printed and written to result.json.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Readable } from "node:stream"
import { fileURLToPath } from "node:url"
import { longestFirst, splitTasks } from "../../build/batch/split.js"
import { runBatch } from "../../build/run/batch/run-batch.js"
import { run } from "../../build/run.js"

const tasks = 400
const folder = mkdtempSync(join(tmpdir(), "agent-run-scale-"))
const host = { env: { PATH: process.env.PATH, HOME: folder }, cwd: folder, stdin: Readable.from([]), log: () => {} }
const result = {}

try {
  furnish()
  result.loop_ms_per_task = round(await timePerTask(runLoopOnly))
  const memory = []
  const begun = performance.now()
  await runWholeBatch((done) => {
    if (done % 100 !== 0) return
    globalThis.gc?.()
    memory.push({
      done,
      heap_mb: round(process.memoryUsage().heapUsed / 2 ** 20),
      rss_mb: round(process.memoryUsage().rss / 2 ** 20),
    })
  })
  result.batch_ms_per_task = round((performance.now() - begun) / tasks)
  result.overhead_ms_per_task = round(result.batch_ms_per_task - result.loop_ms_per_task)
  const again = performance.now()
  await runWholeBatch(() => {})
  result.resume_ms_per_task = round((performance.now() - again) / tasks)
  result.memory = memory
  result.balance = balance()
  result.arithmetic = [10_000, 1_000_000].map((count) => arithmetic(count, result.overhead_ms_per_task))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
writeFileSync(join(dirname(fileURLToPath(import.meta.url)), "result.json"), `${JSON.stringify(result, null, 2)}\n`)
console.log(JSON.stringify(result, null, 2))

function furnish() {
  mkdirSync(join(folder, "tree"))
  const turns = [{ calls: [{ tool: "Glob", input: { pattern: "*" } }] }, { text: "Done.", cost_usd: 0.01 }]
  writeFileSync(join(folder, "script.json"), JSON.stringify({ turns }))
  const lines = Array.from({ length: tasks }, (_, index) =>
    JSON.stringify({ id: `t${index}`, task: "Do it.", workspace: "tree" }),
  )
  writeFileSync(join(folder, "tasks.jsonl"), lines.join("\n"))
}

/** One task after the other, without any file: what the loop itself takes. */
async function runLoopOnly() {
  await run({ task: "Do it.", workspace: "tree", bare: true, script: "script.json" }, host)
}

async function timePerTask(work) {
  for (let round = 0; round < 20; round += 1) await work()
  const begun = performance.now()
  for (let count = 0; count < tasks; count += 1) await work()
  return (performance.now() - begun) / tasks
}

async function runWholeBatch(onDone) {
  let done = 0
  const report = await runBatch(
    {
      file: "tasks.jsonl",
      common: { bare: true, script: join(folder, "script.json") },
      outDir: "out",
      limits: {},
      concurrency: 1,
      shard: null,
      durations: null,
      reuse: "completed",
      signal: new AbortController().signal,
      onTask: () => onDone(++done),
    },
    host,
  )
  if (report.exit_code !== 0 || report.tasks.length !== tasks)
    throw new Error(`the batch ended with ${report.exit_code}`)
}

/** The slowest shard against the mean, for durations with a long tail: known before, and unknown. */
function balance() {
  const durations = lognormal(tasks, 7)
  const ids = durations.map((_, index) => `t${index}`)
  const known = new Map(ids.map((id, index) => [id, durations[index]]))
  const worst = (shards) => round(slowest(splitTasks(ids, 16, shards), durations, 16))
  return { tasks, shards: 16, with_durations: worst(known), by_hash: worst(null) }
}

function slowest(split, durations, shards) {
  const loads = new Array(shards).fill(0)
  split.forEach((shard, index) => {
    loads[shard - 1] += durations[index]
  })
  return Math.max(...loads) / (loads.reduce((sum, load) => sum + load, 0) / shards)
}

/** A simulation: tasks of about 90 s and $0.05 each, 16 at a time in a shard, dealt by durations of a run before. */
function arithmetic(count, overheadMs) {
  const atATime = 16
  const shards = count <= 10_000 ? 32 : 256
  const startMs = 20_000
  const durations = lognormal(count, 3).map((draw) => draw * 3)
  const ids = durations.map((_, index) => `t${index}`)
  // What is known of a task is off by up to a fifth.
  const expected = durations.map((duration, index) => duration * (0.8 + (0.4 * ((index * 7919) % 100)) / 100))
  const split = splitTasks(ids, shards, new Map(ids.map((id, index) => [id, expected[index]])))
  const ends = Array.from({ length: shards }, () => new Array(atATime).fill(startMs))
  for (const index of longestFirst([...ids.keys()], expected)) {
    const lanes = ends[split[index] - 1]
    const lane = lanes.indexOf(Math.min(...lanes))
    lanes[lane] += durations[index] + overheadMs
  }
  const walls = ends.map((lanes) => Math.max(...lanes))
  const wallMs = Math.max(...walls)
  const runnerMinutes = walls.reduce((sum, wall) => sum + wall, 0) / 60_000
  const meanSeconds = durations.reduce((sum, duration) => sum + duration, 0) / count / 1000
  return {
    tasks: count,
    shards,
    at_a_time: shards * atATime,
    seconds_per_task: round(meanSeconds),
    wall_minutes: round(wallMs / 60_000),
    slowest_shard_to_mean: round(wallMs / (walls.reduce((sum, wall) => sum + wall, 0) / shards)),
    runner_minutes: Math.round(runnerMinutes),
    runner_usd: round(runnerMinutes * 0.008),
    model_usd: round(count * 0.05),
    overhead_share_percent: Number(((100 * overheadMs) / (meanSeconds * 1000)).toFixed(4)),
  }
}

/** Durations in milliseconds with a long tail, the same ones each time. */
function lognormal(count, draw) {
  let state = draw
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state + 1) / (2 ** 32 + 1)
  }
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())
  return Array.from({ length: count }, () => 20_000 * Math.exp(0.9 * normal()))
}

function round(value) {
  return Math.round(value * 100) / 100
}
