import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { foldBatch } from "../../src/batch/fold.ts"
import { mergeReports, type ReportSource } from "../../src/batch/merge.ts"
import { splitTasks } from "../../src/batch/split.ts"
import { type BatchReport, type BatchTask, batchReportSchema } from "../../src/contract/batch.ts"
import { seeded } from "../support/seed.ts"

const noUsage = { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }
const failure = { code: "model_empty", message: "The model answered nothing.", hint: null } as const

function row(position: number, fields: Partial<BatchTask> = {}): BatchTask {
  const id = `task-${position}`
  const ended = { status: "completed", exit_code: 0, reason: null, cost_usd: 0.1, turns: 1, duration_ms: 10 } as const
  return { id, position, ...ended, usage: noUsage, report: `tasks/${id}`, digest: "d", reused: false, ...fields }
}

function reportOf(tasks: readonly BatchTask[], more: Partial<Parameters<typeof foldBatch>[0]> = {}): BatchReport {
  const report = foldBatch({
    startedAt: "2026-11-18T10:00:00.000Z",
    durationMs: 100,
    version: "1.0.0",
    list: { file: "tasks.toml", digest: "sha256:list", tasks: tasks.length },
    shard: null,
    merged: 0,
    tasks,
    notRun: [],
    problems: [],
    stopped: null,
    ...more,
  })
  return batchReportSchema.parse(report)
}

function split(tasks: readonly BatchTask[], total: number): readonly ReportSource[] {
  const list = { file: "tasks.toml", digest: "sha256:list", tasks: tasks.length }
  const ids = tasks.map(({ id }) => id)
  const shards = splitTasks(ids, total, null)
  return Array.from({ length: total }, (_, index) => {
    const mine = tasks.filter((_, position) => shards[position] === index + 1)
    return { path: `s${index + 1}/report.json`, report: reportOf(mine, { list, shard: { index: index + 1, total } }) }
  })
}

const essence = ({ status, exit_code, reason, cost_usd, usage, tasks }: BatchReport) => {
  return { status, exit_code, reason, cost_usd, usage, tasks }
}

describe("shards are merged", () => {
  it("into what one process would have reported, to the last digit of the cost, in any order", () => {
    const costs = fc.array(fc.record({ cost: fc.double({ min: 0, max: 3, noNaN: true }), fails: fc.boolean() }), {
      minLength: 1,
      maxLength: 60,
    })
    fc.assert(
      fc.property(costs, fc.integer({ min: 1, max: 9 }), fc.nat(), (rows, total, turn) => {
        const failed = { status: "failed", exit_code: 6, reason: failure } as const
        const tasks = rows.map(({ cost, fails }, index) => row(index + 1, { cost_usd: cost, ...(fails ? failed : {}) }))
        const shards = split(tasks, total)
        const turned = [...shards.slice(turn % total), ...shards.slice(0, turn % total)]
        expect(essence(mergeReports(turned, null))).toEqual(essence(reportOf(tasks)))
        expect(mergeReports(turned, null)).toEqual(mergeReports(shards, null))
      }),
      seeded,
    )
  })

  it("and a missing shard is named, with its tasks when the list is known", () => {
    const [first, , third] = split(
      [1, 2, 3, 4, 5, 6].map((position) => row(position)),
      3,
    )
    if (first === undefined || third === undefined) throw new Error("three shards")
    const merged = mergeReports([third, first], null)
    expect(merged).toMatchObject({ status: "failed", exit_code: 8, reason: { code: "merge_incomplete" } })
    expect(merged.problems).toEqual([
      { code: "missing_shard", message: "shard 2/3 is missing" },
      { code: "missing_task", message: "2 of the 6 tasks have no result; --tasks FILE names them" },
    ])
    const tasks = [1, 2, 3, 4, 5, 6].map((position) => ({ id: `task-${position}` }))
    const named = mergeReports([third, first], { digest: "sha256:list", tasks })
    expect(named.problems.map(({ message }) => message)).toEqual([
      "shard 2/3 is missing",
      expect.stringMatching(/^task task-\d has no result$/),
      expect.stringMatching(/^task task-\d has no result$/),
    ])
  })

  it("and a task in two reports, or begun by nobody, is named", () => {
    const list = { file: "tasks.toml", digest: "sha256:list", tasks: 3 }
    const notRun = [{ id: "task-3", position: 3 }]
    const one = { path: "a.json", report: reportOf([row(1)], { list, shard: { index: 1, total: 2 } }) }
    const two = { path: "b.json", report: reportOf([row(1), row(2)], { list, notRun, shard: { index: 2, total: 2 } }) }
    const merged = mergeReports([two, one], null)
    expect(merged.problems).toEqual([
      { code: "missing_task", message: "task task-3 has no result" },
      { code: "duplicate_task", message: "task task-1 is in a.json and in b.json" },
    ])
    expect(merged.tasks.map(({ id }) => id)).toEqual(["task-1", "task-2"])
    expect(merged.not_run).toEqual(notRun)
  })

  it("unless they are about other tasks or another number of shards", () => {
    const list = { file: "tasks.toml", digest: "sha256:other", tasks: 1 }
    const one = { path: "a.json", report: reportOf([row(1)]) }
    expect(() => mergeReports([one, { path: "b.json", report: reportOf([row(1)], { list }) }], null)).toThrow(
      "b.json: it is about other tasks than a.json",
    )
    const shard = { index: 1, total: 2 }
    expect(() => mergeReports([one, { path: "b.json", report: reportOf([row(1)], { shard }) }], null)).toThrow(
      "b.json: it is split otherwise than a.json",
    )
    expect(() => mergeReports([], null)).toThrow("there is no report")
    expect(() => mergeReports([one], { digest: "sha256:other", tasks: [{ id: "x" }] })).toThrow(
      "--tasks: the reports are about other tasks than the file has",
    )
  })
})

describe("the report of a batch", () => {
  it("is failed before it is paused, and knows no cost when one is unknown", () => {
    const paused = row(1, { status: "paused", exit_code: 3, cost_usd: null })
    expect(reportOf([paused, row(2)])).toMatchObject({
      status: "paused",
      exit_code: 3,
      reason: { code: "approval_needed" },
      cost_usd: null,
    })
    const failed = row(3, { status: "failed", exit_code: 6, reason: failure })
    expect(reportOf([paused, failed])).toMatchObject({
      exit_code: 8,
      reason: { code: "batch_failed", message: "1 of 2 tasks did not complete: task-3 (model_empty)" },
    })
  })
})
