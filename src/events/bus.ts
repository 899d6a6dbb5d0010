import type { Emit, RunEvent, RunEventBody } from "../contract/event.ts"
import type { Sink } from "../contract/sink.ts"
import { createSealer } from "../util/seal.ts"
import type { Redactor } from "./redact.ts"
import { createEventRedaction } from "./redact-event.ts"

/** The one way from what happens to everything that is written about it. */
export interface Bus {
  /** Synchronous and never throws: a sink that throws is dropped and named at `close`. Silent after `run.end`. */
  readonly emit: Emit
  /** A late sink gets what was emitted before, so that outputs named in a configuration file miss nothing. */
  attach(sink: Sink): void
  /** No sink will come any more: stop keeping events for late ones. */
  seal(): void
  /** Wait until what was emitted so far is written; returns what went wrong, one line per sink. */
  flush(): Promise<readonly string[]>
  /** Wait until what was emitted so far is on the disk; returns what went wrong, one line per sink. */
  sync(): Promise<readonly string[]>
  /** Go on after the events of a transcript: numbers and seal continue, and sinks that sum up hear of them. */
  continueFrom(events: readonly RunEvent[]): void
  /** Flush and close all sinks in order; returns what went wrong, one line per sink. */
  close(): Promise<readonly string[]>
  redactions(): number
}

/** Number, date and redact events, and pass them to every sink. */
export function createBus(options: {
  readonly redactor: Redactor
  readonly now: () => Date
  /** Seals the last event, so that only holders of the key can change a transcript unnoticed. */
  readonly key?: string | undefined
}): Bus {
  const { redactor } = options
  const sealer = createSealer(options.key)
  const redactEvent = createEventRedaction(redactor)
  let attached: AttachedSink[] = []
  let history: RunEvent[] | null = []
  let seq = 0
  let ended = false
  let resumed = false

  function emit(body: RunEventBody): void {
    if (ended) return
    ended = body.type === "run.end"
    const event = seal(stamp(body))
    history?.push(event)
    for (const sink of attached) deliver(sink, event)
  }

  function stamp(body: RunEventBody): RunEvent {
    const head = { schema_version: 1, seq, at: options.now().toISOString() } as const
    seq += 1
    try {
      const event = redactEvent({ ...head, ...body })
      return event.type === "run.end" ? { ...event, redactions: redactor.count() } : event
    } catch (error) {
      const message = `a ${body.type} event could not be recorded: ${redactor.redactText(String(error))}`
      if (body.type === "run.end") return { ...head, ...bareEnd(body, message), redactions: redactor.count() }
      return { ...head, type: "warning", code: "event_lost", message }
    }
  }

  /** A run that goes on may be killed at any point and go on once more, so each of its lines vouches for itself. */
  function seal(event: RunEvent): RunEvent {
    sealer.add(`${JSON.stringify(event)}\n`)
    return resumed || event.type === "run.end" ? { ...event, digest: sealer.seal() } : event
  }

  function continueFrom(events: readonly RunEvent[]): void {
    resumed = true
    for (const event of events) {
      const { digest: _, ...unsealed } = event
      sealer.add(`${JSON.stringify(unsealed)}\n`)
      for (const { sink } of attached) sink.recall?.(event)
      seq = event.seq + 1
    }
  }

  function attach(sink: Sink): void {
    if (history === null) throw new Error("a sink was attached after the bus was sealed")
    // Secrets may have been learned since; redacting again finds only those.
    history = history.map(redactEvent)
    const added: AttachedSink = { sink, problem: null }
    attached = [...attached, added]
    for (const event of history) deliver(added, event)
  }

  async function settle(finish: (sink: Sink) => Promise<string | null>): Promise<readonly string[]> {
    const problems: string[] = []
    for (const { sink, problem } of attached) {
      const late = await finish(sink).catch((error: unknown) => `an output failed: ${String(error)}`)
      const first = problem ?? late
      if (first !== null) problems.push(redactor.redactText(first))
    }
    return problems
  }

  return {
    emit,
    attach,
    seal: () => {
      history = null
    },
    continueFrom,
    sync: () => settle(async (sink) => (await sink.sync?.()) ?? null),
    flush: () => settle(async (sink) => (await sink.flush?.()) ?? null),
    close: () => {
      history = null
      return settle((sink) => sink.close())
    },
    redactions: () => redactor.count(),
  }
}

/** The last event comes on every path: what cannot be redacted is left out of it, how the run ended is not. */
function bareEnd(body: Extract<RunEventBody, { type: "run.end" }>, message: string): typeof body {
  const reason = body.reason === null ? null : { code: body.reason.code, message, hint: null }
  return { ...body, reason, answer: null, files_changed: [], expectations: [] }
}

interface AttachedSink {
  readonly sink: Sink
  /** Why this sink gets no more events. */
  problem: string | null
}

function deliver(target: AttachedSink, event: RunEvent): void {
  if (target.problem !== null) return
  try {
    target.sink.write(event)
  } catch (error) {
    target.problem = `an output was given up at event ${event.seq} (${event.type}): ${String(error)}`
  }
}
