import { isJsonObject } from "../../contract/json.ts"
import type { EffectiveValue } from "../effective.ts"
import { hasMask } from "../mask.ts"
import { formatPath } from "../problem.ts"

/** The servers as other programs write them, and the keys whose secrets are masked in it. */
export interface ExportedServers {
  readonly mcpServers: Readonly<Record<string, ExportedServer>>
  readonly masked: readonly string[]
}

type ExportedServer = Readonly<Record<string, unknown>>

/** Turn the effective servers into `mcpServers`: variables stay variables, secrets stay masked. */
export function exportServers(effective: readonly EffectiveValue[]): ExportedServers {
  const servers = new Map<string, Map<string, unknown>>()
  const masked: string[] = []
  for (const { path, value } of effective) {
    const [section, name, key] = path
    if (section !== "mcp_servers" || name === undefined || key === undefined) continue
    const server = servers.get(String(name)) ?? new Map<string, unknown>()
    servers.set(String(name), server.set(String(key), value))
    if (hasMask(value)) masked.push(formatPath(path))
  }
  // A server inside our own process is nothing that another program could start.
  const exported = [...servers].filter(([, values]) => !values.has("module"))
  return { mcpServers: Object.fromEntries(exported.map(([name, values]) => [name, exportServer(values)])), masked }
}

function exportServer(values: ReadonlyMap<string, unknown>): ExportedServer {
  const disabled = values.get("enabled") === false ? { disabled: true } : {}
  const type = values.has("type") ? { type: values.get("type") } : {}
  if (values.has("command")) {
    const passedOn = namesIn(values.get("env_vars")).map((name) => [name, `\${${name}}`])
    const env = { ...Object.fromEntries(passedOn), ...tableIn(values.get("env")) }
    return withoutEmpty({
      ...type,
      command: values.get("command"),
      args: values.get("args"),
      cwd: values.get("cwd"),
      env,
      ...disabled,
    })
  }
  const variables = Object.entries(tableIn(values.get("env_headers"))).map(([header, name]) => [header, `\${${name}}`])
  const bearer = values.get("bearer_token_env_var")
  const headers = {
    ...tableIn(values.get("headers")),
    ...Object.fromEntries(variables),
    ...(bearer === undefined ? {} : { Authorization: `Bearer \${${bearer}}` }),
  }
  return withoutEmpty({ ...type, url: values.get("url"), headers, ...disabled })
}

function withoutEmpty(server: ExportedServer): ExportedServer {
  const isEmpty = (value: unknown) =>
    value === undefined || (typeof value === "object" && value !== null && Object.keys(value).length === 0)
  return Object.fromEntries(Object.entries(server).filter(([, value]) => !isEmpty(value)))
}

function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}

function tableIn(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {}
}
