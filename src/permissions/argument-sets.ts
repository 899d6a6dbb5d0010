import { isJsonObject, type JsonObject } from "../contract/json.ts"
import { judgeArgument } from "./argument-values.ts"
import { compileGlob, escapeGlob } from "./glob.ts"

/** Arguments by dotted path, each with the values it may have. */
export type ArgumentSet = ReadonlyMap<string, ReadonlySet<string>>

const longestValue = 200
/** What stands in a list of alternatives as itself. */
const plain = /^(?!.*\.\.)[\w@:./-]+$/

/** The arguments of an input that a rule can name, and those that stay open: long texts, masked secrets, what is empty. */
export function argumentsOf(input: JsonObject): { readonly set: ArgumentSet; readonly open: readonly string[] } {
  const found = new Map<string, Set<string>>()
  collect(input, [], found)
  const set = new Map([...found].filter(([path, values]) => canName(input, path, values)))
  return { set, open: [...found.keys()].filter((path) => !set.has(path)) }
}

/** A set as `args` of a rule. */
export function toGlobs(set: ArgumentSet): Readonly<Record<string, string>> {
  return Object.fromEntries([...set].map(([path, values]) => [path, toGlob(values)]))
}

/** The same calls in fewer sets: those that another covers go, and those that differ in one argument become one. */
export function leastSets(sets: readonly ArgumentSet[]): readonly ArgumentSet[] {
  const distinct = [...new Map(sets.map((set) => [signatureOf(set, ""), set])).values()]
  const paths = new Set(distinct.flatMap((set) => [...set.keys()]))
  let least = withoutCovered(distinct)
  for (;;) {
    const joined = [...paths].reduce(joinAlong, least)
    if (joined.length === least.length) return withoutCovered(joined)
    least = joined
  }
}

function withoutCovered(sets: readonly ArgumentSet[]): readonly ArgumentSet[] {
  return sets.filter((set) => !sets.some((other) => other !== set && covers(other, set)))
}

/** Join the sets that are the same but for one argument; what the joined set matches, one of them did. */
function joinAlong(sets: readonly ArgumentSet[], path: string): readonly ArgumentSet[] {
  const groups = new Map<string, ArgumentSet[]>()
  for (const set of sets) {
    const canJoin = [...(set.get(path) ?? [""])].every((value) => plain.test(value))
    const signature = canJoin ? signatureOf(set, path) : `alone ${groups.size}`
    groups.set(signature, [...(groups.get(signature) ?? []), set])
  }
  return [...groups.values()].map((group) => {
    const values = new Set(group.flatMap((set) => [...(set.get(path) ?? [])]))
    return new Map([...(group[0] ?? []), ...(values.size === 0 ? [] : [[path, values] as const])])
  })
}

function signatureOf(set: ArgumentSet, leftOut: string): string {
  const named = [...set].filter(([path]) => path !== leftOut).map(([path, values]) => [path, [...values].sort()])
  return JSON.stringify(named.sort())
}

function collect(value: unknown, path: readonly string[], found: Map<string, Set<string>>): void {
  const key = path.join(".")
  if (Array.isArray(value) && value.length === 0) found.set(key, new Set([""]))
  else if (Array.isArray(value)) {
    for (const element of value) collect(element, path, found)
  } else if (isJsonObject(value)) {
    for (const [key, inner] of Object.entries(value)) collect(inner, [...path, key], found)
  } else {
    found.set(key, (found.get(key) ?? new Set()).add(String(value)))
  }
}

function canName(input: JsonObject, path: string, values: ReadonlySet<string>): boolean {
  if (path === "" || (values.size > 1 && ![...values].every((value) => plain.test(value)))) return false
  if ([...values].some((value) => value === "" || value.length > longestValue || /[\n\r]|\[redacted:/.test(value)))
    return false
  const verdicts = judgeArgument(input, path.split("."), compileGlob(toGlob(values), "suggested"))
  return verdicts.length > 0 && verdicts.every((verdict) => verdict === "match")
}

function toGlob(values: ReadonlySet<string>): string {
  const [only = ""] = values
  return values.size === 1 ? escapeGlob(only) : `{${[...values].sort().join(",")}}`
}

/** Does a rule with the first set match every call that one with the second matches? */
function covers(wide: ArgumentSet, narrow: ArgumentSet): boolean {
  return [...wide].every(([path, values]) => {
    const inner = narrow.get(path)
    return inner !== undefined && [...inner].every((value) => values.has(value))
  })
}
