import type { McpSettings } from "../../contract/config.ts"
import type { Emit } from "../../contract/event.ts"
import { errorResult, type Tool } from "../../contract/tool.ts"
import { createSchemaCheck } from "../../util/schema-check.ts"
import { type Presentation, toDefinition } from "../toolbox.ts"
import { type Catalogue, composeCatalogue } from "./catalogue.ts"
import { createListTool, createSearchTool } from "./search-tools.ts"

/** What lazy loading is made of. */
export interface LazyOptions {
  /** All MCP tools on offer at the start, in the order of the toolbox. */
  readonly tools: readonly Tool[]
  /** Does the definition of this tool wait? Also asked for tools that come later. */
  readonly waits: (tool: Tool) => boolean
  /** How a definition reaches the model: the API holds it until it is referred to, or it is appended to the tools. */
  readonly delivery: "reference" | "append"
  readonly settings: Pick<McpSettings, "summaryDescriptionLimit" | "maxToolsPerSearch">
  readonly emit: Emit
}

/** MCP tools whose definitions wait until a search finds them or a call names them. */
export interface LazyTools {
  /** What the system prompt says of the tools that wait at the start. It never changes during a run. */
  readonly catalogue: Catalogue
  /** Look into these from now on. They come back with the search tools, and those that wait load when they are called. */
  adopt(tools: readonly Tool[]): readonly Tool[]
  presentationOf(tool: Tool): Presentation
}

/** Hold definitions back, and let the model find them. */
export function createLazyTools({ tools: first, waits, delivery, settings, emit }: LazyOptions): LazyTools {
  const { summaryDescriptionLimit: summaryLimit, maxToolsPerSearch: maxTools } = settings
  const loaded = new Set<string>()
  const callable = new WeakMap<Tool, Tool>()
  let tools: readonly Tool[] = first
  let waiting = first.filter(waits)

  function load(tool: Tool, by: "search" | "call"): void {
    if (loaded.has(tool.name)) return
    loaded.add(tool.name)
    const server = tool.origin.kind === "mcp" ? tool.origin.server : null
    emit({ type: "tool.dynamicLoad", tool: tool.name, server, by })
  }

  function toCallable(tool: Tool): Tool {
    const made = callable.get(tool) ?? loadWhenCalled(tool, { isLoaded: (name) => loaded.has(name), load })
    callable.set(tool, made)
    return made
  }

  const findable = { tools: () => tools, waiting: () => waiting, summaryLimit, emit }
  const search = createSearchTool({ ...findable, maxTools, load: (tool) => load(tool, "search") })
  const list = createListTool(findable)
  return {
    catalogue: composeCatalogue(waiting, summaryLimit),
    adopt(now) {
      tools = now
      waiting = now.filter(waits)
      return [search, list, ...now.map((tool) => (waits(tool) ? toCallable(tool) : tool))]
    },
    presentationOf(tool) {
      if (tool.origin.kind !== "mcp" || !waits(tool)) return "full"
      if (delivery === "reference") return "deferred"
      return loaded.has(tool.name) ? "full" : "none"
    },
  }
}

/** A tool that the model may call before it has seen its definition: with valid input it runs, else it shows it. */
function loadWhenCalled(
  tool: Tool,
  state: { isLoaded(name: string): boolean; load(tool: Tool, by: "call"): void },
): Tool {
  const problemsOf = createSchemaCheck(tool.inputSchema)
  return {
    ...tool,
    async execute(input, context) {
      if (state.isLoaded(tool.name)) return tool.execute(input, context)
      // A schema that cannot be read here is for the server to judge.
      const problems = await problemsOf(input).catch(() => null)
      state.load(tool, "call")
      if (problems === null) return tool.execute(input, context)
      const definition = JSON.stringify(toDefinition(tool))
      const text = `${tool.name} was called before its definition was loaded, and the input does not fit: ${problems}\nNow it is loaded: ${definition}`
      return errorResult("invalid_input", text)
    },
  }
}
