import type { Connection } from "./connection.ts"

/** What one connected server said of itself, word for word: nothing cut, nothing left out. */
export interface ServerInventory {
  readonly server: string
  /** Where the server is configured, such as `agent.toml:3`. */
  readonly source: string
  readonly instructions: string | null
  /** The entries of tools/list as they came, also those that are not usable. */
  readonly tools: readonly unknown[]
  /** Names that `enabled_tools` or `disabled_tools` keeps from the model. */
  readonly hidden: readonly string[]
}

/** What the connected ones of these servers said of themselves. */
export function inventoriesOf(connections: readonly Connection[]): readonly ServerInventory[] {
  return connections
    .filter((connection) => connection.state().status === "connected")
    .map((connection) => ({
      server: connection.config.name,
      source: connection.config.source,
      instructions: connection.instructions(),
      tools: connection.catalog().listedTools,
      hidden: connection.hiddenTools().map(({ tool }) => tool.name),
    }))
}
