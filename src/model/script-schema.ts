import { parse, TomlError } from "smol-toml"
import * as z from "zod/mini"
import { UserError } from "../contract/user-error.ts"

const count = z.int().check(z.nonnegative())
const oneOrMore = z.union([z.string(), z.array(z.string())])

const expectSchema = z.strictObject({
  tools_offered: z.optional(z.array(z.string())),
  tools_not_offered: z.optional(z.array(z.string())),
  system_contains: z.optional(oneOrMore),
  messages: z.optional(count),
  last_message_contains: z.optional(oneOrMore),
  last_result_contains: z.optional(oneOrMore),
  last_result_is_error: z.optional(z.boolean()),
})

const callSchema = z.strictObject({
  tool: z.string(),
  input: z.optional(z.unknown()),
  id: z.optional(z.string()),
})

const usageSchema = z.strictObject({
  input_tokens: z.optional(count),
  output_tokens: z.optional(count),
  cache_read_input_tokens: z.optional(count),
  cache_creation_input_tokens: z.optional(count),
})

const turnSchema = z.strictObject({
  text: z.optional(z.string()),
  expect: z.optional(expectSchema),
  calls: z.optional(z.array(callSchema)),
  stop_reason: z.optional(z.string()),
  stop_details: z.optional(z.string()),
  usage: z.optional(usageSchema),
  cost_usd: z.optional(z.number().check(z.nonnegative())),
  delay_ms: z.optional(count),
})

const scriptSchema = z.strictObject({
  model: z.optional(z.string()),
  turns: z.array(turnSchema),
})

/** A script, spelled as in its file: what the model says turn by turn, and what it expects to be sent. */
export type Script = z.infer<typeof scriptSchema>

/** One answer of a script. */
export type ScriptTurn = Script["turns"][number]

/** What a turn expects of the request that it answers. */
export type ScriptExpectation = NonNullable<ScriptTurn["expect"]>

const maxScriptChars = 4_000_000

/** Read a script from TOML, or from JSON when the name ends so. Errors name file, line and key. */
export function parseScript(text: string, path: string): Script {
  if (text.length > maxScriptChars) throw scriptError("is larger than 4 MB, the most a script may have.", path)
  const data = path.endsWith(".json") ? readJson(text, path) : readToml(text, path)
  const result = scriptSchema.safeParse(data, { reportInput: true })
  if (result.success) return result.data

  const [issue] = result.error.issues
  const keys = issue?.code === "unrecognized_keys" ? [...issue.path, issue.keys[0] ?? ""] : (issue?.path ?? [])
  const line = path.endsWith(".json") ? null : lineOf(keys, text)
  throw scriptError(`${spell(keys)}: ${problemOf(issue)}.`, line === null ? path : `${path}:${line}`)
}

/** The error of a script that cannot be used. */
export function scriptError(message: string, where: string, cause?: unknown): UserError {
  return new UserError("script_error", message, {
    where,
    hint: "A script is a list of [[turns]] with text, [[turns.calls]] and expect.",
    cause,
  })
}

function readToml(text: string, path: string): unknown {
  try {
    return plain(parse(text))
  } catch (error) {
    if (error instanceof TomlError) {
      throw scriptError(firstLine(error.message), `${path}:${error.line}:${error.column}`, error)
    }
    throw scriptError(`is not usable TOML: ${describe(error)}`, path, error)
  }
}

function readJson(text: string, path: string): unknown {
  try {
    return plain(JSON.parse(text))
  } catch (error) {
    const position = /at position (\d+)/.exec(describe(error))?.[1]
    const line = position === undefined ? "" : `:${text.slice(0, Number(position)).split("\n").length}`
    throw scriptError(`is not JSON: ${describe(error)}`, `${path}${line}`, error)
  }
}

/** Dates become text, and what is nested too deeply to be sent fails here and not later. */
function plain(data: unknown): unknown {
  return JSON.parse(JSON.stringify(data))
}

function problemOf(issue: z.core.$ZodIssue | undefined): string {
  switch (issue?.code) {
    case "unrecognized_keys":
      return "unknown key"
    case "invalid_type": {
      const expected = `${/^[aeiou]/.test(issue.expected) ? "an" : "a"} ${issue.expected}`
      return issue.input === undefined ? `is missing, it should be ${expected}` : `should be ${expected}`
    }
    case "invalid_union":
      return "should be a string or a list of strings"
    case "too_small":
      return "must not be negative"
    default:
      return "has a value that does not fit"
  }
}

/** The line of `turns[2].calls[0].tool` in TOML: the table's header, and the key below it where it can be found. */
function lineOf(keys: readonly PropertyKey[], text: string): number | null {
  const lines = text.split("\n")
  const [turns, turn, calls, call] = keys
  if (turns !== "turns" || typeof turn !== "number")
    return keyLine(lines, { key: keys.at(-1), from: 0, until: lines.length })
  const turnAt = nthLine(lines, /^\s*\[\[\s*turns\s*\]\]/, { nth: turn, from: 0 })
  if (turnAt === null) return null
  const nextTurn = nthLine(lines, /^\s*\[\[\s*turns\s*\]\]/, { nth: 0, from: turnAt + 1 }) ?? lines.length
  const callAt =
    calls === "calls" && typeof call === "number"
      ? nthLine(lines, /^\s*\[\[\s*turns\.calls\s*\]\]/, { nth: call, from: turnAt })
      : null
  const from = callAt ?? turnAt
  return keyLine(lines, { key: keys.at(-1), from, until: nextTurn }) ?? from + 1
}

function nthLine(lines: readonly string[], pattern: RegExp, at: { readonly nth: number; readonly from: number }) {
  const found = lines.flatMap((line, index) => (index >= at.from && pattern.test(line) ? [index] : []))
  return found[at.nth] ?? null
}

function keyLine(
  lines: readonly string[],
  range: { readonly key: PropertyKey | undefined; readonly from: number; readonly until: number },
): number | null {
  const key = String(range.key).replaceAll(/[^\w-]/g, ".")
  const pattern = new RegExp(`(^|[\\s{,."'])${key}["']?\\s*[=.\\]]`)
  const index = lines.findIndex((line, at) => at >= range.from && at < range.until && pattern.test(line))
  return index === -1 ? null : index + 1
}

function spell(keys: readonly PropertyKey[]): string {
  const path = keys.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("")
  return path.replace(/^\./, "") || "the script"
}

function firstLine(message: string): string {
  return `${message.split("\n")[0]}.`
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
