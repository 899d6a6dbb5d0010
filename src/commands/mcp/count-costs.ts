import type { Tool } from "../../contract/tool.ts"
import type { TokenCounter } from "../../model/count-tokens.ts"
import { addUp, type ToolCosts } from "../../tools/lazy/statistics.ts"
import { toDefinition } from "../../tools/toolbox.ts"
import { createLimiter } from "../../util/limiter.ts"

const atATime = 4

/**
 * Put the API's numbers in the place of estimates: one request a server, and three for the rest. The tools of a server
 * share what it was counted at, in proportion to their estimates.
 */
export async function countCosts(
  estimated: ToolCosts,
  tools: readonly Tool[],
  count: TokenCounter,
): Promise<ToolCosts> {
  const limit = createLimiter(atATime)
  const searchTools = estimated.searchTools.tools.map(toDefinition)
  const servers = [...new Set(estimated.tools.map(({ server }) => server))]
  const definitionsOf = (server: string) =>
    tools.filter(({ origin }) => origin.kind === "mcp" && origin.server === server).map(toDefinition)
  // The first tool of a request costs more than itself, so differences are taken between requests that have tools.
  const [none, search, catalogued, perServer] = await Promise.all([
    limit(() => count({ system: "", tools: [] })),
    limit(() => count({ system: "", tools: searchTools })),
    limit(() => count({ system: estimated.catalogue.text, tools: searchTools })),
    Promise.all(
      servers.map((server) => limit(() => count({ system: "", tools: [...searchTools, ...definitionsOf(server)] }))),
    ),
  ])
  const ratios = new Map(
    servers.map((server, at) => {
      const own = estimated.tools.filter((tool) => tool.server === server).reduce((sum, { full }) => sum + full, 0)
      return [server, ((perServer[at] ?? search) - search) / Math.max(1, own)]
    }),
  )
  const catalogue = { ...estimated.catalogue, tokens: catalogued - search }
  const summaryRatio = catalogue.tokens / Math.max(1, estimated.catalogue.tokens)
  return addUp({
    tools: estimated.tools.map((tool) => ({
      ...tool,
      full: Math.round(tool.full * (ratios.get(tool.server) ?? 1)),
      summary: Math.round(tool.summary * summaryRatio),
    })),
    catalogue,
    searchTools: { ...estimated.searchTools, tokens: search - none },
  })
}
