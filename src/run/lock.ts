import { readText } from "../config/text/read-text.ts"
import type { ReadGoverning } from "../config/trust/trust.ts"
import type { Emit } from "../contract/event.ts"
import type { Reason } from "../contract/reason.ts"
import type { ServerConfig } from "../contract/server.ts"
import { UserError } from "../contract/user-error.ts"
import { inventoriesOf } from "../mcp/inventory.ts"
import { type Drift, describeDrift, driftOf, notLocked } from "../mcp/lock/drift.ts"
import type { Lock } from "../mcp/lock/lock.ts"
import { parseLock } from "../mcp/lock/lock-file.ts"
import type { Pool } from "../mcp/pool.ts"

const maxLockBytes = 64 * 1024 * 1024

/** Read agent.lock; `null` when there is none. Throws a UserError when it cannot be used. */
export async function readLock(path: string, read: ReadGoverning = readText): Promise<Lock | null> {
  const file = await read(path, maxLockBytes)
  if (file.kind === "missing") return null
  if (file.kind === "unusable") throw new UserError("config_error", file.why, { where: `${path}:` })
  return parseLock(file.text, path)
}

/** The lock that `--locked` asks for. Throws a UserError when there is none. */
export async function readRequiredLock(path: string, read: ReadGoverning = readText): Promise<Lock> {
  const lock = await readLock(path, read)
  if (lock !== null) return lock
  throw new UserError("config_error", "there is no agent.lock to compare the servers with", {
    where: `${path}:`,
    hint: "agent-run mcp lock writes it; review and commit it.",
  })
}

/** Watches whether servers are what agent.lock says. */
export interface LockWatch {
  /** Compare what is known of the servers now. New drift is a warning each; under `--locked` it is a reason to end, for good. */
  check(): Reason | null
}

/** Hold the servers of a run against agent.lock, if there is one. */
export async function watchLock(options: {
  readonly path: string
  readonly read: ReadGoverning
  readonly locked: boolean
  readonly servers: readonly ServerConfig[]
  readonly pool: Pick<Pool, "connections">
  readonly emit: Emit
}): Promise<LockWatch> {
  const { path, read, locked, servers, pool, emit } = options
  const lock = locked ? await readRequiredLock(path, read) : await readLock(path, read)
  if (lock === null) return { check: () => null }
  const pinned: Lock = lock
  const seen = new Map<string, { readonly tools: unknown; readonly instructions: unknown }>()
  const told = new Set<string>()
  let violation: Reason | null = null

  function newDrift(): readonly Drift[] {
    const unknown = servers.filter(({ name }) => !pinned.has(name)).map(({ name }) => notLocked(name))
    const changed = inventoriesOf(pool.connections()).flatMap((inventory) => {
      const before = seen.get(inventory.server)
      if (before?.tools === inventory.tools && before.instructions === inventory.instructions) return []
      seen.set(inventory.server, inventory)
      return driftOf(pinned, inventory)
    })
    return [...unknown, ...changed].filter((drift) => {
      const key = JSON.stringify(drift)
      if (told.has(key)) return false
      told.add(key)
      return true
    })
  }

  return {
    check() {
      const drifts = newDrift()
      for (const drift of drifts) {
        const message = [describeDrift(drift), ...drift.changes].join("\n  ")
        emit({ type: "warning", code: "lock_drift", message })
      }
      if (locked && drifts.length > 0) violation ??= mismatch(drifts)
      return violation
    },
  }
}

const mostNamed = 5

function mismatch(drifts: readonly Drift[]): Reason {
  const named = drifts.slice(0, mostNamed).map(describeDrift)
  const more = drifts.length > mostNamed ? [`and ${drifts.length - mostNamed} more`] : []
  return {
    code: "lock_mismatch",
    message: [...named, ...more].join("; "),
    hint: "agent-run mcp lock --check shows what changed; agent-run mcp lock accepts it.",
  }
}
