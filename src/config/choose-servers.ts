import type { ConfigWarning } from "../contract/config.ts"
import type { DisabledServer, ServerConfig } from "../contract/server.ts"
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
export function chooseServers(servers: readonly ConfiguredServer[], policy: ServerPolicy): ServerChoice {
  const problems: Problem[] = [
    ...unknownNames(servers, "--only", policy.only),
    ...unknownNames(servers, "--without", policy.without),
  ]
  const warnings: ConfigWarning[] = []
  const chosen: ConfiguredServer[] = []
  const disabled: DisabledServer[] = []
  for (const server of servers) {
    const refusal = refusalOf(server, policy)
    if (refusal === null) {
      chosen.push(server)
      continue
    }
    const required = server.values.required === true
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
  const { command, type } = server.values
  if (command !== undefined) return "stdio"
  return type === "http" || type === "sse" ? type : "url"
}

interface Refusal {
  readonly why: string
  readonly breaksRequired: boolean
}

function refusalOf(server: ConfiguredServer, policy: ServerPolicy): Refusal | null {
  const { name } = server
  const denying = policy.denylists.find((list) => list.names.includes(name))
  if (denying) return { why: `it is on the denylist (${denying.source})`, breaksRequired: true }
  const missing = policy.allowlists.find((list) => !list.names.includes(name))
  if (missing) return { why: `it is not on the allowlist (${missing.source})`, breaksRequired: true }
  if (policy.without.includes(name)) return { why: "--without leaves it out", breaksRequired: true }
  if (server.values.enabled === false) {
    return { why: `it is switched off (${server.sourceOf(["enabled"])})`, breaksRequired: false }
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
