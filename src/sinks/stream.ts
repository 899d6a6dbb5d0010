import type { RunEvent } from "../contract/event.ts"
import type { Sink } from "../contract/sink.ts"
import { toJsonLine } from "../report/json.ts"

/** What is needed of a stream: process.stdout has it, and so has any Writable. */
export interface OutputStream {
  write(chunk: string, callback: (error?: Error | null) => void): boolean
  on(event: "error", listener: (error: Error) => void): unknown
}

/**
 * Write events to a stream, one JSON object a line. A slow reader loses nothing: what it has not taken yet waits here. A
 * reader that takes nothing for `stallMs` while we wait for it, is a reason; one that went
 * away wanted no more. Neither is a crash.
 */
export function createStreamSink(stream: OutputStream, options: { readonly stallMs?: number } = {}): Sink {
  const stallMs = options.stallMs ?? 60_000
  let waiting: string[] = []
  let problem: string | null = null
  let isOver = false
  let isWriting = false
  let progress = () => {}

  function write(event: RunEvent): void {
    if (isOver) return
    waiting.push(toJsonLine(event))
    if (!isWriting) writeNext()
  }

  function writeNext(): void {
    isWriting = waiting.length > 0 && !isOver
    if (!isWriting) return
    stream.write(takeChunk(), (error) => {
      if (error) fail(error)
      writeNext()
      progress()
    })
  }

  /** Small enough that a slow reader is seen to make progress. */
  function takeChunk(): string {
    let count = 0
    for (let chars = 0; count < waiting.length && chars < 65_536; count += 1) chars += waiting[count]?.length ?? 0
    return waiting.splice(0, count).join("")
  }

  function fail(error: Error): void {
    const code = "code" in error ? error.code : undefined
    isOver = true
    // A reader that goes away, such as head, wanted no more.
    if (!readerGone.has(String(code))) problem ??= `the event stream failed: ${error.message}`
    waiting = []
  }

  function giveUp(why: string): void {
    isOver = true
    problem ??= why
  }

  async function flush(): Promise<string | null> {
    while (isWriting && !isOver) {
      const moved = await progressWithin(stallMs)
      if (!moved) giveUp(`the event stream was not read for ${stallMs / 1000} s`)
    }
    return problem
  }

  function progressWithin(timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), timeoutMs)
      progress = () => {
        clearTimeout(timer)
        resolve(true)
      }
    })
  }

  // Stays for good: a stream may report the loss of its reader long after our last write, and unheard errors are fatal.
  stream.on("error", (error) => {
    fail(error)
    progress()
  })
  return { write, flush, close: flush }
}

const readerGone = new Set(["EPIPE", "ECONNRESET", "ERR_STREAM_DESTROYED"])
