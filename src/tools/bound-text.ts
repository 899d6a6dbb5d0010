import type { ToolResult } from "../contract/tool.ts"
import { toWellFormed } from "../util/well-formed.ts"

/** The text in at most `maxChars`: head and tail kept, a note between them, valid Unicode without NUL. */
export function boundText(text: string, maxChars: number): string {
  const valid = toValidText(text)
  if (valid.length <= maxChars) return valid
  const room = maxChars - leftOutNote(valid.length, "characters").length
  if (room <= 0) return wholeCharacters(valid, 0, maxChars)
  const head = wholeCharacters(valid, 0, Math.ceil(room / 2))
  const tail = wholeCharacters(valid, valid.length - Math.floor(room / 2), valid.length)
  return `${head}${leftOutNote(valid.length - head.length - tail.length, "characters")}${tail}`
}

/** The same for a whole result. Text that is too long in sum becomes one text; images stay. */
export function boundResult(result: ToolResult, maxChars: number): ToolResult {
  const texts = result.content.flatMap((block) => (block.type === "text" ? [block.text] : []))
  const total = texts.reduce((sum, text) => sum + text.length, 0)
  if (total <= maxChars) {
    const content = result.content.map((block) =>
      block.type === "text" ? { ...block, text: toValidText(block.text) } : block,
    )
    return { ...result, content }
  }
  const images = result.content.filter((block) => block.type !== "text")
  return { ...result, content: [{ type: "text", text: boundText(texts.join("\n"), maxChars) }, ...images] }
}

/** What stands where something was cut out of the middle. */
export function leftOutNote(count: number, unit: "characters" | "bytes"): string {
  return `\n[… ${count} ${unit} left out …]\n`
}

/** Replace what JSON readers and databases choke on: lone surrogates and NUL, one character by one. */
export function toValidText(text: string): string {
  return toWellFormed(text).replaceAll("\0", "\u2400")
}

/** A slice that begins and ends between characters, never inside a surrogate pair. */
function wholeCharacters(text: string, start: number, end: number): string {
  const from = splitsPair(text, start) ? start + 1 : start
  const to = splitsPair(text, end) ? end - 1 : end
  return text.slice(from, Math.max(from, to))
}

function splitsPair(text: string, at: number): boolean {
  return /[\udc00-\udfff]/.test(text.charAt(at)) && /[\ud800-\udbff]/.test(text.charAt(at - 1))
}
