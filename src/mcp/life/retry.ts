import type { Failure } from "../failure.ts"

/**
 * Is a request worth another try? Only when it cannot have run, or when running it twice does no harm (`repeatable`).
 * A tool that answered with an error, and one that took too long, would do so again.
 */
export function isWorthRetry(failure: Failure, repeatable: boolean): boolean {
  switch (failure.kind) {
    case "closed":
    case "network":
      return failure.unsent === true || repeatable
    case "http":
      return isLostSession(failure) || comeBackLater.has(failure.status) || (repeatable && failure.status >= 500)
    case "protocol":
    case "timeout":
    case "aborted":
    case "withdrawn":
    case "auth":
      return false
    default:
      return failure satisfies never
  }
}

/** Does the server no longer know the session? 404 by the book; some say 400 and mention it. */
export function isLostSession(failure: Failure): boolean {
  if (failure.kind !== "http") return false
  return failure.status === 404 || (failure.status === 400 && /session/i.test(failure.message))
}

/** Does the server want credentials that it did not get? */
export function wantsCredentials(failure: Failure): boolean {
  return failure.kind === "auth" || (failure.kind === "http" && failure.status === 401)
}

/** Answers that are given instead of running a request. */
const comeBackLater: ReadonlySet<number> = new Set([429, 503])
