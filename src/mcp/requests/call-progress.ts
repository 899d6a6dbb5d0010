import type { Emit } from "../../contract/event.ts"
import { cutText } from "../cut-text.ts"

/** How far something is, as the protocol says it. */
export interface Progress {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

const pauseMs = 1000
const maxMessageLength = 1000

/** Turn what a server says about the progress of one call into events, at most one a second. */
export function createCallProgress(
  call: { readonly call_id: string; readonly tool: string; readonly server: string },
  emit: Emit,
  clock: () => number = () => performance.now(),
): (progress: Progress) => void {
  let nextAt = Number.NEGATIVE_INFINITY
  return ({ progress, total, message }) => {
    const now = clock()
    if (now < nextAt || !Number.isFinite(progress)) return
    nextAt = now + pauseMs
    emit({
      type: "tool.progress",
      ...call,
      progress,
      total: total ?? null,
      message: message === undefined ? null : cutText(message, maxMessageLength),
    })
  }
}
