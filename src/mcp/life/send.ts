import type { RetrySettings } from "../../contract/config.ts"
import type { Emit } from "../../contract/event.ts"
import type { JsonObject } from "../../contract/json.ts"
import type { ServerConfig } from "../../contract/server.ts"
import type { Failure } from "../failure.ts"
import type { Answer, RequestContext, Session } from "../session.ts"
import { backoffMs, pause } from "./backoff.ts"
import { isLostSession, isWorthRetry } from "./retry.ts"

/** A session to send over, or why there is none. */
export type Ready = { readonly session: Session } | { readonly failure: Failure }

/** What came of a request, and how often it was tried. */
export type SentAnswer = Answer & { readonly attempts: number }

/** One request, and what may be done with it. */
interface Outgoing {
  readonly method: string
  readonly params: JsonObject
  /** Does it no harm to run this twice? */
  readonly repeatable: boolean
  /** Is what is asked for still there? Looked at before each attempt, since a server may come back another. */
  readonly offered?: () => boolean
}

/** What sending needs of the connection. */
interface SenderOptions {
  readonly config: ServerConfig
  readonly retry: RetrySettings
  readonly emit: Emit
  /** A sentence that names the server. */
  describe(text: string): string
  ready(signal: AbortSignal): Promise<Ready>
  /** Draw conclusions from a failure; says what is to be said about it. */
  judge(asked: Session, failure: Failure, signal: AbortSignal): Promise<Failure>
}

/** A request that keeps reporting progress may take this many times its timeout. */
const progressFactor = 10

/** A way to send requests that tries again where that is safe and may help. Never throws. */
export function createSender({ config, retry, emit, describe, ready, judge }: SenderOptions) {
  const timeoutMs = config.toolTimeoutMs

  return async (request: Outgoing, context: RequestContext): Promise<SentAnswer> => {
    const { signal } = context
    const begunAt = performance.now()
    let losses = 0
    for (let attempts = 1; ; attempts += 1) {
      const there = await ready(signal)
      if ("failure" in there) return { ok: false, failure: there.failure, attempts: attempts - 1 }
      if (request.offered?.() === false) return { ok: false, failure: withdrawn, attempts: attempts - 1 }
      const limits = { timeoutMs, totalMs: timeoutMs * progressFactor, ...context }
      const answer = await there.session.request(request.method, request.params, limits)
      if (answer.ok) return { ...answer, attempts }

      const failure = await judge(there.session, answer.failure, signal)
      if (isLostSession(failure) || (failure.kind === "closed" && failure.unsent !== true)) losses += 1
      const inTime = attempts < retry.maxAttempts && performance.now() - begunAt < timeoutMs
      // What was on its way when the server went is repeated once: it may be what kills it.
      if (!inTime || losses > 1 || !isWorthRetry(failure, request.repeatable)) return { ok: false, failure, attempts }
      const delayMs = backoffMs(retry, attempts)
      const error = describe(failure.message)
      emit({ type: "retry", what: "mcp", attempt: attempts, delay_ms: delayMs, error })
      if (!(await pause(delayMs, signal))) return { ok: false, failure, attempts }
    }
  }
}

const withdrawn: Failure = { kind: "withdrawn", message: "is no longer offered" }
