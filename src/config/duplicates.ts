import { resolve } from "node:path"
import { normaliseEndpoint } from "./endpoint.ts"
import { expandVariables } from "./expand.ts"
import type { ConfiguredServer } from "./gather-servers.ts"
import { scopes } from "./layer.ts"

/** What servers are compared in. */
export interface Surroundings {
  readonly workspace: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Servers that are configured in two scopes under different names: by the one of the lower scope, the one that counts.
 * Two in one scope are a choice of its author, such as one endpoint with two accounts.
 */
export function findDuplicates(
  servers: readonly ConfiguredServer[],
  around: Surroundings,
): ReadonlyMap<ConfiguredServer, ConfiguredServer> {
  const winners = new Map<string, ConfiguredServer>()
  const duplicates = new Map<ConfiguredServer, ConfiguredServer>()
  const byRank = [...servers].sort((one, other) => rankOf(one) - rankOf(other))
  for (const server of byRank) {
    const signature = signatureOf(server, around)
    if (signature === null) continue
    const winner = winners.get(signature)
    if (winner === undefined) winners.set(signature, server)
    else if (rankOf(winner) < rankOf(server)) duplicates.set(server, winner)
  }
  return duplicates
}

function rankOf({ scope }: ConfiguredServer): number {
  return scopes.indexOf(scope)
}

/** Where a server is: its endpoint, or its command line and folder. `null` when a variable leaves it open. */
function signatureOf({ values }: ConfiguredServer, { workspace, env }: Surroundings): string | null {
  const { url, command, args = [], cwd = "" } = values
  const texts = command === undefined ? [url] : [command, cwd, ...(Array.isArray(args) ? args : [])]
  const expanded = texts.map((text) => expandVariables(String(text), env))
  if (expanded.some(({ unset, malformed }) => unset.length + malformed.length > 0)) return null
  const [first = "", folder = "", ...words] = expanded.map(({ text }) => text)
  if (command !== undefined) return JSON.stringify([first, ...words, resolve(workspace, folder)])
  return URL.canParse(first) ? normaliseEndpoint(first) : null
}
