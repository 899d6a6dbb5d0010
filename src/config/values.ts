import { isJsonObject, type JsonObject } from "../contract/json.ts"
import type { KeyPath } from "./positions.ts"

/** The value at a path, looking only at what the data itself holds; `undefined` when there is none. */
export function valueAt(root: unknown, path: KeyPath): unknown {
  let value = root
  for (const segment of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, segment)) return undefined
    value = Reflect.get(value, segment)
  }
  return value
}

/** The table at a path; an empty one when there is none. */
export function tableAt(root: unknown, path: KeyPath): JsonObject {
  const value = valueAt(root, path)
  return isJsonObject(value) ? value : {}
}

/** A table that holds one value at a path. */
export function tableWith(path: readonly string[], value: unknown): JsonObject {
  return tableOf([{ path, value }])
}

/** A table that holds each value at its path. Every name is plain data, also `__proto__`. */
export function tableOf(entries: Iterable<{ readonly path: readonly string[]; readonly value: unknown }>): JsonObject {
  const root: MutableTable = Object.create(null)
  for (const { path, value } of entries) {
    let table = root
    for (const name of path.slice(0, -1)) table = innerTable(table, name)
    const last = path.at(-1)
    if (last !== undefined) table[last] = value
  }
  return root
}

/** Two tables as one, key by key; where both hold a value, the first one counts. */
export function mergeTables(winner: JsonObject, other: JsonObject): JsonObject {
  const merged: Record<string, unknown> = Object.assign(Object.create(null), other)
  for (const [key, value] of Object.entries(winner)) {
    const below = merged[key]
    merged[key] = isJsonObject(value) && isJsonObject(below) ? mergeTables(value, below) : value
  }
  return merged
}

interface MutableTable {
  [name: string]: unknown
}

function innerTable(table: MutableTable, name: string): MutableTable {
  const existing = table[name]
  if (isTable(existing)) return existing
  const created: MutableTable = Object.create(null)
  table[name] = created
  return created
}

function isTable(value: unknown): value is MutableTable {
  return isJsonObject(value)
}
