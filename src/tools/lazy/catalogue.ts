import type { Tool } from "../../contract/tool.ts"
import { estimateTokens } from "./estimate-tokens.ts"
import { summarize } from "./summary.ts"
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
These MCP tools exist, but their definitions are not loaded. mcp_tool_search finds and loads tools by what they do; mcp_tool_list shows the tools of one server. A tool that was found can be called from then on. The line of a server shows how the full names of its tools begin.`

/** The richest catalogue that its budget allows. The same tools always give the same text: it is part of what is cached. */
export function composeCatalogue(tools: readonly CataloguedTool[], summaryLimit: number): Catalogue {
  const summaries = catalogueAt("summaries", tools, summaryLimit)
  if (summaries.tokens <= budgets.summaries) return summaries
  const names = catalogueAt("names", tools, summaryLimit)
  return names.tokens <= budgets.names ? names : catalogueAt("prefixes", tools, summaryLimit)
}

/** The catalogue at one level, whatever it costs. */
export function catalogueAt(level: CatalogueLevel, tools: readonly CataloguedTool[], summaryLimit: number): Catalogue {
  const servers = new Map<string, CataloguedTool[]>()
  for (const tool of tools) {
    const own = servers.get(serverOf(tool))
    if (own === undefined) servers.set(serverOf(tool), [tool])
    else own.push(tool)
  }
  const sections = [...servers].map(([server, own]) => describeServer(level, { server, tools: own, summaryLimit }))
  const text = [introduction, ...sections].join(level === "prefixes" ? "\n" : "\n\n")
  return { level, text, tokens: estimateTokens(text) }
}

/** A tool in one line: its name, and what it does where the name does not say it already. */
export function summaryLine(name: string, tool: CataloguedTool, summaryLimit: number): string {
  const summary = summarize(tool, summaryLimit)
  return summary === "" ? name : `${name}: ${summary}`
}

function serverOf({ origin }: CataloguedTool): string {
  return origin.kind === "mcp" ? origin.server : ""
}

interface ServerSection {
  readonly server: string
  readonly tools: readonly CataloguedTool[]
  readonly summaryLimit: number
}

function describeServer(level: CatalogueLevel, { server, tools, summaryLimit }: ServerSection): string {
  const beginning = `mcp__${server}__`.replace(/[^a-zA-Z0-9_-]/gu, "_")
  const head = `${beginning} (${tools.length})`
  const shortName = ({ name }: CataloguedTool) =>
    name.startsWith(beginning) ? name.slice(beginning.length) : `full name ${name}`
  switch (level) {
    case "summaries":
      return [head, ...tools.map((tool) => summaryLine(shortName(tool), tool, summaryLimit))].join("\n")
    case "names":
      return `${head}\n${tools.map(shortName).join(" ")}`
    case "prefixes":
      return `${head}: ${firstWords(tools).join(" ")}`
    default:
      return level satisfies never
  }
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
