import type { RunEvent } from "./event.ts"

/** Something that takes the events of a run. `write` never blocks and never throws; `close` resolves when all is written, with what went wrong. */
export interface Sink {
  write(event: RunEvent): void
  /** Resolves when all events so far are written: `null`, or why this output is incomplete. Absent where nothing is kept back. */
  flush?(): Promise<string | null>
  /** The same, and what is written survives the end of this process and of the machine. */
  sync?(): Promise<string | null>
  /** An event of before a pause, for those that sum up. */
  recall?(event: RunEvent): void
  /** `null`, or why this output is incomplete. */
  close(): Promise<string | null>
}
