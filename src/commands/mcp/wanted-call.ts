import { resolve } from "node:path"
import { isJsonObject, type JsonObject } from "../../contract/json.ts"
import { readDeadLetters } from "../../mcp/life/dead-letters.ts"
import type { ServerSession } from "../connect-servers.ts"
import type { McpInput } from "./define-action.ts"
import type { callOptions } from "./options.ts"

/** A call that a person wants: the tool by either of its names, and the input. */
export interface WantedCall {
  readonly name: string
  readonly input: JsonObject
}

/** The call that the command line spells out, or that a dead letter holds; an exit code when it is neither. */
export async function findWantedCall(
  session: ServerSession,
  { words, options }: McpInput<"tool" | "input", typeof callOptions>,
): Promise<WantedCall | number> {
  const id = options["from-dead-letter"]
  if (id !== undefined) {
    if (words.tool === undefined) return callOfLetter(session, id, options.file)
    return session.fail("usage_error", "a dead letter says which tool and input it is: leave them out")
  }
  if (options.file !== undefined) return session.fail("usage_error", "--file is for --from-dead-letter")
  if (words.tool === undefined) return session.fail("usage_error", "name a tool, or a call with --from-dead-letter")
  const input = readInput(words.input ?? "{}")
  if (input !== null) return { name: words.tool, input }
  return session.fail("usage_error", "the input of a call must be a JSON object, such as '{\"a\": 1}'")
}

function readInput(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : null
  } catch {
    // No JSON is as wrong as JSON that is no object.
    return null
  }
}

async function callOfLetter(
  session: ServerSession,
  id: string,
  file: string | undefined,
): Promise<WantedCall | number> {
  const path = file === undefined ? session.config.mcp.deadLetterFile : resolve(session.cwd, file)
  if (path === null) {
    return session.fail("usage_error", "mcp.dead_letter_file is not set", "Name the file with --file.")
  }
  const letters = await readDeadLetters(path).catch((error: Error) => error.message)
  if (typeof letters === "string") return session.fail("usage_error", `the dead letters cannot be read: ${letters}`)
  const letter = letters.find((one) => one.id === id)
  if (letter === undefined) {
    const known = letters.map((one) => `${one.id} (${one.server}/${one.tool})`).join(", ") || "none"
    return session.fail("usage_error", `${path} has no letter ${id}; it has: ${known}`)
  }
  const masked = new Set<string>()
  const input = refill(letter.args, (name) => {
    masked.add(name)
    return session.env[name] ?? ""
  })
  const unset = [...masked].filter((name) => !session.env[name])
  if (unset.length > 0) {
    return session.fail("usage_error", `the letter holds masked values of ${unset.join(", ")}: set these variables`)
  }
  return { name: `${letter.server}/${letter.tool}`, input: isJsonObject(input) ? input : {} }
}

/** Put the values of variables back where they were masked. */
function refill(value: unknown, variable: (name: string) => string): unknown {
  if (typeof value === "string") return value.replace(/\[redacted:([^\]]+)\]/g, (_, name: string) => variable(name))
  if (Array.isArray(value)) return value.map((item) => refill(item, variable))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, refill(item, variable)]))
}
