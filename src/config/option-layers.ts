import { UserError } from "../contract/user-error.ts"
import { type Layer, optionLayer } from "./layer.ts"
import { maxDepth } from "./positions.ts"
import { formatPath } from "./problem.ts"
import { parseToml } from "./text/parse-toml.ts"
import { splitWords } from "./text/split-words.ts"
import { readDottedKey } from "./text/toml-key.ts"
import { tableWith } from "./values.ts"

/** `--set key=value` as layers, the last one highest. The value is TOML, or else the text as it stands. */
export function setLayers(assignments: readonly string[], cwd: string): readonly Layer[] {
  return assignments
    .map((assignment) => {
      const key = readDottedKey(assignment, 0, maxDepth)
      if (key.parts.length === 0 || assignment[key.end] !== "=") {
        const shown = assignment.slice(0, key.end)
        throw new UserError(
          "usage_error",
          `--set needs key=value, such as agent.max_turns=10${shown && `; got "${shown}…"`}`,
        )
      }
      const path = key.parts.map((part) => part.name)
      const values = tableWith(path, parseValue(assignment.slice(key.end + 1)))
      return optionLayer("command-line", { source: `--set ${formatPath(path)}`, folder: cwd, values })
    })
    .reverse()
}

function parseValue(text: string): unknown {
  const parsed = parseToml(`value = ${text.trim()}`)
  const isOneValue = parsed.kind === "values" && Object.keys(parsed.values).length === 1
  return isOneValue ? parsed.values.value : text
}

const concurrencyVariables = {
  AGENT_RUN_MCP_LOCAL_CONCURRENCY: "local_concurrency",
  AGENT_RUN_MCP_REMOTE_CONCURRENCY: "remote_concurrency",
} as const

/** The variables of ours that stand for a key. */
export function environmentLayers(env: Readonly<Record<string, string | undefined>>, cwd: string): readonly Layer[] {
  return Object.entries(concurrencyVariables).flatMap(([source, key]) => {
    const text = env[source]?.trim()
    if (!text) return []
    const values = tableWith(["mcp", key], /^\d+$/.test(text) ? Number(text) : text)
    return [optionLayer("environment", { source, folder: cwd, values })]
  })
}

/** `--mcp-server NAME=URL` or `NAME=COMMAND…` as layers. */
export function dynamicLayers(servers: readonly string[], cwd: string): readonly Layer[] {
  const names = new Set<string>()
  return servers.map((option) => {
    const equals = option.indexOf("=")
    const name = option.slice(0, Math.max(equals, 0)).trim()
    const target = option.slice(equals + 1).trim()
    if (name === "" || target === "") {
      throw new UserError("usage_error", "--mcp-server needs NAME=URL or NAME=COMMAND", {
        hint: 'For example --mcp-server docs=https://example.com/mcp or --mcp-server "fs=npx -y some-server .".',
      })
    }
    if (names.has(name)) throw new UserError("usage_error", `--mcp-server names "${name}" twice`)
    names.add(name)
    const values = tableWith(["mcp_servers", name], remote(target) ?? stdio(name, target))
    return optionLayer("dynamic", { source: `--mcp-server ${name}`, folder: cwd, values })
  })
}

function remote(target: string): { readonly url: string; readonly type?: "ws" } | null {
  if (/^https?:\/\//i.test(target)) return { url: target }
  return /^wss?:\/\//i.test(target) ? { url: target, type: "ws" } : null
}

function stdio(name: string, line: string): { readonly command: string; readonly args: readonly string[] } {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(line)) {
    throw new UserError("usage_error", `--mcp-server ${name}: only http, https, ws and wss URLs are supported`)
  }
  const words = splitWords(line)
  if (words === null) throw new UserError("usage_error", `--mcp-server ${name}: a quote is never closed`)
  const [command = "", ...args] = words
  return { command, args }
}
