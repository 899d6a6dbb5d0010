import type { Tool } from "../../contract/tool.ts"
import type { Pool } from "../../mcp/pool.ts"
import { createPolicy } from "../../permissions/policy.ts"
import { chooseDeferred } from "../../tools/lazy/choose-deferred.ts"
import { inOrder } from "../../tools/toolbox.ts"
import type { ServerSession } from "../connect-servers.ts"

/** The MCP tools that a run would offer, and how it would load them. */
export interface Deferral {
  readonly tools: readonly Tool[]
  readonly isLazy: boolean
  /** Would a lazy run hold this tool back? */
  readonly waits: (tool: Tool) => boolean
}

/** Find out what a run with this configuration would do with the tools of its servers. */
export function findDeferral({ config }: ServerSession, pool: Pool): Deferral {
  const policy = createPolicy(config.permissions)
  const tools = inOrder(pool.tools().filter((tool) => policy.hides(tool) === null))
  const alwaysLoad = new Map(config.servers.map((server) => [server.name, server.alwaysLoad]))
  const settings = { ...config.mcp, alwaysLoad }
  const waits = chooseDeferred(tools, settings)
  const ifLazy = chooseDeferred(tools, { ...settings, lazyLoading: true }) ?? (() => false)
  return { tools, isLazy: waits !== null, waits: waits ?? ifLazy }
}
