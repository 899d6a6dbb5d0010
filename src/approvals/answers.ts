import { confirmed, denied, type RunEventBody } from "../contract/event.ts"
import { UserError } from "../contract/user-error.ts"
import type { RebuiltCall } from "./rebuild.ts"

/** What `--approve`, `--reject` and `--reason` say. */
export interface GivenAnswers {
  readonly approve: readonly string[]
  readonly reject: readonly string[]
  readonly reason: string | null
}

/** An answer to one request. */
export interface Approval {
  readonly approved: boolean
  readonly reason: string | null
}

/** The answers to the calls of a paused turn. */
export interface CollectedAnswers {
  /** Those given now, to be recorded. */
  readonly fresh: readonly (RunEventBody & { readonly type: "approval.answer" })[]
  /** All of them, by call. */
  readonly answers: ReadonlyMap<string, Approval>
  /** Requests that nobody has answered yet. */
  readonly open: readonly string[]
}

/** Match answers with the requests they are for. A name beats `all`. Throws a UserError for what matches nothing. */
export function collectAnswers(calls: readonly RebuiltCall[], given: GivenAnswers): CollectedAnswers {
  const requests = calls.flatMap(({ request, answer, result }) => (request && !result ? [{ request, answer }] : []))
  const ids = requests.map(({ request }) => request.call_id)
  refuseUnknown(given, ids)
  const answers = new Map<string, Approval>()
  const fresh: (RunEventBody & { type: "approval.answer" })[] = []
  for (const { request, answer: before } of requests) {
    const approved = answerIn(given, request.call_id)
    if (before !== null) {
      if (approved !== null && approved !== before.approved && isNamed(given, request.call_id)) {
        throw usage(`${request.call_id} was already answered: ${before.answer}`, "An answer cannot be taken back.")
      }
      answers.set(request.call_id, before)
    } else if (approved !== null) {
      const { turn, call_id, tool, server } = request
      const { reason } = given
      answers.set(call_id, { approved, reason })
      const answer = approved ? confirmed : denied
      fresh.push({ type: "approval.answer", turn, call_id, tool, server, approved, answer, reason, by: "option" })
    }
  }
  const open = ids.filter((id) => !answers.has(id))
  if (open.length > 0 && fresh.length === 0) {
    throw usage(
      "no call was approved or rejected",
      `Waiting: ${open.join(", ")}. Give --approve or --reject, each with an id or all.`,
    )
  }
  return { fresh, answers, open }
}

function answerIn({ approve, reject }: GivenAnswers, id: string): boolean | null {
  if (approve.includes(id)) return true
  if (reject.includes(id)) return false
  if (reject.includes("all")) return false
  return approve.includes("all") ? true : null
}

function isNamed({ approve, reject }: GivenAnswers, id: string): boolean {
  return approve.includes(id) || reject.includes(id)
}

function refuseUnknown({ approve, reject }: GivenAnswers, ids: readonly string[]): void {
  const both = approve.find((id) => reject.includes(id))
  if (both !== undefined) throw usage(`${both} is both approved and rejected`, "Decide.")
  const unknown = [...approve, ...reject].find((id) => id !== "all" && !ids.includes(id))
  if (unknown === undefined) return
  throw usage(`no call ${unknown} waits for an answer`, ids.length === 0 ? "None does." : `Waiting: ${ids.join(", ")}.`)
}

function usage(message: string, hint: string): UserError {
  return new UserError("usage_error", message, { where: "--resume:", hint })
}
