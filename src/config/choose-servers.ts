import type { ConfigWarning } from "../contract/config.ts"
import type { DisabledServer, ServerConfig } from "../contract/server.ts"
import { findDuplicates, type Surroundings } from "./duplicates.ts"
import type { ConfiguredServer } from "./gather-servers.ts"
import type { Problem } from "./problem.ts"

/** Names on an allowlist or denylist, and where the list can be changed. */
export interface ServerList {
  readonly names: readonly string[]
  readonly source: string
}

/** What decides which configured servers start. */
export interface ServerPolicy {
  /** A server must be on every one of these. */
  readonly allowlists: readonly ServerList[]
  readonly denylists: readonly ServerList[]
  /** Where the managed file says that only its own servers start. */
  readonly exclusive: string | null
  readonly autoConnect: { readonly value: boolean; readonly source: string }
  readonly only: readonly string[]
  readonly without: readonly string[]
}

/** The servers that will start, and the others with the reason. */
export interface ServerChoice {
  readonly chosen: readonly ConfiguredServer[]
  readonly disabled: readonly DisabledServer[]
  readonly problems: readonly Problem[]
  readonly warnings: readonly ConfigWarning[]
}

/** Decide which servers start, before anything of them is expanded or spawned. */
export function chooseServers(
  servers: readonly ConfiguredServer[],
  policy: ServerPolicy,
  around: Surroundings,
): ServerChoice {
  const problems: Problem[] = [
    ...unknownNames(servers, "--only", policy.only),
    ...unknownNames(servers, "--without", policy.without),
  ]
  const warnings: ConfigWarning[] = []
  const chosen: ConfiguredServer[] = []
  const disabled: DisabledServer[] = []
  const duplicates = findDuplicates(
    servers.filter((server) => keepsPlace(refusalOf(server, policy))),
    around,
  )
  for (const server of servers) {
    const winner = duplicates.get(server)
    const refusal = refusalOf(server, policy) ?? (winner === undefined ? null : refusalAsDuplicate(winner))
    if (refusal === null) {
      chosen.push(takeOver(server, duplicates))
      continue
    }
    if (winner !== undefined) warnings.push(duplicateWarning(server, winner))
    const standIn = winner !== undefined && refusalOf(winner, policy) === null
    const required = server.values.required === true && !standIn
    disabled.push({ name: server.name, transport: transportOf(server), required, why: refusal.why })
    if (required && refusal.breaksRequired) {
      const message = `the required MCP server "${server.name}" is not started: ${refusal.why}`
      problems.push({ code: "required_server_unavailable", where: server.source, message })
    } else if (policy.only.includes(server.name)) {
      const message = `--only names the server "${server.name}", but it is not started: ${refusal.why}`
      warnings.push({ code: "only_not_started", message })
    }
  }
  return { chosen, disabled, problems, warnings }
}

/** The transport that the keys of a server ask for. */
export function transportOf(server: ConfiguredServer): ServerConfig["transport"] {
  const { command, module, type } = server.values
  if (command !== undefined) return "stdio"
  if (module !== undefined) return "sdk"
  return type === "http" || type === "sse" || type === "ws" ? type : "url"
}

interface Refusal {
  readonly why: string
  readonly breaksRequired: boolean
  /** The same endpoint of a lower scope does not start either. */
  readonly keepsPlace?: true
}

function keepsPlace(refusal: Refusal | null): boolean {
  return refusal === null || refusal.keepsPlace === true
}

function refusalAsDuplicate(winner: ConfiguredServer): Refusal {
  const why = `it is the same server as "${winner.name}" (${winner.source}), which has the higher scope`
  return { why, breaksRequired: false }
}

/** A server that stands for a required one of a lower scope is required in its place. */
function takeOver(
  server: ConfiguredServer,
  duplicates: ReadonlyMap<ConfiguredServer, ConfiguredServer>,
): ConfiguredServer {
  const isRequired = [...duplicates].some(([loser, winner]) => winner === server && loser.values.required === true)
  return isRequired ? { ...server, values: { ...server.values, required: true } } : server
}

function duplicateWarning(server: ConfiguredServer, winner: ConfiguredServer): ConfigWarning {
  const message = `the MCP server "${server.name}" (${server.source}) is the same as "${winner.name}" (${winner.source}); only the one of the higher scope, "${winner.name}", counts`
  return { code: "duplicate_server", message }
}

function refusalOf(server: ConfiguredServer, policy: ServerPolicy): Refusal | null {
  const { name } = server
  const denying = policy.denylists.find((list) => list.names.includes(name))
  if (denying) return { why: `it is on the denylist (${denying.source})`, breaksRequired: true, keepsPlace: true }
  if (policy.exclusive !== null && server.scope !== "managed") {
    return { why: `only servers of the managed configuration start (${policy.exclusive})`, breaksRequired: true }
  }
  const missing = policy.allowlists.find((list) => !list.names.includes(name))
  if (missing) return { why: `it is not on the allowlist (${missing.source})`, breaksRequired: true }
  if (policy.without.includes(name)) return { why: "--without leaves it out", breaksRequired: true }
  if (server.values.enabled === false) {
    const why = `it is switched off (${server.sourceOf(["enabled"])})`
    return { why, breaksRequired: false, keepsPlace: true }
  }
  if (policy.only.includes(name)) return null
  if (policy.only.length > 0) return { why: "--only does not name it", breaksRequired: false }
  if (policy.autoConnect.value) return null
  const why = `mcp.auto_connect is false (${policy.autoConnect.source}) and --only does not name it`
  return { why, breaksRequired: false }
}

function unknownNames(
  servers: readonly ConfiguredServer[],
  option: string,
  wanted: readonly string[],
): readonly Problem[] {
  const configured = servers.map((server) => `"${server.name}"`).join(", ") || "none"
  return wanted
    .filter((name) => !servers.some((server) => server.name === name))
    .map((name) => ({
      code: "usage_error",
      where: `${option} ${name}`,
      message: `is not a configured MCP server; configured: ${configured}`,
    }))
}
