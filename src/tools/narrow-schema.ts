import { isJsonObject, type JsonObject, type JsonSchema } from "../contract/json.ts"

/** What a custom tool does to the arguments of the tool it wraps. */
export interface Narrowing {
  readonly fixed: JsonObject
  readonly defaults: JsonObject
}

/** The arguments that a schema names at its top level, also in the parts it is composed of. */
export function argumentNames(schema: JsonSchema): ReadonlySet<string> {
  const own = Object.keys(tableOf(schema.properties))
  return new Set([...own, ...partsOf(schema).flatMap((part) => [...argumentNames(part)])])
}

/** The schema without the fixed arguments; those with a default are no longer required, and show it. */
export function narrowSchema(schema: JsonSchema, narrowing: Narrowing): JsonSchema {
  const narrowed = narrowPart(schema, narrowing)
  const composed = partsOf(schema).length > 0 || "patternProperties" in schema
  return composed ? narrowed : { ...narrowed, additionalProperties: false }
}

const lists = ["allOf", "anyOf", "oneOf"] as const
const singles = ["if", "then", "else"] as const

function partsOf(schema: JsonSchema): readonly JsonSchema[] {
  const parts = [
    ...lists.flatMap((key) => (Array.isArray(schema[key]) ? schema[key] : [])),
    ...singles.map((key) => schema[key]),
    ...Object.values(tableOf(schema.dependentSchemas)),
  ]
  return parts.filter(isJsonObject)
}

function narrowPart(schema: JsonSchema, narrowing: Narrowing): JsonSchema {
  const { fixed, defaults } = narrowing
  const narrow = (part: unknown) => (isJsonObject(part) ? narrowPart(part, narrowing) : part)
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (key === "properties") return [key, narrowProperties(tableOf(value), narrowing)]
    if (key === "required" && Array.isArray(value)) {
      return [key, value.filter((name) => !Object.hasOwn(fixed, name) && !Object.hasOwn(defaults, name))]
    }
    if (isListKey(key) && Array.isArray(value)) return [key, value.map(narrow)]
    if (isSingleKey(key)) return [key, narrow(value)]
    if (key === "dependentSchemas") return [key, mapValues(withoutFixed(tableOf(value), fixed), narrow)]
    if (key === "dependentRequired") return [key, withoutFixed(tableOf(value), fixed)]
    return [key, value]
  })
  return Object.fromEntries(entries)
}

function narrowProperties(properties: JsonObject, { fixed, defaults }: Narrowing): JsonObject {
  const free = Object.entries(withoutFixed(properties, fixed))
  return Object.fromEntries(
    free.map(([name, property]) => {
      if (!Object.hasOwn(defaults, name)) return [name, property]
      return [name, { ...tableOf(property), default: defaults[name] }]
    }),
  )
}

function withoutFixed(table: JsonObject, fixed: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(table).filter(([name]) => !Object.hasOwn(fixed, name)))
}

function mapValues(table: JsonObject, change: (value: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(table).map(([key, value]) => [key, change(value)]))
}

function isListKey(key: string): boolean {
  return lists.some((list) => list === key)
}

function isSingleKey(key: string): boolean {
  return singles.some((single) => single === key)
}

function tableOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}
