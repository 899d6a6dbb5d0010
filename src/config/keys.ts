import { isJsonObject, type JsonObject } from "../contract/json.ts"
import { configJsonSchema } from "./json-schema.ts"

/** One key of agent.toml, as the documentation lists it. */
export interface ConfigKey {
  /** `agent.model`, `mcp_servers.NAME.command`, `permissions.rules[].tool`. */
  readonly key: string
  readonly type: string
  /** `undefined` when the key has none. */
  readonly default: unknown
  readonly description: string
}

/** Every key of agent.toml, in the order of the schema. */
export function* configKeys(): Generator<ConfigKey> {
  yield* keysOf("", configJsonSchema())
}

/** The names that may stand in the table at a path; empty when the user chooses them. */
export function knownNamesAt(path: readonly (string | number)[]): readonly string[] {
  let table: JsonObject = configJsonSchema()
  for (const segment of path) {
    const properties = tableOf(table.properties)
    const inner = typeof segment === "number" ? table.items : ownValue(properties, segment)
    table = tableOf(inner ?? table.additionalProperties)
  }
  return Object.keys(tableOf(table.properties))
}

function* keysOf(prefix: string, table: JsonObject): Generator<ConfigKey> {
  for (const [name, schema] of Object.entries(tableOf(table.properties))) {
    const key = `${prefix}${name}`
    const inner = tableOf(schema)
    const items = tableOf(inner.items)
    const values = tableOf(inner.additionalProperties)
    if (isJsonObject(inner.properties)) yield* keysOf(`${key}.`, inner)
    else if (isJsonObject(items.properties)) yield* keysOf(`${key}[].`, items)
    else if (isJsonObject(values.properties)) yield* keysOf(`${key}.NAME.`, values)
    else yield { key, type: typeOf(inner), default: inner.default, description: String(inner.description) }
  }
}

function typeOf(schema: JsonObject): string {
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(" | ")
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map((choice) => typeOf(tableOf(choice))).join(" | ")
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.type === "array") return `list of ${typeOf(tableOf(schema.items))}`
  if (schema.type === "object") return `table of ${typeOf(tableOf(schema.additionalProperties))}`
  return schema.type === undefined ? "anything" : String(schema.type)
}

function tableOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}

function ownValue(table: JsonObject, key: string): unknown {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
