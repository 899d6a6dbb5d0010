import type { RunEvent } from "../contract/event.ts"
import { toLogLine } from "./escape.ts"

/** What a run is waiting for, told from its events. */
export interface Waits {
  follow(event: RunEvent): void
  /** One line for a person who wonders whether anything still happens. */
  render(): string
}

/** Follow what has begun and not ended: servers that connect, the model's reply, calls. */
export function createWaits(clock: () => number): Waits {
  const open = new Map<string, { readonly what: string; readonly since: number }>()
  const begin = (key: string, what: string) => open.set(key, { what, since: clock() })

  function follow(event: RunEvent): void {
    switch (event.type) {
      case "server.connecting":
        begin(`server ${event.server}`, `server ${event.server}`)
        return
      case "server.connected":
      case "server.disconnected":
      case "server.error":
        open.delete(`server ${event.server}`)
        return
      case "turn.start":
        begin("model", "the model")
        return
      case "message":
        if (event.role === "assistant") open.delete("model")
        return
      case "tool.call":
        begin(`call ${event.call_id}`, event.tool)
        return
      case "tool.result":
        open.delete(`call ${event.call_id}`)
        return
      default:
        return
    }
  }

  function render(): string {
    if (open.size === 0) return "still running"
    const now = clock()
    const named = [...open.values()]
      .slice(0, 3)
      .map(({ what, since }) => `${toLogLine(what)} (${secondsOf(now - since)})`)
    const more = open.size > 3 ? ` and ${open.size - 3} more` : ""
    return `still waiting for ${named.join(", ")}${more}`
  }

  return { follow, render }
}

function secondsOf(durationMs: number): string {
  return `${Math.round(durationMs / 1000)} s`
}
