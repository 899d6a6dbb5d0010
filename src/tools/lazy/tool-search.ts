import { expandAbbreviation, synonymsOf } from "./synonyms.ts"
import { findMatches } from "./timed-match.ts"
import { indexTools, leadOf, ownNameOf, type SearchableTool, type ToolIndex } from "./tool-index.ts"
import { stemOf, stemsOf, wordsOf } from "./words.ts"

/** What a search gives: tools, best first, or why it could not be made. */
export type SearchResult<Item> =
  | { readonly ok: true; readonly found: readonly Item[] }
  | { readonly ok: false; readonly problem: string }

/** A question to the tools. */
export interface SearchQuery {
  readonly query: string
  /** The query is a regular expression on names and descriptions. */
  readonly regex: boolean
  readonly limit: number
}

/** A search over a fixed set of tools. The index is made at the first question. */
export type ToolSearch<Item extends SearchableTool> = (query: SearchQuery) => SearchResult<Item>

/** Make a search over tools. */
export function createToolSearch<Item extends SearchableTool>(tools: readonly Item[]): ToolSearch<Item> {
  let index: ToolIndex | null = null
  return ({ query, regex, limit }) => {
    if (query.trim() === "") return { ok: false, problem: "the query is empty" }
    if (regex) return matchTools(tools, query, limit)
    index ??= indexTools(tools)
    return { ok: true, found: spread(rankTools(tools, index, query), limit).slice(0, limit) }
  }
}

/** A synonym counts this much of the word itself, and so does a word that only begins like it. */
const kinship = 0.6
/** What a query has that no tool has would drown the rest; what a tool lacks of a query costs up to this share. */
const costOfGaps = 0.5

function rankTools<Item extends SearchableTool>(
  tools: readonly Item[],
  index: ToolIndex,
  query: string,
): readonly Item[] {
  const scores = new Float64Array(tools.length)
  const covered = new Float64Array(tools.length)
  let most = 0
  for (const term of termsOf(query)) {
    const weights = weightByTool(index, term)
    if (weights.size === 0) continue
    const value = rarity(weights.size, tools.length)
    most += value
    for (const [tool, weight] of weights) {
      scores[tool] = (scores[tool] ?? 0) + weight * value
      covered[tool] = (covered[tool] ?? 0) + value
    }
  }
  const wanted = query.trim().toLowerCase()
  const rank = (tool: Item, at: number) => {
    if (tool.name.toLowerCase() === wanted || ownNameOf(tool).toLowerCase() === wanted) return Number.POSITIVE_INFINITY
    const gaps = most === 0 ? 0 : 1 - (covered[at] ?? 0) / most
    return (scores[at] ?? 0) * (1 - costOfGaps * gaps)
  }
  return tools
    .map((tool, at) => ({ tool, at, rank: rank(tool, at) }))
    .filter(({ rank }) => rank > 0)
    .sort((one, other) => other.rank - one.rank || one.at - other.at)
    .map(({ tool }) => tool)
}

/** How much one word of the query says of each tool that has it, or a word for it. */
function weightByTool(index: ToolIndex, term: string): ReadonlyMap<number, number> {
  const weights = new Map<number, number>()
  for (const { stem, weight } of alternativesOf(index, term)) {
    for (const posting of index.get(stem) ?? []) {
      weights.set(posting.tool, Math.max(weights.get(posting.tool) ?? 0, weight * posting.weight))
    }
  }
  return weights
}

/** What everybody has says little. A rare word for a common thing is no rarer than the thing. */
function rarity(count: number, total: number): number {
  return Math.log(1 + (total - count + 0.5) / (count + 0.5))
}

interface Alternative {
  readonly stem: string
  readonly weight: number
}

/** The word itself, its synonyms, and, when no tool has it, the words that begin with it or with which it begins. */
function alternativesOf(index: ToolIndex, term: string): readonly Alternative[] {
  const others = synonymsOf(term).filter((stem) => index.has(stem))
  const known = index.has(term) ? [{ stem: term, weight: 1 }] : similarStems(index, term)
  return [...known, ...others.map((stem) => ({ stem, weight: kinship }))]
}

const shortestBeginning = 3

function similarStems(index: ToolIndex, term: string): readonly Alternative[] {
  if (term.length < shortestBeginning) return []
  return [...index.keys()]
    .filter((stem) => stem.startsWith(term) || (stem.length > shortestBeginning && term.startsWith(stem)))
    .map((stem) => ({ stem, weight: kinship }))
}

const fillers = new Set(
  `a an and any are as at be been by can could did do does for from had has have how i if in into is it its let me may my
  of on one onto or our out over please shall should so some than that the their them then there these they this those to
  under up us want was we were what when where which who whose why will with would you your`.split(/\s+/),
)

/** The words of a query that say something, each once; all of them when none does. */
function termsOf(query: string): readonly string[] {
  const words = wordsOf(query).flatMap(expandAbbreviation)
  const telling = words.filter((word) => !fillers.has(word))
  return [...new Set((telling.length > 0 ? telling : words).map(stemOf))]
}

/** Beyond this many times the limit nobody looks. */
const depth = 10

/**
 * Several servers may do the same job. Copies of a tool must not take the places of tools that do another one, so they
 * come after them; whoever means the tool of a certain server names the server, and finds it first.
 */
function spread<Item extends SearchableTool>(ranked: readonly Item[], limit: number): readonly Item[] {
  const first = new Map<Item, ReadonlySet<string>>()
  const later: Item[] = []
  for (const tool of ranked.slice(0, limit * depth)) {
    if (first.size === limit) break
    const look = new Set(stemsOf(`${ownNameOf(tool)} ${leadOf(tool.description)}`))
    const isCopy = [...first].some(([other, its]) => isElsewhere(tool, other) && overlap(look, its) >= likeness)
    if (isCopy) later.push(tool)
    else first.set(tool, look)
  }
  return [...first.keys(), ...later]
}

const likeness = 0.5

function isElsewhere({ origin: one }: SearchableTool, { origin: other }: SearchableTool): boolean {
  return one.kind === "mcp" && other.kind === "mcp" && one.server !== other.server
}

/** What two sets share, of all that they have. */
function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = [...one].filter((stem) => other.has(stem)).length
  return shared / Math.max(1, one.size + other.size - shared)
}

/** By a regular expression: tools whose name matches come before those whose description does. */
function matchTools<Item extends SearchableTool>(
  tools: readonly Item[],
  pattern: string,
  limit: number,
): SearchResult<Item> {
  const names = findMatches(
    pattern,
    tools.map(({ name }) => name),
  )
  if (!names.ok) return names
  const descriptions = findMatches(
    pattern,
    tools.map(({ description }) => description),
  )
  if (!descriptions.ok) return descriptions
  const byName = tools.filter((_, at) => names.matches[at])
  const byDescription = tools.filter((_, at) => !names.matches[at] && descriptions.matches[at])
  return { ok: true, found: [...byName, ...byDescription].slice(0, limit) }
}
