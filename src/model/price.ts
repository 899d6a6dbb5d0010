import type { Price, Usage } from "../contract/model.ts"

/** What a model costs: its price, and a dearer one when the prompt is long. */
export interface PriceTable extends Price {
  readonly longPrompt: { readonly aboveTokens: number; readonly factor: number } | null
}

/** The price of a model, or `null` when nobody knows it. A price the user gives wins over ours. */
export function priceOf(model: string, overrides: Readonly<Record<string, Price>>): PriceTable | null {
  const name = plainName(model)
  const override = ownValue(overrides, model) ?? ownValue(overrides, name)
  if (override !== undefined) return { ...override, longPrompt: null }
  return ownValue(published, name) ?? null
}

/** Dollars for one request. `oneHourWriteTokens` is the part of the cache writes that live for an hour. */
export function costOf(usage: Usage, price: PriceTable, oneHourWriteTokens = 0): number {
  const promptTokens = usage.inputTokens + usage.cacheReadInputTokens + usage.cacheCreationInputTokens
  const isLong = price.longPrompt !== null && promptTokens > price.longPrompt.aboveTokens
  const factor = isLong ? (price.longPrompt?.factor ?? 1) : 1
  const dollarsPerMillion =
    usage.inputTokens * price.input +
    usage.outputTokens * price.output +
    usage.cacheReadInputTokens * price.cacheRead +
    (usage.cacheCreationInputTokens - oneHourWriteTokens) * price.cacheWrite +
    oneHourWriteTokens * price.input * 2
  return (factor * dollarsPerMillion) / 1_000_000
}

/** `us.anthropic.claude-sonnet-4-5-20250929-v1:0`, `anthropic/claude-sonnet-4-5` and `claude-sonnet-4-5@20250929` are one model. */
function plainName(model: string): string {
  return model
    .replace(/^.*\//, "")
    .replace(/^([a-z-]+\.)?anthropic\./, "")
    .replace(/-v\d+(:\d+)?$/, "")
    .replace(/[-@](\d{8}|latest)$/, "")
}

function ownValue<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}

const opus5 = flat(5, 25, 0.5, 6.25)
const sonnet4 = flat(3, 15, 0.3, 3.75)

/** As published in November 2026. */
const published: Readonly<Record<string, PriceTable>> = {
  "claude-opus-5-5": flat(4, 20, 0.2, 5),
  "claude-opus-5": opus5,
  "claude-opus-4-8": opus5,
  "claude-opus-4-7": opus5,
  "claude-opus-4-6": opus5,
  "claude-opus-4-5": opus5,
  "claude-sonnet-5-5": flat(2, 10, 0.1, 2.5),
  "claude-sonnet-5": flat(2, 10, 0.2, 2.5),
  "claude-sonnet-4-6": sonnet4,
  "claude-sonnet-4-5": sonnet4,
  "claude-fable-5-2": flat(8, 40, 0.2, 10),
  "claude-fable-5-1": flat(10, 50, 0.25, 12.5),
  "claude-fable-5": flat(10, 50, 1, 12.5),
  "claude-haiku-5-5": { ...flat(0.1, 0.5, 0.01, 0.125), longPrompt: { aboveTokens: 100_000, factor: 5 } },
  "claude-haiku-4-5": flat(1, 5, 0.1, 1.25),
}

/** Dollars per million tokens, in the order in which price lists print them. */
function flat(...[input, output, cacheRead, cacheWrite]: [number, number, number, number]): PriceTable {
  return { input, output, cacheRead, cacheWrite, longPrompt: null }
}
