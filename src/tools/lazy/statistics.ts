import type { McpSettings } from "../../contract/config.ts"
import type { Tool } from "../../contract/tool.ts"
import { type CatalogueLevel, catalogueEntries } from "./catalogue.ts"
import { estimateDefinition, estimateTokens } from "./estimate-tokens.ts"
import { createLazyTools } from "./lazy-tools.ts"

/** What one tool costs on every request, in tokens. */
export interface ToolCost {
  readonly name: string
  readonly server: string
  /** The whole definition. */
  readonly full: number
  /** What the catalogue says of it, when its definition waits. */
  readonly summary: number
  /** Does its definition wait in a lazy run? */
  readonly waits: boolean
}

/** What all tools of a run's servers cost on every request, in tokens. */
export interface ToolCosts {
  readonly tools: readonly ToolCost[]
  /** All definitions. */
  readonly full: number
  /** With lazy loading: the catalogue, the search tools, and definitions that never wait. */
  readonly lazy: number
  readonly catalogue: { readonly level: CatalogueLevel; readonly tokens: number; readonly text: string }
  readonly searchTools: { readonly tools: readonly Tool[]; readonly tokens: number }
}

/** Estimate what tools cost, from the very definitions and the very catalogue that a run sends. */
export function measureTools(
  tools: readonly Tool[],
  options: {
    readonly settings: Pick<McpSettings, "summaryDescriptionLimit" | "maxToolsPerSearch">
    /** Which tools a lazy run holds back. */
    readonly waits: (tool: Tool) => boolean
  },
): ToolCosts {
  const { settings, waits } = options
  const lazyTools = createLazyTools({ tools, waits, delivery: "append", settings, emit: () => {} })
  const { catalogue } = lazyTools
  const searchTools = lazyTools.adopt([])
  const entries = catalogueEntries(catalogue.level, tools.filter(waits), settings.summaryDescriptionLimit)
  const costs = tools.map(
    (tool): ToolCost => ({
      name: tool.name,
      server: tool.origin.kind === "mcp" ? tool.origin.server : "",
      full: estimateDefinition(tool),
      summary: estimateTokens(entries.get(tool.name) ?? ""),
      waits: waits(tool),
    }),
  )
  const tokens = searchTools.reduce((sum, tool) => sum + estimateDefinition(tool), 0)
  return addUp({ tools: costs, catalogue, searchTools: { tools: searchTools, tokens } })
}

/** The sums that follow from the parts. */
export function addUp(parts: Omit<ToolCosts, "full" | "lazy">): ToolCosts {
  const { tools, catalogue, searchTools } = parts
  const sum = (costs: readonly ToolCost[]) => costs.reduce((total, { full }) => total + full, 0)
  const always = sum(tools.filter(({ waits }) => !waits))
  return { ...parts, full: sum(tools), lazy: catalogue.tokens + searchTools.tokens + always }
}
