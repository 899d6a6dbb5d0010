import { setTimeout as pause } from "node:timers/promises"
import { createRateBuckets } from "./rate-buckets.ts"

/** Leave to send one request. */
export interface Turn {
  /** Something answered; its headers may say what is left of the limits. */
  heard(headers: Headers): void
  /** The request is over: it gave a reply, or none, or the API asks everybody to wait. */
  leave(how: "worked" | "failed" | { readonly refusedMs: number }): void
}

/** Lets all requests of a process go at the speed that the API allows; they wait in the order in which they came. */
export interface Pace {
  /** Wait for leave to send a request of about so many bytes to a model. `null` when the signal came first. */
  enter(
    request: { readonly model: string; readonly bytes: number; readonly onWait: (delayMs: number) => void },
    signal: AbortSignal,
  ): Promise<Turn | null>
}

/** What can be replaced. */
export interface PaceOptions {
  /** Milliseconds since the epoch. */
  readonly now?: () => number
  /** A wait longer than this is no help to anybody: the request is sent, and the API may say no. */
  readonly longestMs?: number
}

/** The pace of one process, in which nothing is known of any limit yet. */
export function createPace(options: PaceOptions = {}): Pace {
  const lanes = new Map<string, Pace["enter"]>()
  return {
    enter(request, signal) {
      const lane = lanes.get(request.model) ?? createLane(options)
      lanes.set(request.model, lane)
      return lane(request, signal)
    },
  }
}

/** Limits are counted model by model, and so is the pace. */
function createLane({ now = Date.now, longestMs = 120_000 }: PaceOptions): Pace["enter"] {
  const buckets = createRateBuckets(now)
  let heldUntil = 0
  /** How many requests may be under way; grows with each success after a refusal has cut it down. */
  let window = Number.POSITIVE_INFINITY
  let underWay = 0
  let last: Promise<void> = Promise.resolve()
  let roomMade = () => {}

  /** Nobody overtakes: who waits for the first place in the line waits for those before it, too. */
  async function enter({ bytes, onWait }: Parameters<Pace["enter"]>[0], signal: AbortSignal): Promise<Turn | null> {
    const before = last
    let passOn = () => {}
    last = new Promise<void>((resolve) => {
      passOn = resolve
    })
    try {
      if (!(await unless(before, signal))) return null
      if (!(await wait(bytes, onWait, signal))) return null
      underWay += 1
      buckets.take(bytes)
      return turn()
    } finally {
      // Who gave up waiting leaves the line in its place.
      void before.then(passOn)
    }
  }

  async function wait(bytes: number, onWait: (delayMs: number) => void, signal: AbortSignal): Promise<boolean> {
    for (;;) {
      if (signal.aborted) return false
      const delayMs = Math.max(heldUntil - now(), buckets.waitFor(bytes))
      if (delayMs > 0 && delayMs <= longestMs) {
        onWait(delayMs)
        if (!(await unless(pause(delayMs, undefined, { signal }), signal))) return false
        continue
      }
      if (underWay < window) return true
      const room = new Promise<void>((resolve) => {
        roomMade = resolve
      })
      if (!(await unless(room, signal))) return false
    }
  }

  function turn(): Turn {
    let over = false
    return {
      heard: buckets.learn,
      leave(how) {
        if (over) return
        over = true
        if (typeof how === "object") slowDown(how.refusedMs)
        else if (how === "worked") window += 1
        underWay -= 1
        roomMade()
      },
    }
  }

  function slowDown(delayMs: number): void {
    window = Math.max(1, Math.floor(Math.min(window, underWay) / 2))
    if (delayMs <= longestMs) heldUntil = Math.max(heldUntil, now() + delayMs)
  }

  return enter
}

/** False when the signal came first. */
async function unless(work: Promise<void>, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false
  let onAbort = () => {}
  const aborted = new Promise<void>((resolve) => {
    onAbort = resolve
  })
  signal.addEventListener("abort", onAbort, { once: true })
  try {
    await Promise.race([work, aborted])
  } catch {
    // A timer that was aborted.
  } finally {
    signal.removeEventListener("abort", onAbort)
  }
  return !signal.aborted
}
