import type { Emit } from "../../contract/event.ts"
import type { JsonObject } from "../../contract/json.ts"
import { errorResult, type Tool, type ToolResult, textResult } from "../../contract/tool.ts"
import { defineTool } from "../define-tool.ts"
import { summaryLine } from "./catalogue.ts"
import { createToolSearch, type ToolSearch } from "./tool-search.ts"

/** What the two tools look into. */
export interface Findable {
  /** All MCP tools on offer now. */
  readonly tools: () => readonly Tool[]
  /** Those whose definitions wait; the same list as long as nothing changes. */
  readonly waiting: () => readonly Tool[]
  readonly summaryLimit: number
  readonly emit: Emit
}

const origin = { kind: "builtin" } as const
const harmless = { readOnly: true, idempotent: true, origin } as const

/** `mcp_tool_search`: find deferred tools by what they do, and load what was found. */
export function createSearchTool(
  options: Findable & {
    readonly maxTools: number
    readonly load: (tool: Tool) => void
  },
): Tool {
  const { waiting, maxTools, summaryLimit, emit } = options
  const searchOf = createSearchCache()
  return defineTool({
    ...harmless,
    name: "mcp_tool_search",
    description: `Find MCP tools and load up to ${maxTools}; call them from the next turn on.`,
    inputSchema: {
      type: "object",
      properties: {
        query: { type: "string", description: "What the tool does, or its name" },
        regex: { type: "boolean", description: "Query is a regular expression" },
        limit: { type: "integer", minimum: 1 },
      },
      required: ["query"],
    },
    async execute(input) {
      const { query, regex, limit } = readQuery(input, maxTools)
      const result = searchOf(waiting())({ query, regex, limit })
      if (!result.ok)
        return errorResult("invalid_input", `${JSON.stringify(query)} cannot be searched: ${result.problem}.`)
      const names = result.found.map(({ name }) => name)
      emit({ type: "tool.search", query, regex, results: names.length, names })
      if (names.length === 0) return textResult(nothingFound(query, waiting()))
      result.found.forEach(options.load)
      return describeFound(result.found, summaryLimit)
    },
  })
}

/** `mcp_tool_list`: the tools of one server, by name and summary. Loads nothing. */
export function createListTool({ tools, summaryLimit }: Findable): Tool {
  return defineTool({
    ...harmless,
    name: "mcp_tool_list",
    description: "List a server's MCP tools; loads none.",
    inputSchema: {
      type: "object",
      properties: { server: { type: "string" } },
      required: ["server"],
    },
    async execute({ server }) {
      const own = tools().filter((tool) => serverOf(tool) === server)
      if (own.length > 0) return own.map((tool) => summaryLine(tool, summaryLimit)).join("\n")
      const text = `No MCP server ${JSON.stringify(server)} has tools in this run. Servers with tools: ${serversOf(tools())}.`
      return errorResult("invalid_input", text)
    },
  })
}

function readQuery({ query, regex, limit }: JsonObject, maxTools: number) {
  return {
    query: String(query),
    regex: regex === true,
    limit: typeof limit === "number" ? Math.min(limit, maxTools) : maxTools,
  }
}

/** The search over a list of tools, made anew when the list is another one. */
function createSearchCache(): (tools: readonly Tool[]) => ToolSearch<Tool> {
  let last: { readonly tools: readonly Tool[]; readonly search: ToolSearch<Tool> } | null = null
  return (tools) => {
    if (last?.tools !== tools) last = { tools, search: createToolSearch(tools) }
    return last.search
  }
}

function nothingFound(query: string, waiting: readonly Tool[]): string {
  return `No tool matches ${JSON.stringify(query)}. Try other words, or mcp_tool_list with one of these servers: ${serversOf(waiting)}.`
}

/** Text for an API that gets the definitions with the next request, references for one that shows them here. */
function describeFound(found: readonly Tool[], summaryLimit: number): ToolResult {
  const lines = found.map((tool) => summaryLine(tool, summaryLimit))
  return {
    content: [
      { type: "text", text: ["Loaded; call them by these names:", ...lines].join("\n") },
      ...found.map(({ name }) => ({ type: "tool_reference" as const, tool: name })),
    ],
    isError: false,
  }
}

function serversOf(tools: readonly Tool[]): string {
  return [...new Set(tools.map(serverOf))].join(", ")
}

function serverOf({ origin }: Tool): string {
  return origin.kind === "mcp" ? origin.server : ""
}
