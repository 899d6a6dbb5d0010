import type { RunEvent } from "../contract/event.ts"
import type { Sink } from "../contract/sink.ts"
import { createReportFold } from "../report/fold.ts"
import { createProgress, type ProgressOptions } from "../report/progress.ts"
import { renderRunEnd } from "../report/run-end.ts"
import { createWaits } from "../report/waits.ts"

/** Where progress goes and how; timer and clock can be replaced. */
export interface ConsoleOptions extends ProgressOptions {
  readonly write: (text: string) => void
  readonly heartbeatMs?: number
  /** Call back once after a while; returns how to call it off. */
  readonly setTimer?: (callback: () => void, delayMs: number) => () => void
  /** Milliseconds of a clock that never jumps. */
  readonly clock?: () => number
}

/** Progress for people: a line when something happens, a heartbeat when for long nothing does, and how it ended. */
export function createConsoleSink(options: ConsoleOptions): Sink {
  const { heartbeatMs = 30_000, setTimer = setUnheldTimer, clock = () => performance.now() } = options
  const renderProgress = createProgress(options)
  const fold = createReportFold()
  const waits = createWaits(clock)
  let cancelHeartbeat: (() => void) | null = null

  function write(event: RunEvent): void {
    fold.write(event)
    waits.follow(event)
    if (event.type === "run.end") {
      stopHeartbeat()
      say(renderRunEnd(fold.report(), options))
      return
    }
    const lines = renderProgress(event)
    say(lines)
    if (lines.length > 0 || cancelHeartbeat === null) startHeartbeat()
  }

  function say(lines: readonly string[]): void {
    if (lines.length > 0) options.write(`${lines.join("\n")}\n`)
  }

  function startHeartbeat(): void {
    stopHeartbeat()
    if (options.verbosity === "quiet") return
    cancelHeartbeat = setTimer(() => {
      startHeartbeat()
      say([waits.render()])
    }, heartbeatMs)
  }

  function stopHeartbeat(): void {
    cancelHeartbeat?.()
    cancelHeartbeat = null
  }

  return {
    write,
    recall: fold.write,
    close: async () => {
      stopHeartbeat()
      return null
    },
  }
}

/** A heartbeat never keeps the process alive. */
function setUnheldTimer(callback: () => void, delayMs: number): () => void {
  const timer = setTimeout(callback, delayMs)
  timer.unref()
  return () => clearTimeout(timer)
}
