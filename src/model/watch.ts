/** Why an attempt was ended from our side. */
export type Expiry = "aborted" | "no_first_byte" | "idle" | "deadline"

/** Guards one attempt against every way of waiting for ever. */
export interface Watch {
  /** Ends the attempt's own I/O; aborted when the watch expires. */
  readonly signal: AbortSignal
  /** Resolves when the watch expires; stays pending when it is closed before. */
  readonly expired: Promise<void>
  /** Why it expired, if it did. */
  expiry(): Expiry | null
  /** Something arrived: headers, a ping, a delta. */
  sawBytes(): void
  /** The message is whole; the stream should end at once, and if it does not, it need not. */
  sawWholeMessage(): void
  /** Stop watching, and end what is left of the attempt's I/O. */
  close(): void
}

/** Waiting a moment for the end of a stream keeps its connection for the next request. */
const endGraceMs = 1000

/** Start watching one attempt. Until the first byte one wait counts, between bytes another, over all a deadline. */
export function startWatch(options: {
  readonly signal: AbortSignal
  readonly firstByteMs: number
  readonly idleMs: number
  readonly deadlineMs: number
}): Watch {
  const controller = new AbortController()
  const { promise: expired, resolve } = withResolvers()
  let expiry: Expiry | null = null

  const expire = (why: Expiry) => {
    expiry = why
    close()
    resolve()
  }
  const onAbort = () => expire("aborted")
  const firstByte = setTimeout(() => expire("no_first_byte"), options.firstByteMs)
  const deadline = setTimeout(() => expire("deadline"), options.deadlineMs)
  let idle: NodeJS.Timeout | undefined
  let isWhole = false

  const close = () => {
    clearTimeout(firstByte)
    clearTimeout(deadline)
    clearTimeout(idle)
    options.signal.removeEventListener("abort", onAbort)
    controller.abort()
  }

  options.signal.addEventListener("abort", onAbort)
  if (options.signal.aborted) onAbort()
  return {
    signal: controller.signal,
    expired,
    expiry: () => expiry,
    sawBytes() {
      if (controller.signal.aborted || isWhole) return
      clearTimeout(firstByte)
      if (idle === undefined) idle = setTimeout(() => expire("idle"), options.idleMs)
      else idle.refresh()
    },
    sawWholeMessage() {
      if (controller.signal.aborted || isWhole) return
      isWhole = true
      clearTimeout(idle)
      idle = setTimeout(() => expire("idle"), Math.min(options.idleMs, endGraceMs))
    },
    close,
  }
}

function withResolvers() {
  let resolve = () => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
