import { isJsonObject, type JsonObject } from "../contract/json.ts"
import type { DisabledServer } from "../contract/server.ts"
import type { EffectiveValue } from "./effective.ts"
import { listsThatAddUp } from "./merge.ts"
import { formatKey, formatPath } from "./problem.ts"
import { tableOf } from "./values.ts"

const { rules, customTools, preToolUse, postToolUse, runStart, runEnd } = listsThatAddUp
const listsOfTables = [rules, customTools, preToolUse, postToolUse, runStart, runEnd]

/** The effective configuration as text: TOML, with the source of every value behind it. */
export function renderEffectiveText(
  effective: readonly EffectiveValue[],
  disabledServers: readonly DisabledServer[],
): string {
  const blocks = new Map<string, string[]>()
  for (const { path, value, source } of effective) {
    const isRule = typeof path.at(-1) === "number"
    const table = formatPath(path.slice(0, -1))
    if (isRule) blocks.set(formatPath(path), [`[[${table}]]  # ${source}`, ...ruleLines(value)])
    else {
      const block = blocks.get(table) ?? [`[${table}]`, ...notStarted(path, disabledServers)]
      blocks.set(table, [...block, `${formatKey(String(path.at(-1)))} = ${formatValue(value)}  # ${source}`])
    }
  }
  return `${[...blocks.values()].map((lines) => lines.join("\n")).join("\n\n")}\n`
}

/** The effective configuration as JSON: every value as `{value, source}`. */
export function renderEffectiveJson(effective: readonly EffectiveValue[]): JsonObject {
  const isElement = ({ path }: EffectiveValue) => typeof path.at(-1) === "number"
  const elements = (list: readonly string[]) =>
    effective
      .filter((entry) => isElement(entry) && formatPath(entry.path.slice(0, -1)) === formatPath(list))
      .map(({ value, source }) => ({ value, source }))
  const entries = effective
    .filter((entry) => !isElement(entry))
    .map(({ path, value, source }) => ({ path: path.map(String), value: { value, source } }))
  return tableOf([...entries, ...listsOfTables.map((path) => ({ path, value: elements(path) }))])
}

function ruleLines(rule: unknown): readonly string[] {
  return Object.entries(isJsonObject(rule) ? rule : {})
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${formatKey(key)} = ${formatValue(value)}`)
}

function notStarted(path: EffectiveValue["path"], disabledServers: readonly DisabledServer[]): readonly string[] {
  const server = path[0] === "mcp_servers" ? disabledServers.find(({ name }) => name === path[1]) : undefined
  return server === undefined ? [] : [`# not started: ${server.why}`]
}

function formatValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatValue).join(", ")}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  const pairs = Object.entries(value).map(([key, inner]) => `${formatKey(key)} = ${formatValue(inner)}`)
  return pairs.length === 0 ? "{}" : `{ ${pairs.join(", ")} }`
}
