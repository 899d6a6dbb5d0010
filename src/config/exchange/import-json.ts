import type { ConfigWarning } from "../../contract/config.ts"
import { isJsonObject, type JsonObject } from "../../contract/json.ts"
import type { KeyPath } from "../positions.ts"
import { stdioKeys } from "../server-schema.ts"

/** MCP servers of a JSON file of another program, in our own terms. */
export interface ImportedServers {
  /** As `[mcp_servers]` would hold them. */
  readonly servers: JsonObject
  /** What was left out, and where in the file it stands. */
  readonly ignored: readonly IgnoredKey[]
  /** Where a key of ours stands in the JSON file. */
  jsonPathOf(path: KeyPath): KeyPath
}

interface IgnoredKey {
  readonly path: KeyPath
  readonly warning: ConfigWarning
}

/** Read `{"mcpServers": {…}}`, `{"servers": {…}}` or a flat map of servers; keys that mean nothing here are named, not obeyed. */
export function importServers(values: JsonObject): ImportedServers {
  const servers: Record<string, unknown> = Object.create(null)
  const prefixes = new Map<string, readonly string[]>()
  const ignored: IgnoredKey[] = []
  for (const prefix of serverTablesOf(values)) {
    const [key] = prefix
    const table = key === undefined ? values : values[key]
    for (const [name, entry] of Object.entries(isJsonObject(table) ? table : {})) {
      const path = [...prefix, name]
      if (prefix.length === 0 && !isJsonObject(entry)) {
        ignored.push(ignore(path, "import_key_ignored", "is not a server and is ignored"))
        continue
      }
      prefixes.set(name, prefix)
      servers[name] = isJsonObject(entry) ? importServer(path, entry, ignored) : entry
    }
  }
  return { servers, ignored, jsonPathOf: (path) => jsonPathOf(path, prefixes) }
}

/** The tables that hold servers, lowest first; the whole file when it is a flat map. */
function serverTablesOf(values: JsonObject): readonly (readonly string[])[] {
  const nested = ["servers", "mcpServers"].filter((key) => Object.hasOwn(values, key) && !looksLikeServer(values[key]))
  return nested.length === 0 ? [[]] : nested.map((key) => [key])
}

function looksLikeServer(value: unknown): boolean {
  return isJsonObject(value) && (typeof value.command === "string" || typeof value.url === "string")
}

const sameKeys = new Set(["command", "args", "env", "cwd", "url", "headers"])
const autoApproveKeys = /^(always_?allow|auto_?approve|auto_?allow|auto_?approved_?tools|trust)$/i
const onlyForStdio: ReadonlySet<string> = new Set(stdioKeys)

function importServer(path: KeyPath, entry: JsonObject, ignored: IgnoredKey[]): JsonObject {
  const server: Record<string, unknown> = {}
  const isRemote = entry.command === undefined && entry.url !== undefined
  for (const [key, value] of Object.entries(entry)) {
    const keyPath = [...path, key]
    if (isRemote && onlyForStdio.has(key)) {
      ignored.push(ignore(keyPath, "import_key_ignored", "means nothing for a remote server and is ignored"))
    } else if (sameKeys.has(key)) server[key] = value
    else if (key === "type") server.type = importType(value)
    else if (key === "disabled") server.enabled = typeof value === "boolean" ? !value : value
    else if (autoApproveKeys.test(key)) {
      const message = "never has an effect; write a rule under [[permissions.rules]] instead"
      ignored.push(ignore(keyPath, "auto_approve_ignored", message))
    } else if (key === "envFile") {
      ignored.push(ignore(keyPath, "import_key_ignored", "is not read; set the variables in the environment"))
    } else ignored.push(ignore(keyPath, "import_key_ignored", "is unknown and ignored"))
  }
  return server
}

function importType(value: unknown): unknown {
  if (typeof value === "string" && /^streamable[-_]?http$/i.test(value)) return "http"
  return value === "websocket" ? "ws" : value
}

function ignore(path: KeyPath, code: string, message: string): IgnoredKey {
  return { path, warning: { code, message } }
}

function jsonPathOf(path: KeyPath, prefixes: ReadonlyMap<string, readonly string[]>): KeyPath {
  const [, name, key, ...rest] = path
  if (typeof name !== "string") return []
  const jsonKey = key === undefined ? [] : [key === "enabled" ? "disabled" : key]
  return [...(prefixes.get(name) ?? []), name, ...jsonKey, ...rest]
}
