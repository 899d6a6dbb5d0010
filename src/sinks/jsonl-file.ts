import { close as closeFile, fdatasync, fstatSync, ftruncateSync, writeSync, write as writeToFile } from "node:fs"
import { promisify } from "node:util"
import type { RunEvent } from "../contract/event.ts"
import type { Sink } from "../contract/sink.ts"
import { toJsonLine } from "../report/json.ts"
import { openAfter, openOutputFile } from "./open-output.ts"

/** How much of a transcript that is there already is to be kept: whole lines. */
export interface WholeLines {
  readonly bytes: number
}

/**
 * Write events to a file as they happen, one JSON object a line, readable by its owner only. The file is opened at once: a
 * path that cannot be written is a UserError before anything is spent. Later trouble, such as a full disk, never stops the
 * run; `flush` and `close` tell of it, and the file keeps the whole lines that fitted.
 */
export function createJsonlFileSink(path: string, after?: WholeLines): Sink {
  const file = after === undefined ? openOutputFile(path) : openAfter(path, after)
  const isRegular = fstatSync(file).isFile()
  let waiting: string[] = []
  let inFlight: Buffer | null = null
  let position = after?.bytes ?? 0
  let problem: string | null = null
  let pumping: Promise<void> | null = null

  function write(event: RunEvent): void {
    if (problem !== null) return
    waiting.push(toJsonLine(event))
    pumping ??= pump()
  }

  /** One write at a time, each of whole lines; what arrives meanwhile goes with the next one. */
  async function pump(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    while (waiting.length > 0) {
      const lines = takeWaiting()
      inFlight = lines
      await writeWhole(lines).catch((error: unknown) => fail(error, lines))
    }
    pumping = null
  }

  function takeWaiting(): Buffer {
    const lines = Buffer.from(waiting.join(""))
    waiting = []
    return lines
  }

  /** A regular file is written at a known place, so that a write cut short by the end of the process can be repeated. */
  async function writeWhole(lines: Buffer): Promise<void> {
    let written = 0
    while (written < lines.length) {
      const place = isRegular ? position + written : null
      const { bytesWritten } = await writeBytes(file, lines, written, lines.length - written, place)
      written += bytesWritten
    }
    position += lines.length
    inFlight = null
  }

  function fail(error: unknown, lines: Buffer): void {
    problem = `${path}: the transcript is incomplete: ${error instanceof Error ? error.message : String(error)}`
    waiting = []
    inFlight = null
    if (isRegular) keepWholeLines(file, position, lines)
  }

  /** A process that ends without `close` has only this moment left. */
  function writeRestAtExit(): void {
    if (problem !== null) return
    const rest = takeWaiting()
    try {
      if (isRegular) writeAllSync(file, inFlight === null ? rest : Buffer.concat([inFlight, rest]), position)
      else writeAllSync(file, rest, null)
    } catch {
      // The process is ending: there is nobody left to tell.
    }
  }

  async function flush(): Promise<string | null> {
    while (pumping !== null) await pumping
    return problem
  }

  async function sync(): Promise<string | null> {
    await flush()
    if (problem === null) await syncToDisk(file).catch((error: unknown) => fail(error, Buffer.alloc(0)))
    return problem
  }

  async function close(): Promise<string | null> {
    await flush()
    process.off("exit", writeRestAtExit)
    await closeDescriptor(file).catch((error: unknown) => fail(error, Buffer.alloc(0)))
    return problem
  }

  process.on("exit", writeRestAtExit)
  return { write, flush, sync, close }
}

const writeBytes = promisify(writeToFile)
const closeDescriptor = promisify(closeFile)
const syncToDisk = promisify(fdatasync)

/** Cut off the part of a line that a failed write left behind. */
function keepWholeLines(file: number, start: number, lines: Buffer): void {
  try {
    const fitted = fstatSync(file).size - start
    const whole = fitted <= 0 ? 0 : lines.subarray(0, fitted).lastIndexOf("\n") + 1
    ftruncateSync(file, start + whole)
  } catch {
    // The file is beyond repair; the problem that brought us here is already noted.
  }
}

function writeAllSync(file: number, bytes: Buffer, position: number | null): void {
  let written = 0
  while (written < bytes.length) {
    const place = position === null ? null : position + written
    written += writeSync(file, bytes, written, bytes.length - written, place)
  }
}
