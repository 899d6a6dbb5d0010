import type { McpSettings } from "../../contract/config.ts"
import type { Tool } from "../../contract/tool.ts"
import { compileNameGlobs } from "../../util/name-globs.ts"
import { estimateDefinition } from "./estimate-tokens.ts"
import { ownNameOf } from "./tool-index.ts"

/** Above this many estimated tokens of MCP definitions, `lazy_loading = "auto"` is lazy. */
const lazyAboveTokens = 8000

/** What decides which tools wait. */
export interface DeferralSettings extends Pick<McpSettings, "lazyLoading" | "alwaysLoadTools"> {
  /** `always_load` by server. */
  readonly alwaysLoad: ReadonlyMap<string, readonly string[]>
}

/** Which MCP tools wait until they are needed; `null` when none does because loading is not lazy. */
export function chooseDeferred(tools: readonly Tool[], settings: DeferralSettings): ((tool: Tool) => boolean) | null {
  if (!isLazy(tools, settings.lazyLoading)) return null
  const isAlwaysLoaded = compileNameGlobs(settings.alwaysLoadTools)
  const byServer = new Map([...settings.alwaysLoad].map(([server, globs]) => [server, compileNameGlobs(globs)]))
  return (tool) => {
    if (tool.origin.kind !== "mcp" || isAlwaysLoaded(tool.name)) return false
    return byServer.get(tool.origin.server)?.(ownNameOf(tool)) !== true
  }
}

function isLazy(tools: readonly Tool[], lazyLoading: McpSettings["lazyLoading"]): boolean {
  if (lazyLoading !== "auto") return lazyLoading
  let tokens = 0
  return tools.some((tool) => {
    tokens += estimateDefinition(tool)
    return tokens > lazyAboveTokens
  })
}
