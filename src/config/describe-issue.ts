import type * as z from "zod/mini"
import { configKeys, knownNamesAt } from "./keys.ts"
import type { KeyPath } from "./positions.ts"
import { suggest } from "./suggest.ts"
import { valueAt } from "./values.ts"

/** One mistake that the schema found, in words for a person. */
export interface Finding {
  readonly path: KeyPath
  readonly message: string
}

/** Say what an issue of the schema means for the person who wrote the values. Values are not repeated: they may be secret. */
export function describeIssue(issue: z.core.$ZodIssue, values: unknown): readonly Finding[] {
  const path = issue.path.map((segment) => (typeof segment === "number" ? segment : String(segment)))
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ path: [...path, key], message: describeUnknownKey(path, key) }))
  }
  return [{ path, message: describeValue(issue, valueAt(values, path)) }]
}

function describeValue(issue: Exclude<z.core.$ZodIssue, z.core.$ZodIssueUnrecognizedKeys>, value: unknown): string {
  if (value === undefined) return "is required"
  switch (issue.code) {
    case "invalid_type":
      return `expected ${typeNames[issue.expected] ?? issue.expected}, got ${kindOf(value)}${quoteHint(issue.expected, value)}`
    case "invalid_value":
      return describeChoice(issue.values.map(String), value)
    case "too_small":
      if (issue.origin !== "number") return "must not be empty"
      return `must be ${issue.inclusive ? "at least" : "more than"} ${issue.minimum}`
    case "too_big":
      return `must be at most ${issue.maximum}`
    default:
      return issue.message
  }
}

const typeNames: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a table",
  record: "a table",
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "a list"
  if (value instanceof Date) return "a date"
  if (value === null) return "null"
  const kind = typeof value
  if (kind === "number") return Number.isInteger(value) ? "a whole number" : "a number"
  return kind === "boolean" ? "true or false" : (typeNames[kind] ?? kind)
}

function quoteHint(expected: string, value: unknown): string {
  const needsQuotes = expected === "string" && (typeof value === "number" || typeof value === "boolean")
  return needsQuotes ? ": write it in quotes" : ""
}

function describeChoice(choices: readonly string[], value: unknown): string {
  const expected = `expected one of ${choices.map((choice) => `"${choice}"`).join(", ")}`
  if (typeof value !== "string") return `${expected}, got ${kindOf(value)}`
  return `${expected}, got ${JSON.stringify(value.slice(0, 40))}${didYouMean(suggest(value, choices))}`
}

function describeUnknownKey(table: KeyPath, key: string): string {
  const endpoint = table[0] === "mcp_servers" ? undefined : endpointHints.find(({ pattern }) => pattern.test(key))
  if (endpoint) return `unknown key. ${endpoint.hint}`
  const here = suggest(key, knownNamesAt(table))
  if (here !== null) return `unknown key${didYouMean(here)}`
  const elsewhere = [...configKeys()].find((known) => known.key.split(".").at(-1) === key)
  return `unknown key${didYouMean(elsewhere?.key ?? null)}`
}

const endpointHints = [
  {
    pattern: /^(anthropic_?)?(base_?url|api_?base|api_?url|endpoint)$/i,
    hint: "The endpoint never comes from a file: use --base-url or ANTHROPIC_BASE_URL.",
  },
  {
    pattern: /^(anthropic_?)?(api_?key|auth_?token|api_?token)$/i,
    hint: "The key never comes from a file: set ANTHROPIC_API_KEY in the environment.",
  },
]

function didYouMean(name: string | null): string {
  return name === null ? "" : `. Did you mean "${name}"?`
}
