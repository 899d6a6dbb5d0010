import { type Reason, type RunStatus, reasons } from "./reason.ts"

/** How a run ended. The exit code and the status follow from it and from nothing else. */
export type Outcome =
  /** `structured` is the answer as JSON when the run asked for a schema. */
  | { readonly kind: "answered"; readonly answer: string; readonly structured?: unknown }
  /** `answer` is what there is of one: a summary asked for at a limit, or a partial text. */
  | { readonly kind: "ended"; readonly reason: Reason; readonly answer: string | null }

/** The exit code of an outcome. */
export function exitCodeOf(outcome: Outcome): number {
  return outcome.kind === "answered" ? 0 : reasons[outcome.reason.code].exitCode
}

/** The status of an outcome as the report names it. */
export function statusOf(outcome: Outcome): RunStatus {
  return outcome.kind === "answered" ? "completed" : reasons[outcome.reason.code].status
}

/** An outcome for a cause, without any answer. */
export function ended(reason: Reason): Outcome {
  return { kind: "ended", reason, answer: null }
}
