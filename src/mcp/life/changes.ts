import { isJsonObject } from "../../contract/json.ts"
import type { Catalog, ServerTool } from "../discover.ts"
import type { Session } from "../session.ts"

/** What is different about the tools of a server, by their own names. */
export interface ToolChanges {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** Same name, but another description, schema or hint than at any time before in this run. */
  readonly changed: readonly string[]
}

/** Remembers how each tool of a server was described, so that none can change its meaning unnoticed. */
export interface ToolMemory {
  /** Look at what the server offers now. */
  compare(tools: Catalog["tools"]): ToolChanges
}

/** A memory of one run. */
export function createToolMemory(): ToolMemory {
  const described = new Map<string, string>()
  let before: ReadonlySet<string> = new Set()

  function isChanged(tool: ServerTool): boolean {
    const now = JSON.stringify([tool.description, tool.inputSchema, tool.hints])
    const known = described.get(tool.name)
    described.set(tool.name, now)
    return known !== undefined && known !== now
  }

  return {
    compare(tools) {
      const now = new Set(tools.map(({ name }) => name))
      const changes = {
        added: [...now].filter((name) => !before.has(name)),
        removed: [...before].filter((name) => !now.has(name)),
        changed: tools.filter(isChanged).map(({ name }) => name),
      }
      before = now
      return changes
    },
  }
}

/** Does a server say that its lists may change? */
export function announcesChanges({ capabilities }: Session): boolean {
  return Object.values(capabilities).some((capability) => isJsonObject(capability) && capability.listChanged === true)
}
