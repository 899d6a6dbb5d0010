import { createHash } from "node:crypto"

/**
 * Give each task to a shard, from 1; the same ids are split the same way everywhere. With durations the longest go first,
 * each to the shard with the least to do; without, they are dealt out in the order of their hashes.
 */
export function splitTasks(
  ids: readonly string[],
  total: number,
  durations: ReadonlyMap<string, number> | null,
): readonly number[] {
  const shards = new Array<number>(ids.length).fill(1)
  const order = inHashOrder(ids)
  if (durations === null || !ids.some((id) => durations.has(id))) {
    order.forEach((position, rank) => {
      shards[position] = (rank % total) + 1
    })
    return shards
  }
  const expected = expectedDurations(ids, durations)
  const loads = createLoads(total)
  for (const position of longestFirst(order, expected)) shards[position] = loads.addToLeast(expected[position] ?? 0) + 1
  return shards
}

/** Positions of tasks, those that take longest first; in the order they have where they take the same. */
export function longestFirst(positions: readonly number[], expected: readonly number[]): readonly number[] {
  return [...positions].sort((a, b) => (expected[b] ?? 0) - (expected[a] ?? 0))
}

/** How long each task will take: as before, or as long as those that are known take on average. */
export function expectedDurations(ids: readonly string[], durations: ReadonlyMap<string, number>): readonly number[] {
  const known = ids.flatMap((id) => durations.get(id) ?? [])
  const mean = known.length === 0 ? 1 : known.reduce((sum, duration) => sum + duration, 0) / known.length
  return ids.map((id) => durations.get(id) ?? mean)
}

function inHashOrder(ids: readonly string[]): readonly number[] {
  const hashes = ids.map((id) => createHash("sha256").update(id).digest("hex"))
  return ids.map((_, position) => position).sort((a, b) => compare(hashes[a] ?? "", hashes[b] ?? ""))
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** What each shard has to do, as a heap: the one with the least is on top, the lower number where two have the same. */
function createLoads(total: number) {
  const heap = Array.from({ length: total }, (_, shard) => ({ shard, load: 0 }))

  function isLess(a: number, b: number): boolean {
    const [left, right] = [heap[a], heap[b]]
    if (left === undefined || right === undefined) return false
    return left.load < right.load || (left.load === right.load && left.shard < right.shard)
  }

  function sink(at: number): void {
    const [left, right] = [2 * at + 1, 2 * at + 2]
    const least = isLess(left, at) ? left : at
    const next = isLess(right, least) ? right : least
    const [upper, lower] = [heap[at], heap[next]]
    if (next === at || upper === undefined || lower === undefined) return
    heap[at] = lower
    heap[next] = upper
    sink(next)
  }

  return {
    addToLeast(load: number): number {
      const top = heap[0]
      if (top === undefined) return 0
      top.load += load
      sink(0)
      return top.shard
    },
  }
}
