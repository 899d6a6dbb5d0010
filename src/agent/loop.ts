import type { Emit } from "../contract/event.ts"
import type { Message, Model, ModelAnswer, ToolDefinition, ToolUseBlock } from "../contract/model.ts"
import { ended, type Outcome } from "../contract/outcome.ts"
import type { Reason } from "../contract/reason.ts"
import { type AnswerSchema, judgeAnswer, repairRequest } from "./answer.ts"
import { approvalNeeded, type EarlierCalls } from "./approval.ts"
import { type CallDesk, callTools, type SettledCall, skipCalls } from "./call-tools.ts"
import { callsOf, createConversation, textOf } from "./conversation.ts"
import { deniedReason, fail, repetitionNote } from "./endings.ts"
import { type Limits, limitReason, type ReachedLimit } from "./limits.ts"
import { createRepetitionCounter, repetition } from "./repetition.ts"

/** Everything a run's loop needs; the rooms behind it are chosen by the corridor. */
export interface LoopOptions {
  readonly task: string
  readonly system: string
  readonly model: Model
  readonly definitions: () => readonly ToolDefinition[]
  readonly desk: CallDesk
  readonly limits: Limits
  readonly maxOutputTokens: number
  readonly onDenied: "continue" | "fail"
  /** Must the answer fit something? Judges it, and says what is wrong. */
  readonly answerSchema: AnswerSchema | null
  /** Wait before a request for servers that are on their way back; says why there must be no further one. */
  readonly ready: () => Promise<Reason | null>
  /** Why the run cannot go on, such as a required server that is gone. */
  readonly mustEnd: () => Reason | null
  /** Where the conversation was when the run was paused; absent in a run that begins. */
  readonly resumed?: ResumedCalls & { readonly messages: readonly Message[] }
  readonly emit: Emit
  /** Aborted with a `Reason`. */
  readonly signal: AbortSignal
}

/** The calls of the turn in which a run was paused. */
export interface ResumedCalls extends EarlierCalls {
  readonly turn: number
  readonly calls: readonly ToolUseBlock[]
  /** Those that were answered before. */
  readonly settled: readonly SettledCall[]
}

const maxPauses = 10
const maxRepairs = 2
const nudge = "You ended your turn without an answer. Say what you did and found, or go on with the task."
const askForSummary =
  "A limit of this run has been reached; no more tools can be called. Say briefly what is done, what you found, and what is left to do."

/** The loop: ask the model, run what it asks for, until there is an answer or a reason to stop. */
export async function runLoop(run: LoopOptions): Promise<Outcome> {
  const talk = createConversation(run)
  const repeatsOf = createRepetitionCounter()
  let { maxOutputTokens } = run
  let pauses = 0
  let nudged = false
  let repairs = 0

  if (run.resumed && run.resumed.calls.length > 0) {
    const outcome = await perform(run.resumed.calls, run.resumed)
    if (outcome) return outcome
  }
  for (;;) {
    const blocked = await run.ready()
    if (blocked) return ended(blocked)
    const limit = run.limits.reached()
    if (limit) return finish(limit, [])

    run.limits.startTurn()
    const reply = await ask("work")
    if (run.signal.aborted) return ended(run.signal.reason)
    if (reply.kind === "failure") {
      if (reply.code === "context_overflow" && talk.compact()) continue
      const { code, message, hint } = reply
      return { kind: "ended", reason: { code, message, hint }, answer: reply.partialText }
    }
    const calls = callsOf(reply)

    switch (calls.length > 0 && finished.has(reply.stopReason) ? "tool_use" : reply.stopReason) {
      case "end_turn":
      case "stop_sequence": {
        const answer = textOf(reply)
        const judged = answer === "" ? null : await judgeAnswer(answer, run.answerSchema)
        if (judged?.ok) return { kind: "answered", answer, ...judged.fields }
        if (judged) {
          if (repairs === maxRepairs) return fail("output_schema", `the answer does not fit: ${judged.problem}`, reply)
          repairs += 1
          talk.addReply(reply)
          talk.addText(repairRequest(judged.problem))
          break
        }
        if (nudged) return fail("model_empty", "the model ended its turn twice without an answer")
        nudged = true
        if (reply.content.length > 0) talk.addReply(reply)
        talk.addText(nudge)
        break
      }
      case "tool_use": {
        if (!haveOwnIds(calls)) return fail("model_bad_response", "the model sent calls with empty or repeated ids")
        talk.addReply(reply)
        const gone = run.mustEnd()
        if (gone) return endWithout(gone, calls)
        const limit = run.limits.reached()
        if (limit) return finish(limit, calls)
        const outcome = await perform(calls)
        if (outcome) return outcome
        break
      }
      case "max_tokens":
        if (calls.length === 0) return fail("model_truncated", "the answer was cut off at the output limit", reply)
        if (maxOutputTokens > run.maxOutputTokens)
          return fail("model_truncated", "a call was cut off twice at the output limit", reply)
        maxOutputTokens *= 2
        break
      case "pause_turn":
        pauses += 1
        if (pauses > maxPauses) return fail("model_empty", `the model paused ${pauses} times without an answer`, reply)
        talk.addReply(reply)
        break
      case "refusal":
        return fail("model_refused", `the model refused${reply.stopDetails ? `: ${reply.stopDetails}` : ""}`, reply)
      case "model_context_window_exceeded":
        if (!talk.compact()) return fail("context_overflow", "the conversation no longer fits the model", reply)
        break
      default:
        return fail("unknown_stop_reason", `the model stopped with "${reply.stopReason}"`, reply)
    }
  }

  /** Run calls and give the model their results; an outcome when the run ends or pauses here instead. */
  async function perform(calls: readonly ToolUseBlock[], resumed?: ResumedCalls): Promise<Outcome | null> {
    const known = resumed?.settled ?? []
    const rest = calls.filter((call) => !known.some(({ use }) => use.id === call.id))
    const turn = resumed?.turn ?? run.limits.turns
    const made = await callTools(rest, { ...run, turn, halted, ...(resumed && { earlier: resumed }) })
    if (run.signal.aborted) return ended(run.signal.reason)
    const settled = calls.flatMap((call) => [...known, ...made].find(({ use }) => use.id === call.id) ?? [])
    const denied = made.find(isDenied)
    if (denied && run.onDenied === "fail") return ended(deniedReason(denied))
    if (settled.length < calls.length) return ended(approvalNeeded(calls.length - settled.length))
    const times = repeatsOf(settled)
    if (times >= repetition.endsAt) return ended(repeated(times))
    talk.addResults(settled, times >= repetition.toldAt ? repetitionNote(times) : undefined)
    return null
  }

  function ask(kind: "work" | "summary"): Promise<ModelAnswer> {
    return talk.ask({ turn: run.limits.turns + (kind === "summary" ? 1 : 0), kind, maxOutputTokens }).then((answer) => {
      if (answer.kind === "reply") run.limits.spend(answer)
      return answer
    })
  }

  async function finish(limit: ReachedLimit, pending: readonly ToolUseBlock[]): Promise<Outcome> {
    const skipped = skipCalls(pending, { ...run, turn: run.limits.turns })
    if (!limit.room) return ended(limit.reason)
    if (skipped.length > 0) talk.addResults(skipped, askForSummary)
    else talk.addText(askForSummary)
    const summary = await ask("summary")
    if (run.signal.aborted) return ended(run.signal.reason)
    return { kind: "ended", reason: limit.reason, answer: summary.kind === "reply" ? textOf(summary) || null : null }
  }

  function endWithout(reason: Reason, pending: readonly ToolUseBlock[]): Outcome {
    skipCalls(pending, { ...run, turn: run.limits.turns })
    return ended(reason)
  }

  function halted(call: SettledCall): boolean {
    if (isDenied(call)) run.limits.countDenial()
    if (run.mustEnd() !== null) return true
    return isDenied(call) && (run.onDenied === "fail" || run.limits.tooManyDenials())
  }

  function repeated(times: number): Reason {
    const use = { used: times, allowed: repetition.endsAt }
    run.emit({ type: "limit", limit: "repeated_call", ...use })
    return limitReason("repeated_call", use)
  }
}

const finished = new Set(["end_turn", "stop_sequence"])

function isDenied(call: SettledCall): boolean {
  return call.result.errorCode === "denied"
}

function haveOwnIds(calls: readonly ToolUseBlock[]): boolean {
  const ids = new Set(calls.map((call) => call.id))
  return ids.size === calls.length && !ids.has("")
}
