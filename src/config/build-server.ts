import { resolve } from "node:path"
import type { ConfigWarning } from "../contract/config.ts"
import type { ServerConfig } from "../contract/server.ts"
import { childEnvironment } from "../util/child-environment.ts"
import { type AuthReader, buildAuth } from "./build-auth.ts"
import { transportOf } from "./choose-servers.ts"
import { expandVariables, variableOf } from "./expand.ts"
import type { ConfiguredServer } from "./gather-servers.ts"
import type { KeyPath } from "./positions.ts"
import { formatPath, type Problem } from "./problem.ts"
import { toMs } from "./schema-values.ts"
import { type ServerValues, serverSchema } from "./server-schema.ts"

/** What servers are built from, and where their problems are collected. */
export interface ServerSurroundings {
  readonly workspace: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly problems: Problem[]
  readonly warnings: ConfigWarning[]
}

/** A chosen server, ready to start: variables expanded, defaults filled in. */
export function buildServer(server: ConfiguredServer, around: ServerSurroundings): ServerConfig {
  const values = serverSchema.parse(server.values, { jitless: true })
  const expand = createExpander(server, around)
  const settings = {
    name: server.name,
    enabled: values.enabled,
    required: values.required,
    shared: values.shared,
    startupTimeoutMs: toMs(values.startup_timeout_sec),
    discoveryTimeoutMs: toMs(values.discovery_timeout_sec),
    toolTimeoutMs: toMs(values.tool_timeout_sec),
    enabledTools: values.enabled_tools,
    disabledTools: values.disabled_tools,
    trustHints: values.trust_hints,
    roots: values.roots,
    sampling: values.sampling
      ? { maxRequests: values.sampling_max_requests, maxTokens: values.sampling_max_tokens }
      : null,
    elicitation: values.elicitation,
    alwaysLoad: values.always_load,
    protocol: values.protocol,
    source: server.source,
  }
  const transport = transportOf(server)
  if (transport === "sdk") {
    const module = resolve(server.folderOf(["module"]), expand(["module"], values.module ?? ""))
    return { ...settings, transport, module }
  }
  if (transport !== "stdio") {
    return {
      ...settings,
      transport,
      url: buildUrl(values, server, around),
      headers: buildHeaders(values, server, around),
      auth: values.auth === undefined ? null : buildAuth(values.auth, createAuthReader(server, around)),
    }
  }
  for (const name of values.env_vars) {
    if (variableOf(around.env, name) === undefined) around.warnings.push(missingVariable(server, name))
  }
  return {
    ...settings,
    transport,
    command: expand(["command"], values.command ?? ""),
    args: values.args.map((arg, index) => expand(["args", index], arg)),
    // What serves many workspaces starts in none of them.
    cwd: resolve(values.shared ? around.cwd : around.workspace, expand(["cwd"], values.cwd ?? "")),
    env: childEnvironment(around.env, {
      names: values.env_vars,
      values: expandTable("env", values.env, expand),
      inheritAll: values.inherit_env,
    }),
    shutdownGraceMs: values.shutdown_grace_ms,
  }
}

type Expand = (path: KeyPath, text: string) => string

function createExpander(server: ConfiguredServer, around: ServerSurroundings): Expand {
  return (path, text) => {
    const { text: expanded, unset, malformed } = expandVariables(text, around.env)
    for (const name of unset) around.problems.push(unsetVariable(server, path, name))
    for (const written of malformed) {
      const message = `${written} is not a variable: write \${NAME} or \${NAME:-default}, and $\${ for a literal \${`
      around.problems.push(problem(server, path, { code: "config_error", message }))
    }
    return expanded
  }
}

function expandTable(key: string, table: Readonly<Record<string, string>>, expand: Expand): Record<string, string> {
  return Object.fromEntries(Object.entries(table).map(([name, text]) => [name, expand([key, name], text)]))
}

function buildUrl(values: ServerValues, server: ConfiguredServer, around: ServerSurroundings): string {
  const problemsBefore = around.problems.length
  const url = createExpander(server, around)(["url"], values.url ?? "")
  const fault = around.problems.length > problemsBefore ? null : faultOfUrl(url, transportOf(server))
  if (fault !== null) around.problems.push(problem(server, ["url"], { code: "config_error", message: fault }))
  return url
}

function faultOfUrl(url: string, transport: ServerConfig["transport"]): string | null {
  const isUrl = URL.canParse(url)
  const isWebSocket = isUrl && /^wss?:\/\//i.test(url)
  if (transport === "ws" && !isWebSocket) return "is not a ws or wss URL"
  if (transport !== "ws" && isWebSocket) return 'is a WebSocket: set type = "ws"'
  if (transport !== "ws" && !(isUrl && /^https?:\/\//i.test(url))) return "is not an http or https URL"
  const { username, password } = new URL(url)
  if (username === "" && password === "") return null
  return "must not hold a user name or password; use headers, env_headers or bearer_token_env_var"
}

function buildHeaders(
  values: ServerValues,
  server: ConfiguredServer,
  around: ServerSurroundings,
): Readonly<Record<string, string>> {
  const headers = expandTable("headers", values.headers, createExpander(server, around))
  for (const [header, variable] of Object.entries(values.env_headers)) {
    headers[header] = readVariable(variable, ["env_headers", header], server, around)
  }
  if (values.bearer_token_env_var !== undefined) {
    headers.Authorization = `Bearer ${readVariable(values.bearer_token_env_var, ["bearer_token_env_var"], server, around)}`
  }
  for (const [header, value] of Object.entries(headers)) {
    if (/^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(value.trim())) headers[header] = value.trim()
    else {
      const message = "its value has a line break or another character that no header can hold"
      around.problems.push(problem(server, ["headers", header], { code: "config_error", message }))
    }
  }
  return headers
}

function createAuthReader(server: ConfiguredServer, around: ServerSurroundings): AuthReader {
  const expand = createExpander(server, around)
  return {
    variable: (key, name) => readVariable(name, ["auth", key], server, around),
    systemVariable: (name) => variableOf(around.env, name),
    expand: (key, text) => expand(["auth", key], text),
    folderOf: (key) => server.folderOf(["auth", key]),
    report(key, message) {
      around.problems.push(problem(server, ["auth", key], { code: "config_error", message }))
    },
    warn(message) {
      const path = formatPath(["mcp_servers", server.name, "auth"])
      around.warnings.push({ code: "auth_server_open", message: `${server.placeOf(["auth"])} ${path}: ${message}` })
    },
  }
}

function readVariable(name: string, path: KeyPath, server: ConfiguredServer, around: ServerSurroundings): string {
  const value = variableOf(around.env, name)
  // An empty value is what a CI system passes on for a secret that does not exist.
  if (!value) around.problems.push(unsetVariable(server, path, name))
  return value ?? ""
}

function unsetVariable(server: ConfiguredServer, path: KeyPath, name: string): Problem {
  return problem(server, path, { code: "unset_variable", message: `the variable ${name} is not set` })
}

function missingVariable(server: ConfiguredServer, name: string): ConfigWarning {
  const path = formatPath(["mcp_servers", server.name, "env_vars"])
  return {
    code: "missing_env_var",
    message: `${server.placeOf(["env_vars"])} ${path}: the variable ${name} is not set`,
  }
}

function problem(server: ConfiguredServer, path: KeyPath, what: Pick<Problem, "code" | "message">): Problem {
  const key = formatPath(["mcp_servers", server.name, ...path])
  return { code: what.code, where: server.placeOf(path), message: `${key}: ${what.message}` }
}
