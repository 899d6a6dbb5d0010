import { isJsonObject } from "../../contract/json.ts"
import { cutText } from "../cut-text.ts"

const maxDepth = 20
const maxItems = 200
const maxTextLength = 10_000

/** Foreign data as the transcript keeps it: long texts, long lists and deep nesting are cut. */
export function boundJson(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return cutText(value, maxTextLength)
  if (typeof value !== "object" || value === null) return value
  if (depth >= maxDepth) return "[nested too deeply]"
  if (Array.isArray(value)) return value.slice(0, maxItems).map((item) => boundJson(item, depth + 1))
  if (!isJsonObject(value)) return null
  const entries = Object.entries(value).slice(0, maxItems)
  return Object.fromEntries(entries.map(([key, item]) => [cutText(key, maxTextLength), boundJson(item, depth + 1)]))
}
