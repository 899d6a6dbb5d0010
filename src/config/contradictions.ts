import picomatch from "picomatch"
import { isJsonObject, type JsonObject } from "../contract/json.ts"
import { authContradictions } from "./auth-contradictions.ts"
import { customToolContradictions } from "./custom-tools.ts"
import type { Finding } from "./describe-issue.ts"
import { faultOfEndpoint } from "./endpoint.ts"
import type { Scope } from "./layer.ts"
import { remoteKeys, stdioKeys } from "./server-schema.ts"
import { tableAt, valueAt } from "./values.ts"

/** What is wrong with the values of one layer although each value by itself is right. */
export function findContradictions(values: JsonObject, scope: Scope): readonly Finding[] {
  const servers = Object.entries(tableAt(values, ["mcp_servers"]))
  return [
    ...promptContradictions(tableAt(values, ["agent"])),
    ...under(["mcp"], scopeContradictions(tableAt(values, ["mcp"]), scope)),
    ...servers.flatMap(([name, server]) =>
      isJsonObject(server) ? under(["mcp_servers", name], serverContradictions(name, server, scope)) : [],
    ),
    ...listsWithConditions.flatMap((list) => listContradictions(values, list)),
    ...customToolContradictions(values),
  ]
}

const listsWithConditions = [
  ["permissions", "rules"],
  ["hooks", "pre_tool_use"],
  ["hooks", "post_tool_use"],
]

function listContradictions(values: JsonObject, list: readonly string[]): readonly Finding[] {
  const elements = valueAt(values, list)
  return (Array.isArray(elements) ? elements : []).flatMap((element, index) =>
    isJsonObject(element) ? under([...list, index], conditionContradictions(element)) : [],
  )
}

/** What is wrong with one server although each of its values is right; paths are relative to the server. */
export function serverContradictions(name: string, server: JsonObject, scope: Scope): readonly Finding[] {
  const { type } = server
  const has = (key: string) => Object.hasOwn(server, key)
  const findings: Finding[] = []
  const find = (key: string, message: string) => findings.push({ path: key === "" ? [] : [key], message })

  if (name.trim() === "" || /[\u0000-\u001f\u007f]/.test(name))
    find("", "a server needs a name without control characters")
  if (has("inherit_env") && scope === "project") {
    find(
      "inherit_env",
      "not allowed in a project file. Name single variables in env_vars, or set it in agent.local.toml or with --config",
    )
  }
  if (scope === "project" && (type === "sdk" || has("module"))) {
    find(
      has("module") ? "module" : "type",
      "a project file may not run code inside agent-run. Start the server with command, or configure it in agent.local.toml or with --config",
    )
  }
  for (const key of ["roots", "sampling"]) {
    if (server.shared === true && server[key] === true) {
      find(key, "not for a shared server: it could not know which task it is about")
    }
  }
  const typed = serverKinds.find(({ types }) => types.some((one) => one === type))
  const [kind, second] = serverKinds.filter(({ key }) => server[key] !== undefined)
  if (kind !== undefined && second !== undefined) {
    find(second.key, `a server has either ${kind.key} or ${second.key}, not both`)
    return findings
  }
  if (kind === undefined) {
    const needed = typed?.key ?? "command (stdio) or url (remote)"
    find("", `needs ${needed}${type === undefined ? "" : `, because type is "${type}"`}`)
    return findings
  }
  if (typed !== undefined && typed !== kind) find("type", `a server with ${kind.key} is ${kind.what}`)
  if (type === undefined && kind.key === "module") find("", 'a server with module needs type = "sdk"')
  for (const other of serverKinds) {
    if (other === kind) continue
    for (const key of other.keys) if (has(key)) find(key, `only for a server with ${other.key}`)
  }
  findings.push(...headerContradictions(server), ...under(["auth"], authContradictions(tableAt(server, ["auth"]))))
  return findings
}

/** The kinds of servers, each known by one key. */
const serverKinds = [
  { key: "command", types: ["stdio"], keys: stdioKeys, what: '"stdio"' },
  { key: "url", types: ["http", "sse", "ws"], keys: remoteKeys, what: 'remote: "http", "sse" or "ws"' },
  { key: "module", types: ["sdk"], keys: [], what: '"sdk"' },
] as const

function scopeContradictions({ catalog_url, exclusive }: JsonObject, scope: Scope): readonly Finding[] {
  const findings: Finding[] = []
  const find = (key: string, message: string) => findings.push({ path: [key], message })
  if (catalog_url !== undefined && scope === "project") {
    find("catalog_url", "not allowed in a project file. Set it in agent.local.toml, with --config or with --set")
  } else if (typeof catalog_url === "string" && catalog_url !== "") {
    const fault = faultOfEndpoint(catalog_url)
    if (fault !== null) find("catalog_url", fault)
  }
  if (exclusive !== undefined && scope !== "managed") find("exclusive", "only the managed file may say so")
  return findings
}

function promptContradictions(agent: JsonObject): readonly Finding[] {
  if (agent.system_prompt === undefined || agent.system_prompt_file === undefined) return []
  return [{ path: ["agent", "system_prompt_file"], message: "system_prompt is set too; keep one of the two" }]
}

function headerContradictions(server: JsonObject): readonly Finding[] {
  const findings: Finding[] = []
  const seen = new Set<string>()
  for (const table of ["headers", "env_headers"]) {
    for (const header of Object.keys(tableAt(server, [table]))) {
      const path = [table, header]
      if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(header)) findings.push({ path, message: "is not the name of a header" })
      if (seen.has(header.toLowerCase())) findings.push({ path, message: "this header is set twice" })
      seen.add(header.toLowerCase())
    }
  }
  for (const key of ["bearer_token_env_var", "auth"]) {
    if (server[key] === undefined || !seen.has("authorization")) continue
    findings.push({ path: [key], message: "the Authorization header is set too; keep one of the two" })
  }
  if (server.auth !== undefined && server.bearer_token_env_var !== undefined) {
    findings.push({ path: ["auth"], message: "bearer_token_env_var is set too; keep one of the two" })
  }
  return findings
}

const fileTools = ["Read", "Write", "Edit", "Glob", "Grep"]

function conditionContradictions(rule: JsonObject): readonly Finding[] {
  if (typeof rule.tool !== "string" || rule.tool === "") return []
  const matches = picomatch(rule.tool, { dot: true, nonegate: true })
  const findings: Finding[] = []
  if (rule.commands !== undefined && !matches("Bash")) {
    findings.push({ path: ["commands"], message: `commands are for Bash, and "${rule.tool}" does not match it` })
  }
  if (rule.paths !== undefined && !fileTools.some((tool) => matches(tool))) {
    findings.push({
      path: ["paths"],
      message: `paths are for the file tools (${fileTools.join(", ")}), and "${rule.tool}" matches none of them`,
    })
  }
  return findings
}

function under(prefix: readonly (string | number)[], findings: readonly Finding[]): readonly Finding[] {
  return findings.map((finding) => ({ ...finding, path: [...prefix, ...finding.path] }))
}
