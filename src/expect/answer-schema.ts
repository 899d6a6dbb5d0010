import { readFile } from "node:fs/promises"
import { isJsonObject, type JsonSchema } from "../contract/json.ts"
import { UserError } from "../contract/user-error.ts"
import { createSchemaCheck } from "../util/schema-check.ts"

/** An answer that fits, as JSON, or what the model is told to mend. */
export type JudgedAnswer =
  | { readonly ok: true; readonly structured: unknown }
  | { readonly ok: false; readonly problem: string }

/** The schema that the answer of a run must fit. */
export interface AnswerSchema {
  readonly schema: JsonSchema
  judge(answer: string): Promise<JudgedAnswer>
}

const maxSchemaBytes = 256 * 1024

/** Read the file given with `--output-schema`. Throws a UserError when it is no JSON Schema. */
export async function loadAnswerSchema(path: string): Promise<AnswerSchema> {
  const where = `--output-schema ${path}:`
  let schema: unknown
  try {
    const text = await readFile(path, "utf8")
    if (text.length > maxSchemaBytes) throw new Error("it is larger than 256 KiB")
    schema = JSON.parse(text)
    if (!isJsonObject(schema)) throw new Error("a JSON Schema is an object")
    const check = createSchemaCheck(schema)
    await check(null)
    return { schema, judge: (answer) => judge(answer, check) }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new UserError("usage_error", `cannot be used: ${why}`, {
      where,
      hint: "Give a file with a JSON Schema.",
      cause,
    })
  }
}

async function judge(answer: string, check: (value: unknown) => Promise<string | null>): Promise<JudgedAnswer> {
  let structured: unknown
  try {
    structured = JSON.parse(withoutFence(answer))
  } catch (error) {
    return { ok: false, problem: `it is not JSON: ${error instanceof Error ? error.message : String(error)}` }
  }
  const problem = await check(structured)
  return problem === null ? { ok: true, structured } : { ok: false, problem }
}

/** Models like to wrap JSON into a code fence; what is inside counts. */
function withoutFence(answer: string): string {
  return /^\s*```(?:json)?\s*\n([\s\S]*?)\n?\s*```\s*$/.exec(answer)?.[1] ?? answer
}
