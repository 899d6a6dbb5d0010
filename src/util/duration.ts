const unitsMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const

/** Milliseconds of `90`, `30s`, `10m`, `1h30m`; a bare number is seconds. `null` when it is no duration. */
export function parseDuration(text: string): number | null {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) return null
  let total = 0
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
    total += Number(amount) * unitsMs[unit as keyof typeof unitsMs]
  }
  return total
}

/** A duration for people: `340 ms`, `2.1 s`, `3 m 05 s`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 1000) return `${Math.round(durationMs)} ms`
  if (durationMs < 60_000) return `${(durationMs / 1000).toFixed(1)} s`
  const seconds = Math.round(durationMs / 1000)
  return `${Math.floor(seconds / 60)} m ${String(seconds % 60).padStart(2, "0")} s`
}
