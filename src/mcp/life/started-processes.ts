import type { ServerConfig } from "../../contract/server.ts"
import type { Channel } from "../channel.ts"
import { openStdioChannel } from "../stdio-channel.ts"

/** Servers whose processes were started before anybody is there to talk to them. */
export interface StartedProcesses {
  /** The channel to a started process, once; `null` for a server that is to be started now. */
  take(config: ServerConfig, onNoise: (line: string) => void): Channel | null
  /** End the processes that nobody took. */
  close(): Promise<void>
}

/** Start the processes of the first local servers: they boot while the rest of us is loaded. Never throws. */
export function startProcesses(servers: readonly ServerConfig[], limit: number): StartedProcesses {
  const waiting = new Map<string, { readonly channel: Channel; hear: (line: string) => void }>()
  for (const config of servers
    .filter(({ transport }) => transport === "stdio" || transport === "sdk")
    .slice(0, limit)) {
    if (config.transport !== "stdio") continue
    try {
      const entry = { channel: openStdioChannel(config, (line) => entry.hear(line)), hear: (_line: string) => {} }
      waiting.set(config.name, entry)
    } catch {
      // What cannot even be attempted is attempted again, and explained, when the server has its turn.
    }
  }
  return {
    take({ name }, onNoise) {
      const entry = waiting.get(name)
      if (entry === undefined) return null
      waiting.delete(name)
      entry.hear = onNoise
      return entry.channel
    },
    async close() {
      const left = [...waiting.values()]
      waiting.clear()
      await Promise.all(left.map(({ channel }) => channel.dispose()))
    },
  }
}
