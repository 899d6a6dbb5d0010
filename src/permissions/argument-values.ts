import { isJsonObject, type JsonObject } from "../contract/json.ts"
import type { Glob } from "./glob.ts"

/** How an argument stands to a glob; `unjudged` is a value too long or too deep to look at. */
export type ArgumentVerdict = "match" | "mismatch" | "unjudged"

const longestValue = 32_768
const deepestValue = 64

/**
 * Judge every value an input has at a dotted path. Arrays stand for their elements, wherever in the path they are;
 * an absent argument, an object and an empty array match nothing.
 */
export function judgeArgument(input: JsonObject, path: readonly string[], glob: Glob): readonly ArgumentVerdict[] {
  return judge({ value: input, path, glob, depth: 0 })
}

interface Place {
  readonly value: unknown
  readonly path: readonly string[]
  readonly glob: Glob
  readonly depth: number
}

function judge(place: Place): readonly ArgumentVerdict[] {
  const { value, path, glob } = place
  const depth = place.depth + 1
  if (depth > deepestValue) return ["unjudged"]
  const [key, ...rest] = path
  if (Array.isArray(value) && (key === undefined || !/^\d+$/.test(key))) {
    return value.flatMap((element) => judge({ value: element, path, glob, depth }))
  }
  if (key === undefined) return [judgeValue(value, glob)]
  if (Array.isArray(value)) return judge({ value: value[Number(key)], path: rest, glob, depth })
  if (!isJsonObject(value) || !Object.hasOwn(value, key)) return ["mismatch"]
  return judge({ value: value[key], path: rest, glob, depth })
}

function judgeValue(value: unknown, glob: Glob): ArgumentVerdict {
  if (value === undefined || (typeof value === "object" && value !== null)) return "mismatch"
  const text = String(value)
  if (text.length > longestValue) return "unjudged"
  return glob.matches(text) ? "match" : "mismatch"
}
