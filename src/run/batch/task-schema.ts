import * as z from "zod/mini"
import { isJsonObject, type JsonObject } from "../../contract/json.ts"

const words = z.string().check(z.minLength(1))
const table = z.custom<JsonObject>(isJsonObject, "expected a table")
const count = z.int().check(z.minimum(1))

/** A name that is also a folder: no path, nothing hidden, nothing that a shell or a file system reads otherwise. */
const idPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/

/** One entry of `[[tasks]]`, or one line of JSONL. */
export const taskSchema = z.strictObject({
  id: z.string().check(z.regex(idPattern, "must be 1 to 100 letters, digits, dots, dashes or underscores")),
  task: z.optional(words),
  task_file: z.optional(words),
  inputs: z._default(z.array(words), []),
  workspace: z.optional(words),
  overrides: z._default(table, {}),
})

/** `[batch]` of a TOML file of tasks. */
export const headSchema = z.strictObject({
  max_cost_usd: z.optional(z.number().check(z.positive())),
  timeout_sec: z.optional(z.number().check(z.positive())),
  max_failures: z.optional(z.int().check(z.minimum(0))),
  fail_fast: z.optional(z.boolean()),
  concurrency: z.optional(count),
})

/** What may stand beside configuration keys in `overrides`: options that no key stands for. */
export const optionSchema = z.strictObject({ script: z.optional(words), output_schema: z.optional(words) })

/** The keys of each table, for suggestions. */
export const knownKeys = {
  file: ["batch", "tasks"],
  head: Object.keys(headSchema.shape),
  task: Object.keys(taskSchema.shape),
}
