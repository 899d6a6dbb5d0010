import { readFileSync } from "node:fs"
import { posix } from "node:path"
import type { PermissionSettings } from "../../src/contract/config.ts"
import type { Action, Rule } from "../../src/contract/decision.ts"
import type { JsonObject } from "../../src/contract/json.ts"
import type { Subject, Tool, ToolHints, ToolOrigin } from "../../src/contract/tool.ts"
import { textResult } from "../../src/contract/tool.ts"

const fileTools = new Set(["Read", "Write", "Edit", "Glob", "Grep"])
const readOnlyTools = new Set(["Read", "Glob", "Grep", "ReadMcpResource", "ListMcpResources"])

/** A tool with the subjects its namesake has; the workspace is `/ws`. */
export function sampleTool(name: string, hints: Partial<ToolHints> = {}): Tool {
  return {
    name,
    description: "",
    inputSchema: { type: "object" },
    origin: originOf(name),
    hints: { readOnly: readOnlyTools.has(name), destructive: false, idempotent: false, ...hints },
    subjects: (input) => subjectsOf(name, input),
    execute: async () => textResult("done"),
  }
}

function originOf(name: string): ToolOrigin {
  if (!name.startsWith("mcp__")) return { kind: name.startsWith("custom") ? "custom" : "builtin" }
  const [, server = "", ...tool] = name.split("__")
  return { kind: "mcp", server, tool: tool.join("__") }
}

function subjectsOf(name: string, input: JsonObject): readonly Subject[] {
  const { command, uri, file_path: path = name === "Glob" || name === "Grep" ? "." : undefined } = input
  if (name === "Bash" && typeof command === "string") return [{ kind: "command", line: command }]
  if (name === "ReadMcpResource" && typeof uri === "string") {
    return [{ kind: "resource", uri, listed: uri.startsWith("listed:") }]
  }
  if (!fileTools.has(name) || typeof path !== "string") return []
  const relative = posix.relative("/ws", posix.resolve("/ws", path)) || "."
  return [{ kind: "path", path: relative, inside: !relative.startsWith("..") }]
}

/** Read a rule from the line that describes it, such as `allow Bash commands "npm test *"`, with `broad` at its end. */
export function toRule(text: string, source = "agent.toml:1"): Rule {
  const shape = /^(allow|ask|deny) (\S+)(?: args (.+?))?(?: commands (.+?))?(?: paths (.+?))?( broad)?$/
  const [, action, tool = "", args, commands, paths, broad] = shape.exec(text) ?? []
  if (action === undefined) throw new Error(`not a rule: ${text}`)
  return {
    action: action as Action,
    tool,
    ...(args === undefined ? {} : { args: Object.fromEntries(args.split(" ").map((pair) => pair.split(/=(.*)/s))) }),
    ...(commands === undefined ? {} : { commands: JSON.parse(`[${commands.replaceAll('" "', '", "')}]`) }),
    ...(paths === undefined ? {} : { paths: paths.split(" ") }),
    broad: broad !== undefined,
    source,
  }
}

/** Settings with these rules; the rules are described as in `toRule`. */
export function settingsOf(rules: readonly (string | Rule)[], byDefault: Action = "deny"): PermissionSettings {
  return {
    default: { action: byDefault, source: "built-in default" },
    onDenied: "continue",
    maxDenials: null,
    onAsk: { kind: "deny" },
    readOnly: [],
    rules: rules.map((rule, index) => (typeof rule === "string" ? toRule(rule, `agent.toml:${index + 1}`) : rule)),
  }
}

/** The rows of a table beside this file, each with the heading above it; a row in quotes is a JSON string. */
export function rowsOf(table: string): readonly { readonly heading: string; readonly row: string }[] {
  let heading = ""
  return readFileSync(new URL(table, import.meta.url), "utf8")
    .split("\n")
    .flatMap((row) => {
      if (row.startsWith("# ")) heading = row.slice(2)
      if (row.trim() === "" || row.startsWith("# ")) return []
      return [{ heading, row: row.startsWith('"') && row.endsWith('"') ? String(JSON.parse(row)) : row }]
    })
}
