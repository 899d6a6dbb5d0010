import { toVisibleText } from "../util/visible-text.ts"
import { toWellFormed } from "../util/well-formed.ts"

/** Bound and clean untrusted text for one line of a log: no control characters, no colours, no workflow command. */
export function toLogLine(text: string, maxChars = 300): string {
  const line = removeControls(text.slice(0, maxChars * 4))
    .replaceAll(/\s+/g, " ")
    .trim()
  const bounded = line.length <= maxChars ? line : `${line.slice(0, maxChars)}…`
  return neutraliseCommands(toWellFormed(bounded))
}

/** The same for a text of several lines, each of which is kept, up to a bound. */
export function toLogLines(
  text: string,
  bounds: { readonly lines: number; readonly chars: number },
): readonly string[] {
  const lines = neutraliseCommands(removeControls(cut(text, bounds.chars)))
    .trimEnd()
    .split("\n")
  if (lines.length <= bounds.lines) return lines
  return [...lines.slice(0, bounds.lines), `… ${lines.length - bounds.lines} more lines`]
}

/**
 * Rewrite text so that no CI runner takes a part of it for a command, changing nothing else. GitHub reads `::name::` at
 * the start of a line, after any white space, and `##[name]` anywhere; Azure and TeamCity read `##vso[` and `##teamcity[`.
 */
export function neutraliseCommands(text: string): string {
  return text.replaceAll(commandStart, ": ").replaceAll(/##(?=[\w.-]*\[)/g, "# #")
}

/** The first colon of `::` with nothing but white space and colours before it. Looking back comes second, for speed. */
const commandStart = /:(?<=(?:^|[\r\n\v\f\x85\u2028\u2029])(?:[\s\x85]*\x1b\[[0-9;]*m)*[\s\x85]*:)(?=:)/g

/** Untrusted text inside a line of Markdown: a code span, in which no markup, link, image or mention is ever read. */
export function toCodeSpan(text: string, maxChars = 300): string {
  // A table is split at pipes before code spans are read, and renderers differ on how to escape them there.
  const line = toLogLine(text, maxChars).replaceAll("|", "¦")
  if (line === "") return "(empty)"
  const fence = "`".repeat(longestBacktickRun(line) + 1)
  const padding = line.startsWith("`") || line.endsWith("`") ? " " : ""
  return fence + padding + line + padding + fence
}

/** Untrusted text as a block of Markdown: a fence longer than any run of backticks in it. */
export function toFence(text: string, maxChars: number, language: "text" | "diff" | "toml" = "text"): string {
  const lines = neutraliseCommands(removeControls(cut(text, maxChars))).trimEnd()
  const fence = "`".repeat(Math.max(3, longestBacktickRun(lines) + 1))
  return `${fence}${language}\n${lines}\n${fence}`
}

/** An address that can stand in a link as it is: https, and none of the characters that end one in Markdown or in a page. */
export function toLink(url: string): string | null {
  return url.length <= 1000 && /^https:\/\/[\w.-]+(?::\d+)?\/[\w.~%/?#&=+,;:@-]*$/.test(url) ? url : null
}

function removeControls(text: string): string {
  return toWellFormed(toVisibleText(text))
}

function cut(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars)}… (${text.length - maxChars} more characters)`
}

function longestBacktickRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0)
}
