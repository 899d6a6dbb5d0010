import { summarize } from "../../tools/lazy/summary.ts"
import { createToolSearch } from "../../tools/lazy/tool-search.ts"
import type { ServerSession } from "../connect-servers.ts"
import { renderTable } from "../table.ts"
import { findDeferral } from "./deferral.ts"
import type { McpInput } from "./define-action.ts"
import type { searchOptions } from "./options.ts"

/** `agent-run mcp search QUERY`: what mcp_tool_search would find for the model, over all tools that no rule hides. */
export async function searchTools(
  session: ServerSession,
  { words, options }: McpInput<"query", typeof searchOptions>,
): Promise<number> {
  const { maxToolsPerSearch, summaryDescriptionLimit } = session.config.mcp
  const { regex = false, limit = maxToolsPerSearch } = options
  const query = words.query ?? ""
  if (!Number.isInteger(limit) || limit < 1)
    return session.fail("usage_error", "--limit needs a whole number from 1 on")
  const { tools } = findDeferral(session, await session.connect())
  const result = createToolSearch(tools)({ query, regex, limit })
  if (!result.ok) return session.fail("usage_error", `"${query}" cannot be searched: ${result.problem}`)
  const found = result.found.map((tool) => ({
    name: tool.name,
    server: tool.origin.kind === "mcp" ? tool.origin.server : "",
    summary: summarize(tool, summaryDescriptionLimit),
  }))
  session.print({ query, regex, tools: found }, () =>
    renderTable(
      ["tool", "summary"],
      found.map(({ name, summary }) => [name, summary]),
      "No tool matches.",
    ),
  )
  return 0
}
