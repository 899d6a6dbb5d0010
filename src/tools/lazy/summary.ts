import type { Tool } from "../../contract/tool.ts"
import { toVisibleText } from "../../util/visible-text.ts"
import { toWellFormed } from "../../util/well-formed.ts"
import { leadOf, ownNameOf } from "./tool-index.ts"
import { stemsOf } from "./words.ts"

/** One line on what a tool does, in at most `limit` characters; empty when it says no more than the name does. */
export function summarize(tool: Pick<Tool, "name" | "description" | "origin">, limit: number): string {
  const line = toVisibleText(leadOf(tool.description))
    .replaceAll(/\*\*|__|[`#]/g, "")
    .replaceAll(/\s+/g, " ")
    .trim()
    .replace(/[.:]$/, "")
  return repeatsName(line, tool) ? "" : cutLine(line, limit)
}

const fillers = new Set(
  stemsOf("a an the of to in on for from by with and or your this that all new existing specific"),
)

function repeatsName(line: string, tool: Pick<Tool, "name" | "origin">): boolean {
  const server = tool.origin.kind === "mcp" ? tool.origin.server : ""
  const known = new Set(stemsOf(`${ownNameOf(tool)} ${server}`))
  return stemsOf(line).every((stem) => known.has(stem) || fillers.has(stem))
}

/** Cut between words, with a sign that something is missing. */
function cutLine(line: string, limit: number): string {
  if (line.length <= limit) return line
  const head = toWellFormed(line.slice(0, Math.max(0, limit - 1)))
  const space = head.lastIndexOf(" ")
  return `${(space > limit / 2 ? head.slice(0, space) : head).trimEnd()}…`
}
