import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { splitTasks } from "../../src/batch/split.ts"
import { seeded } from "../support/seed.ts"

const ids = fc.uniqueArray(fc.stringMatching(/^[a-z0-9]{1,8}$/), { minLength: 1, maxLength: 200 })
const total = fc.integer({ min: 1, max: 20 })
const lasting = fc.double({ min: 1, max: 1e6, noNaN: true })

describe("tasks are split into shards", () => {
  it("each task to exactly one, the same way every time", () => {
    fc.assert(
      fc.property(ids, total, (all, shards) => {
        const split = splitTasks(all, shards, null)
        expect(split).toHaveLength(all.length)
        expect(split.every((shard) => shard >= 1 && shard <= shards)).toBe(true)
        expect(splitTasks(all, shards, null)).toEqual(split)
      }),
      seeded,
    )
  })

  it("without durations in even numbers, whatever order the file has", () => {
    fc.assert(
      fc.property(ids, total, (all, shards) => {
        const split = splitTasks(all, shards, null)
        const counts = Array.from({ length: shards }, (_, index) => split.filter((shard) => shard === index + 1).length)
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
        const backwards = splitTasks([...all].reverse(), shards, null)
        expect([...backwards].reverse()).toEqual(split)
      }),
      seeded,
    )
  })

  it("with durations no shard has more than the mean and one task, so none waits for a badly packed one", () => {
    fc.assert(
      fc.property(fc.array(lasting, { minLength: 1, maxLength: 200 }), total, (durations, shards) => {
        const all = durations.map((_, index) => `t${index}`)
        const known = new Map(all.map((id, index) => [id, durations[index] ?? 0]))
        const loads = loadsOf(splitTasks(all, shards, known), durations, shards)
        const mean = durations.reduce((sum, duration) => sum + duration, 0) / shards
        expect(Math.max(...loads)).toBeLessThanOrEqual((mean + Math.max(...durations)) * 1.000001)
      }),
      seeded,
    )
  })

  it.each([1, 2, 3, 4, 5])(
    "400 tasks as models take them, over 16 shards: at most 1.15 times the mean (%i)",
    (draw) => {
      const durations = lognormal(400, draw)
      const all = durations.map((_, index) => `t${index}`)
      const known = new Map(all.map((id, index) => [id, durations[index] ?? 0]))
      const mean = durations.reduce((sum, duration) => sum + duration, 0) / 16
      expect(Math.max(...loadsOf(splitTasks(all, 16, known), durations, 16)) / mean).toBeLessThanOrEqual(1.15)
    },
  )

  it("a task that was never timed counts as an average one, and durations of others change nothing", () => {
    const durations = new Map([
      ["long", 60],
      ["short", 20],
      ["gone", 999],
    ])
    expect(splitTasks(["long", "short", "new"], 2, durations)).toEqual([1, 2, 2])
    expect(splitTasks(["a", "b"], 2, new Map([["gone", 1]]))).toEqual(splitTasks(["a", "b"], 2, null))
  })
})

function loadsOf(split: readonly number[], durations: readonly number[], shards: number): readonly number[] {
  return Array.from({ length: shards }, (_, index) =>
    durations.reduce((sum, duration, position) => sum + (split[position] === index + 1 ? duration : 0), 0),
  )
}

/** Durations with a long tail, the same ones each time. */
function lognormal(count: number, draw: number): readonly number[] {
  let state = draw
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state + 1) / (2 ** 32 + 1)
  }
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())
  return Array.from({ length: count }, () => 20_000 * Math.exp(0.9 * normal()))
}
