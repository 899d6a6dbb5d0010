import type { Tool } from "../../contract/tool.ts"
import { toVisibleText } from "../../util/visible-text.ts"
import { toWellFormed } from "../../util/well-formed.ts"
import { leadOf, ownNameOf } from "./tool-index.ts"
import { stemsOf } from "./words.ts"

type SummarizedTool = Pick<Tool, "name" | "description" | "origin">

/** One line on what a tool does, in at most `limit` characters; empty when the name, or what is known, says as much. */
export function summarize(tool: SummarizedTool, limit: number, known: ReadonlySet<string> = new Set()): string {
  const line = toVisibleText(leadOf(tool.description))
    .replaceAll(/\*\*|__|[`#]/g, "")
    .replaceAll(/\s+/g, " ")
    .trim()
    .replace(/[.:]$/, "")
  return saysNothing(line, tool, known) ? "" : cutLine(withoutArticles(line), limit)
}

/** The stems that many tools of one server have in their first sentence: they tell the server, but not the tools apart. */
export function commonStems(tools: readonly SummarizedTool[]): ReadonlySet<string> {
  const counts = new Map<string, number>()
  for (const { description } of tools) {
    for (const stem of new Set(stemsOf(leadOf(description)))) counts.set(stem, (counts.get(stem) ?? 0) + 1)
  }
  const many = Math.max(fewestTools, tools.length * commonShare)
  return new Set([...counts].filter(([, count]) => count >= many).map(([stem]) => stem))
}

const fewestTools = 4
const commonShare = 1 / 3

const fillers = new Set(
  stemsOf("a an the of to in on for from by with and or your this that all new existing specific"),
)

function saysNothing(line: string, tool: SummarizedTool, known: ReadonlySet<string>): boolean {
  const server = tool.origin.kind === "mcp" ? tool.origin.server : ""
  const named = new Set(stemsOf(`${ownNameOf(tool)} ${server}`))
  return stemsOf(line).every((stem) => named.has(stem) || known.has(stem) || fillers.has(stem))
}

/** A summary is paid for on every request, and reads as well without them. */
function withoutArticles(line: string): string {
  const [first = "", ...rest] = line.split(" ")
  return [first, ...rest.filter((word) => !/^(a|an|the)$/.test(word))].join(" ")
}

/** Cut between words, with a sign that something is missing. */
function cutLine(line: string, limit: number): string {
  if (line.length <= limit) return line
  const head = toWellFormed(line.slice(0, Math.max(0, limit - 1)))
  const space = head.lastIndexOf(" ")
  return `${(space > limit / 2 ? head.slice(0, space) : head).trimEnd()}…`
}
