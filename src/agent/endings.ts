import type { Outcome } from "../contract/outcome.ts"
import type { Reason, ReasonCode } from "../contract/reason.ts"
import type { SettledCall } from "./call-tools.ts"
import { type Reply, textOf } from "./conversation.ts"

/** The run ends because of what the model did; what it said so far is kept. */
export function fail(code: ReasonCode, message: string, reply?: Reply): Outcome {
  return {
    kind: "ended",
    reason: { code, message, hint: hints[code] ?? null },
    answer: reply ? textOf(reply) || null : null,
  }
}

const hints: Partial<Record<ReasonCode, string>> = {
  model_truncated: "Raise agent.max_output_tokens, or ask for a shorter answer.",
  model_refused: "Change the task or the model; the transcript has the whole conversation.",
  model_empty: "Run it again, or make the task more specific.",
  output_schema: "The answer is in the report. Is the schema what the task asks for?",
  context_overflow: "Give a smaller task, or set tools.max_result_chars lower.",
}

/** The run ends at a denied call. */
export function deniedReason(call: SettledCall): Reason {
  const [block] = call.result.content
  return {
    code: "call_denied",
    message: `${call.use.name} was denied: ${block?.type === "text" ? block.text : "no rule allows it"}`,
    hint: 'Allow it with a rule, or set permissions.on_denied = "continue".',
  }
}

/** What a model that goes in circles is told. */
export function repetitionNote(times: number): string {
  return `You have now made the same calls with the same results ${times} times. Do something else, or end with what you know.`
}
