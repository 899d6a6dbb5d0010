import { randomUUID } from "node:crypto"
import { constants } from "node:fs"
import { open, readFile } from "node:fs/promises"
import { isJsonObject, type JsonObject } from "../../contract/json.ts"

/** A call that failed for good, as one line of the dead letter file; `args` may hold placeholders of secrets. */
export interface DeadLetter {
  readonly id: string
  readonly at: string
  readonly server: string
  /** The server's own name of the tool. */
  readonly tool: string
  readonly args: JsonObject
  readonly error: { readonly code: string; readonly message: string }
  /** How often the call was sent, or tried to be. */
  readonly attempts: number
}

/** Where calls go that failed for good. */
export interface DeadLetters {
  /** Resolves when the line is in the file, or with a warning when it cannot be. Never throws. */
  add(letter: Omit<DeadLetter, "id" | "at">): Promise<void>
}

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants

/** The dead letter file of a run: private to its owner, one redacted line a call, each written at once. */
export function createDeadLetters(options: {
  readonly path: string
  readonly redact: <Value>(value: Value) => Value
  readonly warn: (message: string) => void
}): DeadLetters {
  const { path, redact, warn } = options
  let last: Promise<void> = Promise.resolve()

  async function append(line: string): Promise<void> {
    try {
      const file = await open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600)
      try {
        await file.write(line)
      } finally {
        await file.close()
      }
    } catch (error) {
      warn(`a failed call could not be kept in ${path}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  return {
    add(letter) {
      const head = { id: randomUUID(), at: new Date().toISOString() }
      const line = `${JSON.stringify({ ...head, ...redact(letter) })}\n`
      last = last.then(() => append(line))
      return last
    },
  }
}

/** The letters of a file, oldest first; a line that is none is passed over. */
export async function readDeadLetters(path: string): Promise<readonly DeadLetter[]> {
  const lines = (await readFile(path, "utf8")).split("\n")
  return lines.flatMap((line) => readLetter(line) ?? [])
}

function readLetter(line: string): DeadLetter | null {
  const { id, at, server, tool, args, error, attempts } = parseObject(line)
  const { code, message } = isJsonObject(error) ? error : {}
  if (typeof id !== "string" || typeof server !== "string" || typeof tool !== "string" || !isJsonObject(args))
    return null
  return {
    id,
    at: String(at),
    server,
    tool,
    args,
    error: { code: String(code), message: String(message) },
    attempts: Number(attempts),
  }
}

function parseObject(line: string): JsonObject {
  try {
    const value: unknown = JSON.parse(line)
    return isJsonObject(value) ? value : {}
  } catch {
    // A line that was cut off, or that someone else wrote.
    return {}
  }
}
