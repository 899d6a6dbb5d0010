import type { Report } from "../contract/report.ts"

/** One thing that two reports say, side by side. */
export interface Difference {
  readonly name: string
  readonly before: string | number | null
  readonly after: string | number | null
  /** Relative to before, such as 0.2 for 20 % more; null where that means nothing. */
  readonly change: number | null
}

/** Two runs compared: how they ended, what they cost, what they did. */
export interface Comparison {
  readonly differences: readonly Difference[]
  readonly tools: readonly { readonly tool: string; readonly before: number; readonly after: number }[]
  /** How much more the later run cost, relative to the earlier; null when a cost is unknown. */
  readonly cost_increase: number | null
}

/** Compare two reports of the same task, the earlier first. */
export function compareReports(before: Report, after: Report): Comparison {
  const number = (name: string, of: (report: Report) => number | null): Difference => {
    const [one, other] = [of(before), of(after)]
    return { name, before: one, after: other, change: relativeChange(one, other) }
  }
  const word = (name: string, of: (report: Report) => string): Difference => ({
    name,
    before: of(before),
    after: of(after),
    change: null,
  })
  const cost = number("cost_usd", ({ cost_usd }) => cost_usd)
  return {
    differences: [
      word("status", ({ status }) => status),
      word("exit_code", ({ exit_code }) => String(exit_code)),
      word("reason", ({ reason }) => reason?.code ?? "none"),
      word("model", ({ run }) => run.model),
      cost,
      number("input_tokens", inputTokensOf),
      number("output_tokens", ({ usage }) => usage.output_tokens),
      number("cache_read_input_tokens", ({ usage }) => usage.cache_read_input_tokens),
      number("turns", ({ turns }) => turns),
      number("calls", ({ calls }) => calls.length),
      number("failed_calls", ({ calls }) => calls.filter(({ ok }) => !ok).length),
      number("denied", ({ denied }) => denied),
      number("duration_ms", ({ run }) => run.duration_ms),
      number("files_changed", ({ files_changed }) => files_changed.length),
    ],
    tools: compareTools(before, after),
    cost_increase: cost.change,
  }
}

function inputTokensOf({ usage }: Report): number {
  return usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens
}

function compareTools(before: Report, after: Report): Comparison["tools"] {
  const counts = [before, after].map(countTools)
  const names = [...new Set(counts.flatMap((count) => [...count.keys()]))].sort()
  return names
    .map((tool) => ({ tool, before: counts[0]?.get(tool) ?? 0, after: counts[1]?.get(tool) ?? 0 }))
    .filter((row) => row.before !== row.after)
}

function countTools({ calls }: Report): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { tool } of calls) counts.set(tool, (counts.get(tool) ?? 0) + 1)
  return counts
}

/** Something from nothing is an endless increase; nothing from nothing is none. */
function relativeChange(before: number | null, after: number | null): number | null {
  if (before === null || after === null) return null
  if (before === after) return 0
  if (before === 0) return Number.POSITIVE_INFINITY
  return Math.round(((after - before) / before) * 1e6) / 1e6
}
