import { relative } from "node:path"
import { inventoriesOf, type ServerInventory } from "../../mcp/inventory.ts"
import { type Drift, describeDrift, driftOf } from "../../mcp/lock/drift.ts"
import { type Lock, lockServer, type Pin, type ServerLock } from "../../mcp/lock/lock.ts"
import { renderLock } from "../../mcp/lock/lock-file.ts"
import { toLogLine } from "../../report/escape.ts"
import { formatQuantity } from "../../report/format.ts"
import { readLock, readRequiredLock } from "../../run/lock.ts"
import { writeFileAtomic } from "../../util/atomic-file.ts"
import type { ServerSession } from "../connect-servers.ts"
import type { McpInput } from "./define-action.ts"
import type { lockOptions } from "./options.ts"

/** `agent-run mcp lock [--check]`: pin the tools of all servers, or say how they differ from what is pinned. */
export async function lockTools(
  session: ServerSession,
  { options }: McpInput<never, typeof lockOptions>,
): Promise<number> {
  const { lockFile, servers } = session.config
  const before = options.check ? await readRequiredLock(lockFile) : await readLock(lockFile)
  const pool = await session.connect()
  const inventories = inventoriesOf(pool.connections())
  const missing = servers.filter(({ name }) => !inventories.some(({ server }) => server === name))
  if (missing.length > 0) {
    const names = missing.map(({ name }) => name).join(", ")
    const hint = "Nothing was compared or written. Mend the server, or leave it out with --without."
    return session.fail("required_server_unavailable", `not connected: ${names}`, hint)
  }
  const drifts = before === null ? [] : inventories.flatMap((inventory) => driftOf(before, inventory))
  const file = relative(session.workspace, lockFile) || lockFile
  if (options.check) {
    session.print({ file, written: false, drift: drifts.map(toJson) }, () => renderDrift(drifts, `${file}: no drift\n`))
    return drifts.length === 0
      ? 0
      : session.fail("lock_mismatch", `${formatQuantity(drifts.length, "difference")} from ${file}`)
  }
  const lock = renew(session, before, inventories)
  await writeFileAtomic(lockFile, renderLock(lock), publicFile)
  const tools = [...lock.values()].reduce((count, server) => count + server.tools.size, 0)
  const summary = `${file}: ${formatQuantity(lock.size, "server")}, ${formatQuantity(tools, "tool")}\n`
  session.print({ file, written: true, drift: drifts.map(toJson) }, () => `${renderDrift(drifts, "")}${summary}`)
  return 0
}

/** It is committed like any other file of the project. */
const publicFile = 0o644

/** The lock as it is to be written: servers that this command leaves out keep their entry, forgotten ones lose it. */
function renew(session: ServerSession, before: Lock | null, inventories: readonly ServerInventory[]): Lock {
  const { disabledServers } = session.config
  const kept = disabledServers.flatMap(({ name }): [string, ServerLock][] => {
    const entry = before?.get(name)
    return entry === undefined ? [] : [[name, entry]]
  })
  const fresh = inventories.map((inventory): [string, ServerLock] => [
    inventory.server,
    withoutSecrets(session, lockServer(inventory)),
  ])
  return new Map([...kept, ...fresh])
}

function withoutSecrets(session: ServerSession, { instructions, tools }: ServerLock): ServerLock {
  const clean = ({ hash, shown }: Pin): Pin => ({ hash, shown: session.redact(shown) })
  return {
    instructions: instructions === null ? null : clean(instructions),
    tools: new Map([...tools].map(([name, pin]) => [name, clean(pin)])),
  }
}

function toJson(drift: Drift) {
  return { ...drift, message: describeDrift(drift) }
}

function renderDrift(drifts: readonly Drift[], whenNone: string): string {
  if (drifts.length === 0) return whenNone
  const lines = drifts.flatMap((drift) => [
    toLogLine(describeDrift(drift)),
    ...drift.changes.map((change) => `  ${toLogLine(change, longestChange)}`),
  ])
  return `${lines.join("\n")}\n`
}

const longestChange = 400
