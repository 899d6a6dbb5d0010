import type { Fault } from "./fault.ts"

/** Every wait of the model, in milliseconds. */
export interface ModelWaits {
  /** From sending a request to the first byte of an answer. */
  readonly firstByteMs: number
  /** Between two bytes of an answer. */
  readonly idleMs: number
  /** One request with all its attempts. */
  readonly requestMs: number
  /** From the first fault to the end of the last retry. */
  readonly retryBudgetMs: number
  /** The same when the API says when to come back. */
  readonly rateLimitBudgetMs: number
  /** From the start when nothing answers at all. */
  readonly unreachableBudgetMs: number
  /** The first pause; each further one is twice as long. */
  readonly backoffMs: number
  readonly maxBackoffMs: number
}

/** The waits of a real run. */
export const defaultWaits: ModelWaits = {
  firstByteMs: 60_000,
  idleMs: 120_000,
  requestMs: 600_000,
  retryBudgetMs: 60_000,
  rateLimitBudgetMs: 120_000,
  unreachableBudgetMs: 30_000,
  backoffMs: 500,
  maxBackoffMs: 8000,
}

const maxAttempts = 6
const maxUnreachable = 3

/** What has been tried so far for one request and one model. */
export interface AttemptHistory {
  readonly attempts: number
  /** Those attempts that reached nobody. */
  readonly unreachable: number
  readonly sinceStartMs: number
  readonly sinceFirstFaultMs: number
}

/** Another attempt after a pause, which must show its first byte in time; or none, with the reason in words. */
export type RetryPlan =
  | { readonly kind: "retry"; readonly delayMs: number; readonly firstByteMs: number }
  | { readonly kind: "give_up"; readonly why: string }

/** Decide what follows a fault. Our own backoff is the floor, whatever the API says; the budget is the ceiling. */
export function planRetry(
  fault: Fault,
  history: AttemptHistory,
  { waits, random }: { readonly waits: ModelWaits; readonly random: () => number },
): RetryPlan {
  if (fault.retry === "never") return { kind: "give_up", why: "not worth a retry" }
  const spent = fault.retry === "unreachable" ? history.unreachable >= maxUnreachable : false
  if (spent || history.attempts >= maxAttempts) return { kind: "give_up", why: `after ${history.attempts} attempts` }

  const backoffMs = Math.min(waits.backoffMs * 2 ** (history.attempts - 1), waits.maxBackoffMs)
  const delayMs = Math.ceil(Math.max(backoffMs * (0.75 + random() / 4), fault.retryAfterMs ?? 0))
  const leftMs = budgetLeftMs(fault, history, waits)
  if (delayMs >= leftMs) return { kind: "give_up", why: overBudget(fault, history, waits) }
  return { kind: "retry", delayMs, firstByteMs: Math.min(waits.firstByteMs, leftMs - delayMs) }
}

function budgetLeftMs(fault: Fault, history: AttemptHistory, waits: ModelWaits): number {
  switch (fault.retry) {
    case "unreachable":
      return waits.unreachableBudgetMs - history.sinceStartMs
    case "told_when":
      return waits.rateLimitBudgetMs - history.sinceFirstFaultMs
    case "soon":
      return waits.retryBudgetMs - history.sinceFirstFaultMs
    case "never":
      return 0
    default:
      throw new Error(`unknown retry ${fault.retry satisfies never}`)
  }
}

function overBudget(fault: Fault, history: AttemptHistory, waits: ModelWaits): string {
  if (fault.retryAfterMs === null) return `after ${history.attempts} attempts, the time for retries is over`
  const asked = Math.ceil(fault.retryAfterMs / 1000)
  return `the API asks to wait ${asked} s, and ${Math.round(waits.rateLimitBudgetMs / 1000)} s is the most we wait`
}
