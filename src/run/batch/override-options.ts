import { formatKey, formatPath } from "../../config/problem.ts"
import { isJsonObject, type JsonObject } from "../../contract/json.ts"

/** Configuration keys as `--set` takes them, one for each value. */
export function toSetOptions(config: JsonObject): readonly string[] {
  return leavesOf([], config).map(({ path, value }) => `${formatPath(path)}=${toToml(value)}`)
}

function leavesOf(path: readonly string[], table: JsonObject): readonly { path: readonly string[]; value: unknown }[] {
  return Object.entries(table).flatMap(([key, value]) =>
    isJsonObject(value) ? leavesOf([...path, key], value) : [{ path: [...path, key], value }],
  )
}

function toToml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toToml).join(", ")}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  return `{ ${Object.entries(value)
    .map(([key, inner]) => `${formatKey(key)} = ${toToml(inner)}`)
    .join(", ")} }`
}
