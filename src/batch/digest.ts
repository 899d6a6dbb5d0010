import { createHash } from "node:crypto"
import { isJsonObject } from "../contract/json.ts"

/** One word for a value: the same for the same contents, in whatever order its keys stand. */
export function digestOfValue(value: unknown): string {
  return digestOfText(JSON.stringify(sorted(value)))
}

/** One word for a text. */
export function digestOfText(text: string | Uint8Array): string {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isJsonObject(value)) return value
  const keys = Object.keys(value).sort()
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]))
}
