import type { ToolCost, ToolCosts } from "../../tools/lazy/statistics.ts"
import { renderTable } from "../table.ts"

/** The context window that shares are told of. */
const contextWindow = 200_000
const heaviestCount = 10

/** The costs of tools as `mcp stats --json` spells them, all in tokens. */
export function describeCosts(
  costs: ToolCosts,
  { isLazy, countedBy }: { readonly isLazy: boolean; readonly countedBy: "api" | "estimate" },
) {
  const describe = ({ name, server, full, summary, waits }: ToolCost) => {
    return { name, server, full, summary, loaded: isLazy && waits ? 0 : full }
  }
  const tools = costs.tools.map(describe)
  const servers = [...new Set(tools.map(({ server }) => server))].map((server) => {
    const own = tools.filter((tool) => tool.server === server)
    const sum = (key: "full" | "summary" | "loaded") => own.reduce((total, tool) => total + tool[key], 0)
    const full = sum("full")
    return { server, tools: own.length, full, summary: sum("summary"), loaded: sum("loaded"), share: shareOf(full) }
  })
  const sent = isLazy ? costs.lazy : costs.full
  return {
    counted_by: countedBy,
    context_window: contextWindow,
    lazy_loading: isLazy,
    total: {
      tools: tools.length,
      full: costs.full,
      lazy: costs.lazy,
      saved_percent: costs.full === 0 ? 0 : percent(1 - costs.lazy / costs.full),
      sent,
      share: shareOf(sent),
    },
    catalogue: { level: costs.catalogue.level, tokens: costs.catalogue.tokens },
    search_tools: costs.searchTools.tokens,
    servers,
    heaviest: tools.toSorted((one, other) => other.full - one.full).slice(0, heaviestCount),
    tools,
  }
}

/** The same for people. */
export function renderCosts(costs: ReturnType<typeof describeCosts>): string {
  const { total, catalogue } = costs
  const servers = costs.servers.map(({ server, tools, full, summary, loaded, share }) => [
    server,
    ...[tools, full, summary, loaded].map(formatCount),
    `${share} %`,
  ])
  const heaviest = costs.heaviest.map(({ name, full, summary, loaded }) => [
    name,
    ...[full, summary, loaded].map(formatCount),
  ])
  const now = costs.lazy_loading
    ? `on: every request carries ${formatCount(total.sent)} tokens (catalogue with ${catalogue.level}: ${formatCount(catalogue.tokens)}, search tools: ${formatCount(costs.search_tools)})`
    : `off: every request carries ${formatCount(total.sent)} tokens; with it, ${formatCount(total.lazy)}`
  return [
    renderTable(["server", "tools", "full", "summary", "loaded", "of context"], servers, "No tools."),
    renderTable(["heaviest tools", "full", "summary", "loaded"], heaviest, ""),
    `Full definitions: ${formatCount(total.full)} tokens. Lazy loading saves ${total.saved_percent} %.`,
    `Lazy loading is ${now}: ${total.share} % of a context of ${formatCount(costs.context_window)} tokens.`,
    costs.counted_by === "api"
      ? "Counted by the API, server by server; tools share it in proportion to their size."
      : "Estimated, about 10 % too high rather than too low. With a key for the API they are counted.",
    "",
  ].join("\n")
}

function shareOf(tokens: number): number {
  return percent(tokens / contextWindow)
}

function percent(share: number): number {
  return Number((share * 100).toFixed(1))
}

function formatCount(count: number): string {
  return count.toLocaleString("en-US")
}
