import type { Tool } from "../../contract/tool.ts"
import { createTokenCounter, hasCredentials } from "../../model/count-tokens.ts"
import { measureTools, type ToolCosts } from "../../tools/lazy/statistics.ts"
import type { ServerSession } from "../connect-servers.ts"
import { countCosts } from "./count-costs.ts"
import { findDeferral } from "./deferral.ts"
import type { McpInput } from "./define-action.ts"
import type { statsOptions } from "./options.ts"
import { describeCosts, renderCosts } from "./render-costs.ts"

/** `agent-run mcp stats`: what the tools of all servers cost in context, and what lazy loading saves. */
export async function showStatistics(
  session: ServerSession,
  { options }: McpInput<never, typeof statsOptions>,
): Promise<number> {
  const { tools, isLazy, waits } = findDeferral(session, await session.connect())
  const estimated = measureTools(tools, { settings: session.config.mcp, waits })
  const asked = options.estimate === true || tools.length === 0 ? null : await ask(session, estimated, tools)
  const costs = describeCosts(asked ?? estimated, { isLazy, countedBy: asked === null ? "estimate" : "api" })
  session.print(costs, () => renderCosts(costs))
  return 0
}

/** The API's own numbers; `null` when nobody can be asked, which is said when a key was there. */
async function ask(session: ServerSession, estimated: ToolCosts, tools: readonly Tool[]): Promise<ToolCosts | null> {
  const { env, signal, config } = session
  if (!hasCredentials(env)) return null
  try {
    const count = await createTokenCounter({ model: config.agent.model, env, signal, log: session.note })
    return await countCosts(estimated, tools, count)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    session.note(`the API did not count the tokens, so they are estimated: ${why}`)
    return null
  }
}
