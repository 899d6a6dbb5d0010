import { isJsonObject, type JsonObject, type JsonSchema } from "../../contract/json.ts"

/** One argument of a tool, as far as its schema says. */
export interface Parameter {
  readonly name: string
  readonly described: boolean
  /** Says itself that it may be left out: a default, null among its types, or a word in its description. */
  readonly optional: boolean
}

/** What a schema says about the arguments at its top level, also in the parts it is composed of. */
export interface Parameters {
  readonly list: readonly Parameter[]
  /** Is there a list of required arguments at all, also an empty one? */
  readonly marksRequired: boolean
  readonly hasExamples: boolean
}

/** Read the arguments of a schema. Needs one that is not nested too deeply to walk. */
export function parametersOf(schema: JsonSchema): Parameters {
  const parts = partsOf(schema, schema, new Set())
  const list = new Map<string, Parameter>()
  for (const { properties } of parts) {
    for (const [name, property] of Object.entries(isJsonObject(properties) ? properties : {})) {
      const known = list.get(name)
      const read = readParameter(name, property, schema)
      list.set(name, {
        name,
        described: read.described || known?.described === true,
        optional: read.optional || known?.optional === true,
      })
    }
  }
  return {
    list: [...list.values()],
    marksRequired: parts.some(({ required }) => Array.isArray(required)),
    hasExamples: parts.some(({ properties, examples }) => {
      const all = [{ examples }, ...Object.values(isJsonObject(properties) ? properties : {})]
      return all.some((part) => isJsonObject(part) && Array.isArray(part.examples) && part.examples.length > 0)
    }),
  }
}

const composers = ["allOf", "anyOf", "oneOf"] as const

/** A schema and every schema that speaks of the same value: what it refers to and what it is composed of. */
function partsOf(schema: unknown, root: JsonSchema, seen: Set<unknown>): readonly JsonObject[] {
  if (!isJsonObject(schema) || seen.has(schema)) return []
  seen.add(schema)
  const composed = composers.flatMap((key) => (Array.isArray(schema[key]) ? schema[key] : []))
  const inner = [referred(schema, root), ...composed]
  return [schema, ...inner.flatMap((part) => partsOf(part, root, seen))]
}

/** What a reference inside the same schema points to; `null` when there is none or it leads nowhere. */
function referred(schema: JsonObject, root: JsonSchema): unknown {
  const { $ref } = schema
  if (typeof $ref !== "string" || !$ref.startsWith("#/")) return $ref === "#" ? root : null
  const steps = $ref.slice(2).split("/")
  return steps.reduce<unknown>((place, step) => {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~")
    if (Array.isArray(place)) return place[Number(key)]
    return isJsonObject(place) && Object.hasOwn(place, key) ? place[key] : null
  }, root)
}

function readParameter(name: string, property: unknown, root: JsonSchema): Parameter {
  const parts = partsOf(property, root, new Set())
  const texts = parts.flatMap(({ description }) => (typeof description === "string" ? [description] : []))
  return {
    name,
    described: texts.some((text) => text.trim() !== ""),
    optional:
      parts.some((part) => Object.hasOwn(part, "default") || [part.type].flat().includes("null")) ||
      texts.some((text) => /\boptional(?:ly)?\b|\bdefaults?\b/i.test(text)),
  }
}
