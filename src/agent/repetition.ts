import type { SettledCall } from "./call-tools.ts"

/** How often a turn may repeat, calls and results alike, before the model is told and before the run ends. */
export const repetition = { toldAt: 5, endsAt: 20 } as const

/** Counts turns that are the same in every call and every result: a model that goes in circles. */
export function createRepetitionCounter(): (calls: readonly SettledCall[]) => number {
  const seen = new Map<string, number>()
  return (calls) => {
    const turn = JSON.stringify(calls.map(({ use, result }) => [use.name, use.input, result.content]))
    const times = (seen.get(turn) ?? 0) + 1
    seen.set(turn, times)
    return times
  }
}
