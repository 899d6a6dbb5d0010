import type { Rule } from "../contract/decision.ts"
import type { ToolDefinition } from "../contract/model.ts"
import { builtinToolNames, type Tool } from "../contract/tool.ts"
import { UserError } from "../contract/user-error.ts"

/** The tools of a run by name. A hidden tool is not found and not offered, but the rule that hides it is known. */
export interface Toolbox {
  find(name: string): Tool | null
  hiddenBy(name: string): Rule | null
  readonly tools: readonly Tool[]
  readonly definitions: readonly ToolDefinition[]
}

/** Collect the tools of a run, in an order that never changes between turns or runs: the prompt cache depends on it. */
export function createToolbox(tools: readonly Tool[], hides: (tool: Tool) => Rule | null): Toolbox {
  const known = new Set<string>()
  const offered = new Map<string, Tool>()
  const hidden = new Map<string, Rule>()
  for (const tool of tools.toSorted(byPlace)) {
    if (known.has(tool.name)) throw duplicate(tool.name)
    known.add(tool.name)
    const rule = hides(tool)
    if (rule === null) offered.set(tool.name, tool)
    if (rule !== null) hidden.set(tool.name, rule)
  }
  const list = [...offered.values()]
  return {
    find: (name) => offered.get(name) ?? null,
    hiddenBy: (name) => hidden.get(name) ?? null,
    tools: list,
    definitions: list.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
  }
}

const firstNames: readonly string[] = builtinToolNames

function byPlace(one: Tool, other: Tool): number {
  return placeOf(one) - placeOf(other) || compareNames(one.name, other.name)
}

function placeOf(tool: Tool): number {
  if (tool.origin.kind !== "builtin") return firstNames.length + 1
  const place = firstNames.indexOf(tool.name)
  return place === -1 ? firstNames.length : place
}

/** By code unit, not by locale: the same on every machine. */
function compareNames(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

function duplicate(name: string): UserError {
  return new UserError("usage_error", `two tools are called "${name}"`, {
    hint: "Give your own tool another name; built-in tools and tools of servers keep theirs.",
  })
}
