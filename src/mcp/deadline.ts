/** A time limit that also ends when its parent does. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Did the time run out, as opposed to the parent being aborted? */
  expired(): boolean
  stop(): void
}

/** Start a time limit; `stop` it when the work is done. */
export function startDeadline(timeoutMs: number, parent: AbortSignal): Deadline {
  const controller = new AbortController()
  let expired = false
  const abort = () => controller.abort(parent.reason)
  const timer = setTimeout(() => {
    expired = true
    controller.abort(new Error("the time ran out"))
  }, timeoutMs)
  parent.addEventListener("abort", abort, { once: true })
  if (parent.aborted) abort()
  return {
    signal: controller.signal,
    expired: () => expired,
    stop() {
      clearTimeout(timer)
      parent.removeEventListener("abort", abort)
    },
  }
}

/** The result of some work, or a rejection as soon as the signal aborts; the work itself goes on unobserved. */
export function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener("abort", abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort))
  })
}
