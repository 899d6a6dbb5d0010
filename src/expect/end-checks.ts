import type { ExpectSettings } from "../contract/config.ts"
import type { Outcome } from "../contract/outcome.ts"
import type { Reason } from "../contract/reason.ts"
import { type Expectation, judgeExpectations, type RunFacts } from "./expectations.ts"

/** What is checked at the end of a run that would be green. */
export interface EndFacts extends Omit<RunFacts, "answer"> {
  readonly settings: ExpectSettings
  /** A required server that is not connected at the end. */
  readonly missingRequired: Reason | null
}

/** Look once more at a run that has an answer: it is green only if everything it must hold does hold. */
export function checkEnd(outcome: Outcome, facts: EndFacts): { outcome: Outcome; expectations: Expectation[] } {
  const expectations = judgeExpectations(facts.settings, { ...facts, answer: outcome.answer })
  if (outcome.kind === "ended") return { outcome, expectations }
  if (facts.missingRequired) return { outcome: spoiled(outcome, facts.missingRequired), expectations }
  const broken = expectations.filter((expectation) => !expectation.ok)
  if (broken.length === 0) return { outcome, expectations }
  return { outcome: spoiled(outcome, reasonOf(broken)), expectations }
}

function spoiled(outcome: Outcome, reason: Reason): Outcome {
  return { kind: "ended", reason, answer: outcome.answer }
}

function reasonOf(broken: readonly Expectation[]): Reason {
  const [first] = broken
  if (first?.name === "some_call_succeeds") {
    return {
      code: "no_call_succeeded",
      message: `the model answered, but ${first.message}`,
      hint: "The report names each call and why it failed. If that is fine, set [expect] some_call_succeeds = false.",
    }
  }
  return {
    code: "expectation_failed",
    message: broken.map(({ name, message }) => `${name}: ${message}`).join("; "),
    hint: "[expect] in the configuration says what must hold; the report lists every expectation.",
  }
}
