import type { Tool } from "../../contract/tool.ts"
import { toVisibleText } from "../../util/visible-text.ts"
import { toWellFormed } from "../../util/well-formed.ts"
import { leadOf, ownNameOf } from "./tool-index.ts"
import { stemsOf } from "./words.ts"

type SummarizedTool = Pick<Tool, "name" | "description" | "origin">

/** One line on what a tool does, in at most `limit` characters; empty when the name says as much. */
export function summarize(tool: SummarizedTool, limit: number): string {
  const words = wordsOfLead(tool)
  return words.every((word) => isTold(word, namedBy(tool), fillers)) ? "" : cutLine(words.join(" "), limit)
}

/**
 * What a catalogue says of a tool: the summary without what its name or its server tell, at both ends. It reads on from
 * the name, as in "rebase: commits onto another branch".
 */
export function summarizeBeyondName(tool: SummarizedTool, limit: number, known: ReadonlySet<string>): string {
  const told = [namedBy(tool), known]
  const words = wordsOfLead(tool)
  const first = words.findIndex((word, at) => !isTold(word, ...told, at === 0 ? hollow : fillers))
  if (first < 0) return ""
  const last = words.findLastIndex((word) => !isTold(word, ...told, fillers))
  const end = words.findIndex((word, at) => at > last && (prepositions.has(word) || conjunctions.has(word)))
  return cutLine(words.slice(withPreposition(words, first), end < 0 ? words.length : end).join(" "), limit)
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
const commonShare = 1 / 2

const conjunctions = new Set(["and", "or"])
const prepositions = new Set("of to in into on onto over for from by with at about across".split(" "))
const fillers = new Set(
  stemsOf(`a an the your this that all new existing specific ${[...conjunctions, ...prepositions].join(" ")}`),
)
/** As first words they say no more than that there is a tool. */
const hollow = new Set(stemsOf("get return retrieve perform"))

/** The words of the first sentence. Articles go: a summary is paid for on every request, and reads as well without them. */
function wordsOfLead({ description }: SummarizedTool): readonly string[] {
  const line = toVisibleText(leadOf(description)).replaceAll(/\*\*|__|[`#]/g, "")
  const [first = "", ...rest] = line.trim().replace(/[.:]$/, "").split(/\s+/)
  return [first, ...rest.filter((word) => !/^(a|an|the)$/.test(word))]
}

function namedBy(tool: SummarizedTool): ReadonlySet<string> {
  const server = tool.origin.kind === "mcp" ? tool.origin.server : ""
  return new Set(stemsOf(`${ownNameOf(tool)} ${server}`))
}

/** A word with a bracket, a comma or the like holds its sentence together: it is not told. A sign by itself says nothing. */
function isTold(word: string, ...told: readonly ReadonlySet<string>[]): boolean {
  return (
    /^([\p{L}\d-]*|[^\p{L}\d]*)$/u.test(word) && stemsOf(word).every((stem) => told.some((stems) => stems.has(stem)))
  )
}

/** A preposition or conjunction that leads to a word belongs to it. */
function withPreposition(words: readonly string[], first: number): number {
  const before = words.slice(0, first)
  const preposition = before.findLastIndex((word) => prepositions.has(word))
  if (preposition >= 0) return preposition
  return conjunctions.has(before.at(-1) ?? "") ? first - 1 : first
}

/** Cut between words, with a sign that something is missing. */
function cutLine(line: string, limit: number): string {
  if (line.length <= limit) return line
  const head = toWellFormed(line.slice(0, Math.max(0, limit - 1)))
  const space = head.lastIndexOf(" ")
  return `${(space > limit / 2 ? head.slice(0, space) : head).trimEnd()}…`
}
