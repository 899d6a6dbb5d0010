import { isJsonObject, type JsonObject } from "../../contract/json.ts"
import { UserError } from "../../contract/user-error.ts"
import { spellInvisible } from "../invisible.ts"
import type { Lock, Pin, ServerLock } from "./lock.ts"

const lockVersion = 1

/** agent.lock as text: sorted, a key a line, hidden characters spelled out. The same servers always give the same bytes. */
export function renderLock(lock: Lock): string {
  const servers = Object.fromEntries(
    inOrder(lock).map(([name, { instructions, tools }]) => [
      name,
      {
        instructions: instructions === null ? null : flatten(instructions),
        tools: Object.fromEntries(inOrder(tools).map(([tool, pin]) => [tool, flatten(pin)])),
      },
    ]),
  )
  const text = JSON.stringify({ lock_version: lockVersion, servers }, null, 2)
  return `${spellInvisible(text)}\n`
}

/** Read agent.lock. Throws a UserError when it is not one. */
export function parseLock(text: string, where: string): Lock {
  const refuse = (why: string): never => {
    throw new UserError("config_error", why, {
      where: `${where}:`,
      hint: "agent-run mcp lock writes a new one; look at what it changes before you commit it.",
    })
  }
  const data = parseJson(text) ?? refuse("is not JSON")
  if (!isJsonObject(data) || !isJsonObject(data.servers)) return refuse("is not a lock file")
  if (data.lock_version !== lockVersion) return refuse(`lock_version must be ${lockVersion}`)
  return new Map(
    Object.entries(data.servers).map(([name, server]) => [
      name,
      readServer(server) ?? refuse(`server "${name}" is broken`),
    ]),
  )
}

function readServer(server: unknown): ServerLock | null {
  if (!isJsonObject(server) || !isJsonObject(server.tools)) return null
  const instructions = server.instructions === null ? null : readPin(server.instructions)
  const tools = new Map<string, Pin>()
  for (const [name, entry] of Object.entries(server.tools)) {
    const pin = readPin(entry)
    if (pin === null) return null
    tools.set(name, pin)
  }
  return instructions === null && server.instructions !== null ? null : { instructions, tools }
}

function readPin(entry: unknown): Pin | null {
  if (!isJsonObject(entry) || typeof entry.hash !== "string") return null
  const { hash, ...shown } = entry
  return { hash, shown }
}

function flatten({ hash, shown }: Pin): JsonObject {
  return { hash, ...shown }
}

function inOrder<Value>(map: ReadonlyMap<string, Value>): readonly (readonly [string, Value])[] {
  return [...map].sort(([one], [other]) => (one < other ? -1 : 1))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // What is not JSON is answered by the caller, with the place.
    return null
  }
}
