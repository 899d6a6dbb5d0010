import { limitReason } from "../agent/limits.ts"
import type { Emit } from "../contract/event.ts"
import type { Reason } from "../contract/reason.ts"

/** The one signal that ends a run early: from outside, or at its time limit. Always aborted with a `Reason`. */
export interface Stop extends Disposable {
  readonly signal: AbortSignal
}

/** Join the caller's signal with the time limit. */
export function createStop(options: {
  readonly outer: AbortSignal | undefined
  readonly timeoutMs: number
  readonly elapsedMs: () => number
  readonly emit: Emit
}): Stop {
  const { outer, timeoutMs, elapsedMs, emit } = options
  const controller = new AbortController()
  const onOuter = () => controller.abort(stopReason(outer))
  const onTimeout = () => {
    const use = { allowed: timeoutMs / 1000, used: elapsedMs() / 1000 }
    emit({ type: "limit", limit: "timeout", ...use })
    controller.abort(limitReason("timeout", use))
  }
  const timer = setTimeout(onTimeout, Math.max(0, timeoutMs - elapsedMs()))
  if (outer?.aborted) onOuter()
  else outer?.addEventListener("abort", onOuter, { once: true })
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      clearTimeout(timer)
      outer?.removeEventListener("abort", onOuter)
    },
  }
}

/** Why a signal was aborted. */
export function stopReason(signal: AbortSignal | undefined): Reason {
  const given: unknown = signal?.reason
  if (typeof given === "object" && given !== null && "code" in given && "message" in given) return given as Reason
  return { code: "interrupted", message: "stopped by the caller", hint: null }
}
