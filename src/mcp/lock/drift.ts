import type { ServerInventory } from "../inventory.ts"
import { changesBetween } from "./changes.ts"
import { type Lock, lockServer, type Pin, type ServerLock } from "./lock.ts"

/** One way in which a server is not what agent.lock says. */
export interface Drift {
  readonly server: string
  readonly kind: "not-locked" | "instructions-changed" | "tool-added" | "tool-removed" | "tool-changed"
  /** `null` when it is about the server itself. */
  readonly tool: string | null
  /** What changed, a line each, for people. */
  readonly changes: readonly string[]
}

/** Compare what a server says of itself now with what was pinned. */
export function driftOf(lock: Lock, inventory: ServerInventory): readonly Drift[] {
  const { server } = inventory
  const pinned = lock.get(server)
  return pinned === undefined ? [notLocked(server)] : compareServers(server, pinned, lockServer(inventory))
}

/** A server that agent.lock does not know. */
export function notLocked(server: string): Drift {
  return { server, kind: "not-locked", tool: null, changes: [] }
}

/** What a drift is, in one sentence. */
export function describeDrift({ server, kind, tool }: Drift): string {
  const about = `MCP server "${server}"`
  switch (kind) {
    case "not-locked":
      return `${about} is not in agent.lock`
    case "instructions-changed":
      return `${about}: its instructions are not those in agent.lock`
    case "tool-added":
      return `${about}: tool "${tool}" is not in agent.lock`
    case "tool-removed":
      return `${about}: tool "${tool}" of agent.lock is gone`
    case "tool-changed":
      return `${about}: tool "${tool}" is not the one in agent.lock`
    default:
      return kind satisfies never
  }
}

function compareServers(server: string, before: ServerLock, after: ServerLock): readonly Drift[] {
  const names = [...new Set([...before.tools.keys(), ...after.tools.keys()])].sort()
  const tools = names.flatMap((tool) => {
    const [pinned, now] = [before.tools.get(tool), after.tools.get(tool)]
    return comparePins(pinned, now).map((drift): Drift => ({ server, tool, ...drift }))
  })
  const instructions = before.instructions?.hash !== after.instructions?.hash
  if (!instructions) return tools
  const changes = changesBetween(before.instructions?.shown ?? {}, after.instructions?.shown ?? {})
  return [{ server, tool: null, kind: "instructions-changed", changes }, ...tools]
}

function comparePins(before: Pin | undefined, after: Pin | undefined): readonly Pick<Drift, "kind" | "changes">[] {
  if (before === undefined && after !== undefined) {
    return [{ kind: "tool-added", changes: changesBetween({}, { description: after.shown.description }) }]
  }
  if (before === undefined || after === undefined) return [{ kind: "tool-removed", changes: [] }]
  if (before.hash === after.hash) return []
  const changes = changesBetween(before.shown, after.shown)
  return [{ kind: "tool-changed", changes: changes.length > 0 ? changes : [unshown] }]
}

const unshown = "the difference is in what agent.lock does not show: a masked secret, or the file was edited by hand"
