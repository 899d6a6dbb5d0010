import * as z from "zod/mini"
import type { JsonObject } from "../contract/json.ts"
import { isJsonObject } from "../contract/json.ts"

/** What a hook wants: nothing, another input, a block, a note. A hook that failed wants a block. */
export interface HookAnswer {
  readonly input: JsonObject | null
  readonly block: string | null
  readonly note: string | null
}

/** A hook that has nothing to say. */
export const silence: HookAnswer = { input: null, block: null, note: null }

const answerSchema = z.strictObject({
  input: z.optional(z.custom<JsonObject>(isJsonObject)),
  block: z.optional(z.string()),
  note: z.optional(z.string()),
})
const longestText = 4000

/** Read what a hook printed. Anything but nothing or one object with the keys we know is a failure, and so a block. */
export function readAnswer(stdout: string): HookAnswer {
  if (stdout.trim() === "") return silence
  const parsed = answerSchema.safeParse(parseJson(stdout))
  if (!parsed.success) return blocked("it must print nothing, or one JSON object with input, block or note")
  const { input = null, block = null, note = null } = parsed.data
  return { input, block: block === null ? null : cut(block) || "no reason given", note: note ? cut(note) : null }
}

/** The answer of a hook that failed. */
export function blocked(why: string): HookAnswer {
  return { ...silence, block: `the hook failed: ${cut(why)}` }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // No JSON fits the schema no more than wrong JSON does.
    return undefined
  }
}

function cut(text: string): string {
  const whole = text.trim()
  return whole.length <= longestText ? whole : `${whole.slice(0, longestText)}…`
}
