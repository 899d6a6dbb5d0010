import type { Tool } from "../../contract/tool.ts"
import { estimateTokens } from "./estimate-tokens.ts"
import { commonStems, summarize, summarizeBeyondName } from "./summary.ts"
import { ownNameOf } from "./tool-index.ts"
import { wordsOf } from "./words.ts"

/** How much a catalogue says of each tool. */
export type CatalogueLevel = "summaries" | "names" | "prefixes"

/** What the model is told of tools whose definitions wait until they are needed. */
export interface Catalogue {
  readonly level: CatalogueLevel
  readonly text: string
  readonly tokens: number
}

type CataloguedTool = Pick<Tool, "name" | "description" | "origin">

/** A catalogue may cost this many tokens with summaries, and this many with names only. */
const budgets = { summaries: 3000, names: 6000 } as const

const introduction = `# Tools that load on demand
mcp_tool_search finds and loads these MCP tools, mcp_tool_list shows a server's. Full names have the name below in place of the server's *.`

/** The richest catalogue that its budget allows. The same tools always give the same text: it is part of what is cached. */
export function composeCatalogue(tools: readonly CataloguedTool[], summaryLimit: number): Catalogue {
  const summaries = catalogueAt("summaries", tools, summaryLimit)
  if (summaries.tokens <= budgets.summaries) return summaries
  const names = catalogueAt("names", tools, summaryLimit)
  return names.tokens <= budgets.names ? names : catalogueAt("prefixes", tools, summaryLimit)
}

/** The catalogue at one level, whatever it costs. */
export function catalogueAt(level: CatalogueLevel, tools: readonly CataloguedTool[], summaryLimit: number): Catalogue {
  const entries = catalogueEntries(level, tools, summaryLimit)
  const sections = [...byServer(tools)].map(([server, own]) => {
    const head = `${sharedBeginning(server, own)}*`
    const listed = own.map(({ name }) => entries.get(name) ?? "")
    switch (level) {
      case "summaries":
        return [head, ...listed].join("\n")
      case "names":
        return `${head}\n${listed.join(" ")}`
      case "prefixes":
        return `${head} (${own.length}): ${firstWords(own).join(" ")}`
      default:
        return level satisfies never
    }
  })
  const text = [introduction, ...sections].join(level === "prefixes" ? "\n" : "\n\n")
  return { level, text, tokens: estimateTokens(text) }
}

/** What the catalogue says of each tool, by its full name; nothing where it shows prefixes only. */
export function catalogueEntries(
  level: CatalogueLevel,
  tools: readonly CataloguedTool[],
  summaryLimit: number,
): ReadonlyMap<string, string> {
  if (level === "prefixes") return new Map()
  return new Map(
    [...byServer(tools)].flatMap(([server, own]) => {
      const beginning = sharedBeginning(server, own)
      const known = commonStems(own)
      return own.map((tool) => {
        const name = tool.name.startsWith(beginning) ? tool.name.slice(beginning.length) : `full name ${tool.name}`
        const summary = level === "names" ? "" : summarizeBeyondName(tool, summaryLimit, known)
        return [tool.name, summary === "" ? name : `${name}: ${summary}`] as const
      })
    }),
  )
}

/** A tool in one line: its name, and what it does where the name does not say it already. */
export function summaryLine(tool: CataloguedTool, summaryLimit: number): string {
  const summary = summarize(tool, summaryLimit)
  return summary === "" ? tool.name : `${tool.name}: ${summary}`
}

function byServer(tools: readonly CataloguedTool[]): ReadonlyMap<string, readonly CataloguedTool[]> {
  const servers = new Map<string, CataloguedTool[]>()
  for (const tool of tools) {
    const server = tool.origin.kind === "mcp" ? tool.origin.server : ""
    const own = servers.get(server)
    if (own === undefined) servers.set(server, [tool])
    else own.push(tool)
  }
  return servers
}

/** What the full names of a server's tools begin with, up to the end of a word: it is said once. */
function sharedBeginning(server: string, tools: readonly CataloguedTool[]): string {
  const beginning = `mcp__${server}__`.replace(/[^a-zA-Z0-9_-]/gu, "_")
  const names = tools.flatMap(({ name }) => (name.startsWith(beginning) ? [name] : []))
  const [first = "", ...others] = names
  if (others.length === 0) return beginning
  let length = beginning.length
  for (const { index } of first.slice(0, -1).matchAll(/[_-]/g)) {
    const longer = first.slice(0, index + 1)
    if (others.every((name) => name.startsWith(longer) && name !== longer)) length = Math.max(length, longer.length)
  }
  return first.slice(0, length)
}

const mostFirstWords = 12

/** What the names of a server's tools begin with, once a word that all of them share is left out; the most frequent ones. */
function firstWords(tools: readonly CataloguedTool[]): readonly string[] {
  const names = tools.map((tool) => wordsOf(ownNameOf(tool)))
  const shared = names.every((words) => words[0] === names[0]?.[0] && words.length > 1) ? 1 : 0
  const counts = new Map<string, number>()
  for (const words of names) {
    const word = words[shared]
    if (word !== undefined) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const frequent = [...counts].sort(([, one], [, other]) => other - one).map(([word]) => word)
  return frequent.length > mostFirstWords ? [...frequent.slice(0, mostFirstWords), "…"] : frequent
}
