import type { Emit } from "../contract/event.ts"
import type { Tool } from "../contract/tool.ts"
import { adaptTool } from "./adapt-tool.ts"
import type { Connection } from "./connection.ts"
import type { ServerTool } from "./discover.ts"
import type { DeadLetters } from "./life/dead-letters.ts"
import { nameTools } from "./names.ts"

/** A tool that `enabled_tools` or `disabled_tools` of its server keeps from the model, by the name it would have. */
export interface HiddenMcpTool {
  readonly name: string
  readonly server: string
  readonly tool: string
  readonly setting: "enabled_tools" | "disabled_tools"
  /** Where the server is configured. */
  readonly source: string
}

/** The tools of all servers by name; follows what the servers offer, while a pair keeps its name for the whole run. */
export interface ToolTable {
  /** Those of connected servers, in the order of the configuration and of each server. */
  offered(): readonly Tool[]
  /** Those that were offered before: their server is not connected now, or has withdrawn them. */
  absent(): readonly Tool[]
  hidden(): readonly HiddenMcpTool[]
}

/** The table of these servers. */
export function createToolTable(
  connections: readonly Connection[],
  options: { readonly descriptionLimit: number; readonly deadLetters: DeadLetters | null; readonly emit: Emit },
): ToolTable {
  const names = new Map<string, string>()
  const known = new Map<string, Tool>()
  let seen = -1
  let offered: readonly Tool[] = []
  let hidden: readonly HiddenMcpTool[] = []

  function follow(): void {
    const revision = connections.reduce((sum, connection) => sum + connection.revision(), 0)
    if (revision === seen) return
    seen = revision
    const entries = connections.flatMap((connection) => [
      ...connection.catalog().tools.map((tool) => ({ connection, tool, setting: null })),
      ...connection.hiddenTools().map(({ tool, setting }) => ({ connection, tool, setting })),
    ])
    nameNew(entries)
    offered = entries.flatMap(({ connection, tool, setting }) =>
      setting === null ? [adaptTool(connection, tool, { ...options, name: nameOf(connection, tool) })] : [],
    )
    hidden = entries.flatMap(({ connection, tool, setting }) => {
      const { name: server, source } = connection.config
      return setting === null ? [] : [{ name: nameOf(connection, tool), server, tool: tool.name, setting, source }]
    })
    for (const tool of offered) known.set(tool.name, tool)
  }

  function nameNew(entries: readonly { readonly connection: Connection; readonly tool: ServerTool }[]): void {
    const pairs = entries
      .filter(({ connection, tool }) => !names.has(keyOf(connection, tool)))
      .map(({ connection, tool }) => ({ server: connection.config.name, tool: tool.name }))
    const { named, warnings } = nameTools(pairs, new Set(names.values()))
    for (const { server, tool, name } of named) names.set(JSON.stringify([server, tool]), name)
    for (const message of warnings) options.emit({ type: "warning", code: "mcp_tool_name", message })
  }

  function nameOf(connection: Connection, tool: ServerTool): string {
    return names.get(keyOf(connection, tool)) ?? ""
  }

  return {
    offered() {
      follow()
      return offered
    },
    absent() {
      follow()
      const present = new Set(offered.map(({ name }) => name))
      return [...known.values()].filter(({ name }) => !present.has(name))
    },
    hidden() {
      follow()
      return hidden
    },
  }
}

function keyOf(connection: Connection, tool: ServerTool): string {
  return JSON.stringify([connection.config.name, tool.name])
}
