import { toVisibleText } from "../../util/visible-text.ts"
import { toWellFormed } from "../../util/well-formed.ts"

/** Markup that is safe to put into a page. Only `html` makes it. */
export interface Html {
  readonly markup: string
}

type Part = Html | string | number | null | readonly Part[]

/** Markup from a template of ours. All that is put in is text, unless it is markup already. */
export function html(template: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const pieces = template.flatMap((text, index) => [text, index < parts.length ? toMarkup(parts[index] ?? null) : ""])
  return { markup: pieces.join("") }
}

/** Markup that we wrote as a whole, such as our style sheet. */
export function trusted(markup: string): Html {
  return { markup }
}

/** Untrusted text that keeps its lines, up to a bound; what is cut off is counted. */
export function toBlock(text: string, maxChars = 20_000): Html {
  const kept = text.slice(0, maxChars)
  const rest = text.length - kept.length
  const more = rest === 0 ? null : html`<p class="cut">${rest} more characters are in the transcript.</p>`
  // What is long enough to scroll must be reachable with the keyboard.
  const focusable = kept.length > 1500 ? html` tabindex="0"` : null
  return html`<pre${focusable}>${kept}</pre>${more}`
}

/** Untrusted text on one line, up to a bound. */
export function toLine(text: string, maxChars = 160): string {
  const line = text
    .slice(0, maxChars * 4)
    .replaceAll(/\s+/g, " ")
    .trim()
  return line.length <= maxChars ? line : `${line.slice(0, maxChars)}…`
}

function toMarkup(part: Part): string {
  if (part === null) return ""
  if (typeof part === "number") return String(part)
  if (typeof part === "string") return escapeText(part)
  return "markup" in part ? part.markup : part.map(toMarkup).join("")
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

function escapeText(text: string): string {
  return toWellFormed(toVisibleText(text)).replaceAll(/[&<>"']/g, (character) => entities[character] ?? "")
}
