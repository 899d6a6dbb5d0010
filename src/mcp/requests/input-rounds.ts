import { setTimeout as pause } from "node:timers/promises"
import { isJsonObject, type JsonObject } from "../../contract/json.ts"
import { unlessAborted } from "../deadline.ts"
import type { ServerDesk } from "./server-desk.ts"

const pauseMs = 250

/** What the next round of a request must carry, or why there is none. */
export type NextRound =
  | { readonly ok: true; readonly params: JsonObject }
  | { readonly ok: false; readonly code: number; readonly message: string }

/** Since 2026-07-28 a server asks by answering "input required": answer each question, then the request is sent again. */
export async function answerInputs(
  asked: JsonObject,
  params: JsonObject,
  desk: { readonly answer: ServerDesk["answer"]; readonly signal: AbortSignal },
): Promise<NextRound> {
  const questions = Object.entries(isJsonObject(asked.inputRequests) ? asked.inputRequests : {})
  // Without a question the server only wants to be asked again, and not at once.
  if (questions.length === 0) await pause(pauseMs, undefined, { signal: desk.signal })
  const responses: [string, JsonObject][] = []
  for (const [key, question] of questions) {
    const method = isJsonObject(question) && typeof question.method === "string" ? question.method : "(no method)"
    const details = isJsonObject(question) && isJsonObject(question.params) ? question.params : {}
    const answered = await unlessAborted(desk.answer(method, details, desk.signal), desk.signal)
    if (!answered.ok) return { ...answered, message: `the server asked for ${method}, refused: ${answered.message}` }
    responses.push([key, answered.result])
  }
  const inputResponses = responses.length === 0 ? {} : { inputResponses: Object.fromEntries(responses) }
  const requestState = asked.requestState === undefined ? {} : { requestState: asked.requestState }
  return { ok: true, params: { ...params, ...inputResponses, ...requestState } }
}
