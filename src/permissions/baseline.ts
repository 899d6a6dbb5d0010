import type { Subject, Tool } from "../contract/tool.ts"

const discovery = new Set(["mcp_tool_search", "mcp_tool_list", "ListMcpResources"])

/**
 * Is this call harmless enough to need no rule? Read-only built-ins inside the workspace, the search tools, and
 * resources that a server listed. Rules may tighten this; an allow rule adds to it and takes nothing away.
 */
export function isBaseline(tool: Tool, subjects: readonly Subject[]): boolean {
  if (tool.origin.kind !== "builtin") return false
  if (discovery.has(tool.name)) return true
  if (tool.name === "ReadMcpResource" && subjects.length === 0) return false
  return (tool.hints.readOnly || tool.name === "ReadMcpResource") && subjects.every(isHarmless)
}

function isHarmless(subject: Subject): boolean {
  switch (subject.kind) {
    case "path":
      return subject.inside
    case "resource":
      return subject.listed
    case "command":
      return false
    default:
      return subject satisfies never
  }
}
