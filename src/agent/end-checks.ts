import type { RunEventOf } from "../contract/event.ts"
import type { Outcome } from "../contract/outcome.ts"
import type { Reason } from "../contract/reason.ts"

/** What is checked at the end of a run that would be green. */
export interface EndFacts {
  readonly calls: readonly { readonly tool: string; readonly ok: boolean; readonly error_code: string | null }[]
  readonly someCallSucceeds: boolean
  /** A required server that is not connected at the end. */
  readonly missingRequired: Reason | null
}

type Expectation = RunEventOf<"run.end">["expectations"][number]

/** Look once more at a run that has an answer: it is green only if everything it must hold does hold. */
export function checkEnd(outcome: Outcome, facts: EndFacts): { outcome: Outcome; expectations: Expectation[] } {
  const expectations = facts.someCallSucceeds && facts.calls.length > 0 ? [someCallSucceeds(facts.calls)] : []
  if (outcome.kind === "ended") return { outcome, expectations }
  if (facts.missingRequired) return { outcome: spoiled(outcome, facts.missingRequired), expectations }
  const broken = expectations.find((expectation) => !expectation.ok)
  if (!broken) return { outcome, expectations }
  return { outcome: spoiled(outcome, noCallSucceeded(broken.message)), expectations }
}

function spoiled(outcome: Outcome, reason: Reason): Outcome {
  return { kind: "ended", reason, answer: outcome.answer }
}

function someCallSucceeds(calls: EndFacts["calls"]): Expectation {
  const succeeded = calls.filter((call) => call.ok).length
  const message = `${succeeded} of ${calls.length} calls succeeded`
  if (succeeded > 0) return { name: "some_call_succeeds", ok: true, message }
  const failures = [...new Set(calls.map((call) => `${call.tool}: ${call.error_code}`))]
  const named = failures.slice(0, 5).join(", ") + (failures.length > 5 ? ", …" : "")
  return { name: "some_call_succeeds", ok: false, message: `${message} (${named})` }
}

function noCallSucceeded(message: string): Reason {
  return {
    code: "no_call_succeeded",
    message: `the model answered, but ${message}`,
    hint: "The report names each call and why it failed. If that is fine, set [expect] some_call_succeeds = false.",
  }
}
