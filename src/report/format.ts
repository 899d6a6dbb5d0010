import type { Report } from "../contract/report.ts"

/** `12,345` */
export function formatCount(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ",")
}

/** `1 turn`, `3 turns` */
export function formatQuantity(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`
}

/** `$1.25`, `$0.0042`, or that nobody knows. */
export function formatCost(costUsd: number | null): string {
  if (costUsd === null) return "cost unknown"
  return `$${costUsd >= 1 || costUsd === 0 ? costUsd.toFixed(2) : costUsd.toFixed(4)}`
}

/** `12,345 tokens in (80 % from cache), 678 out` */
export function formatUsage(usage: Report["usage"]): string {
  const input = usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens
  const share = input === 0 ? 0 : Math.round((usage.cache_read_input_tokens / input) * 100)
  const fromCache = share === 0 ? "" : ` (${share} % from cache)`
  return `${formatQuantity(input, "token")} in${fromCache}, ${formatCount(usage.output_tokens)} out`
}
