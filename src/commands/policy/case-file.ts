import * as z from "zod/mini"
import { describeIssue } from "../../config/describe-issue.ts"
import type { KeyPath } from "../../config/positions.ts"
import { formatPath } from "../../config/problem.ts"
import { parseToml } from "../../config/text/parse-toml.ts"
import { readText } from "../../config/text/read-text.ts"
import { isJsonObject, type JsonObject } from "../../contract/json.ts"
import type { ToolHints } from "../../contract/tool.ts"
import { UserError } from "../../contract/user-error.ts"

const caseSchema = z.strictObject({
  name: z.optional(z.string().check(z.minLength(1))),
  tool: z.string().check(z.minLength(1)),
  input: z._default(z.custom<JsonObject>(isJsonObject, "expected a table"), {}),
  hints: z.optional(
    z.strictObject({
      read_only: z._default(z.boolean(), false),
      destructive: z._default(z.boolean(), false),
      idempotent: z._default(z.boolean(), false),
    }),
  ),
  expect: z.enum(["allow", "ask", "deny"]),
  rule: z.optional(z.string()),
  source: z.optional(z.string()),
})
const fileSchema = z.strictObject({ cases: z.array(caseSchema).check(z.minLength(1)) })

/** One case of a policy test: a call, and what must be decided about it. */
export interface PolicyCase {
  readonly name: string
  readonly tool: string
  readonly input: JsonObject
  readonly hints: ToolHints | undefined
  readonly expect: "allow" | "ask" | "deny"
  readonly rule: string | undefined
  readonly source: string | undefined
  /** Where the case stands: `policy.toml:12`. */
  readonly at: string
}

const maxBytes = 4 * 1024 * 1024

/** Read the cases of a policy test. Throws a UserError that names every mistake and its place; no cases is one. */
export async function readCases(path: string): Promise<readonly PolicyCase[]> {
  const content = await readText(path, maxBytes)
  if (content.kind === "missing") throw wrong(path, "does not exist")
  if (content.kind === "unusable") throw wrong(path, content.why)
  const parsed = parseToml(content.text)
  if (parsed.kind === "fault") throw wrong(`${path}:${parsed.position.line}:${parsed.position.column}`, parsed.message)
  const { values, positions } = parsed
  const placeOf = (keys: KeyPath) => {
    const position = positions.find(keys)
    return position === null ? path : `${path}:${position.line}`
  }
  const checked = fileSchema.safeParse(values)
  if (!checked.success) {
    const findings = checked.error.issues.flatMap((issue) => findingsOf(issue, values))
    const [first, ...others] = findings.map(
      (found) => `${placeOf(found.path)} ${formatPath(found.path)}: ${found.message}`,
    )
    throw wrong("", [first, ...others].join("\n"))
  }
  return checked.data.cases.map(({ name, hints, ...rest }, index) => ({
    ...rest,
    name: name ?? `${rest.tool} ${JSON.stringify(rest.input)}`,
    hints: hints && { readOnly: hints.read_only, destructive: hints.destructive, idempotent: hints.idempotent },
    rule: rest.rule,
    source: rest.source,
    at: placeOf(["cases", index]),
  }))
}

function findingsOf(issue: z.core.$ZodIssue, values: unknown): ReturnType<typeof describeIssue> {
  if (issue.code !== "unrecognized_keys") return describeIssue(issue, values)
  const path = issue.path.map((segment) => (typeof segment === "number" ? segment : String(segment)))
  return issue.keys.map((key) => ({ path: [...path, key], message: "unknown key" }))
}

function wrong(where: string, message: string): UserError {
  return new UserError("config_error", message, {
    ...(where === "" ? {} : { where }),
    hint: 'A policy test is a list of [[cases]] with tool, input and expect = "allow", "ask" or "deny"; also name, hints, rule, source.',
  })
}
