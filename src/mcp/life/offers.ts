import type { ServerConfig } from "../../contract/server.ts"
import { type Catalog, emptyCatalog } from "../discover.ts"
import { type HiddenTool, selectTools } from "../select-tools.ts"
import { createToolMemory, type ToolChanges } from "./changes.ts"

/** What a server offers now: all of it is forgotten with the session that it came from. */
export interface Offers {
  catalog(): Catalog
  hiddenTools(): readonly HiddenTool[]
  counts(): { readonly tools: number; readonly resources: number; readonly prompts: number }
  /** Take what the server says it has; tells what is different from before, also from before it was lost. */
  adopt(found: Catalog): ToolChanges & { readonly anything: boolean }
  forget(): void
}

/** The offers of one server, none yet. */
export function createOffers(config: ServerConfig): Offers {
  const memory = createToolMemory()
  let catalog = emptyCatalog
  let hiddenTools: readonly HiddenTool[] = []

  const counts = () => ({
    tools: catalog.tools.length,
    resources: catalog.resources.length,
    prompts: catalog.prompts.length,
  })

  return {
    catalog: () => catalog,
    hiddenTools: () => hiddenTools,
    counts,
    adopt(found) {
      const { offered, hidden } = selectTools(found.tools, config)
      const before = JSON.stringify(counts())
      catalog = { ...found, tools: offered }
      hiddenTools = hidden
      const changes = memory.compare(offered)
      const differences = changes.added.length + changes.removed.length + changes.changed.length
      return { ...changes, anything: differences > 0 || before !== JSON.stringify(counts()) }
    },
    forget() {
      catalog = emptyCatalog
      hiddenTools = []
    },
  }
}
