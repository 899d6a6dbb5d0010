import { createHash } from "node:crypto"
import { isJsonObject, type JsonObject } from "../../contract/json.ts"
import type { ServerInventory } from "../inventory.ts"
import { isDeeperThan } from "../nesting.ts"

/** One pinned text or tool: the hash decides, the rest is for people who read the file. */
export interface Pin {
  readonly hash: string
  readonly shown: JsonObject
}

/** One pinned server. */
export interface ServerLock {
  /** `null` when the server gives none. */
  readonly instructions: Pin | null
  /** By the server's own name of a tool. */
  readonly tools: ReadonlyMap<string, Pin>
}

/** What agent.lock says, by the name of the server. */
export type Lock = ReadonlyMap<string, ServerLock>

/** Pin what a server says of itself now. All its tools count, also those that the configuration hides. */
export function lockServer({ instructions, tools }: Pick<ServerInventory, "instructions" | "tools">): ServerLock {
  const pinned = new Map<string, Pin>()
  for (const entry of tools) {
    if (!isJsonObject(entry) || typeof entry.name !== "string" || entry.name === "") continue
    // A tool that is listed twice counts once, as in a run.
    if (!pinned.has(entry.name)) pinned.set(entry.name, pinTool(entry.name, entry))
  }
  return { instructions: instructions === null ? null : pinText(instructions), tools: pinned }
}

const deepestTool = 102

function pinTool(name: string, entry: JsonObject): Pin {
  // No run offers such a tool; that it is there is all there is to say.
  if (isDeeperThan(entry, deepestTool)) return { hash: hashOf([name, "nested too deeply"]), shown: {} }
  const { description, annotations, inputSchema, outputSchema } = entry
  const definition = [name, description, inputSchema, outputSchema, annotations].map((part) => part ?? null)
  const shown = {
    ...(description === undefined
      ? {}
      : { description: typeof description === "string" ? toLines(description) : description }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(inputSchema === undefined ? {} : { input_schema: inputSchema }),
    ...(outputSchema === undefined ? {} : { output_schema: outputSchema }),
  }
  return { hash: hashOf(definition), shown: sortKeys(shown) }
}

function pinText(text: string): Pin {
  return { hash: hashOf(text), shown: { text: toLines(text) } }
}

/** A line of text a line of the file: that is what a review shows. */
function toLines(text: string): readonly string[] {
  return text.split("\n")
}

function hashOf(value: unknown): string {
  const canonical = JSON.stringify(sorted(value))
  return `sha256:${createHash("sha256").update(canonical).digest("hex")}`
}

/** The same data with all keys in order, so that only a change of content is a change. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  return isJsonObject(value) ? sortKeys(value) : value
}

function sortKeys(table: JsonObject): JsonObject {
  const keys = Object.keys(table).sort()
  return Object.fromEntries(keys.map((key) => [key, sorted(table[key])]))
}
