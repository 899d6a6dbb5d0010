import type { Rule } from "../contract/decision.ts"
import type { ToolDefinition } from "../contract/model.ts"
import { builtinToolNames, type Tool } from "../contract/tool.ts"
import { UserError } from "../contract/user-error.ts"

/** How the model is told of a tool: at once, by the API when a result refers to it, or not yet. */
export type Presentation = "full" | "deferred" | "none"

/** The tools of a run by name. A hidden tool is not found and not offered, but the rule that hides it is known. */
export interface Toolbox {
  /** A tool that may be called: on offer now, or absent, which its result then explains. */
  find(name: string): Tool | null
  hiddenBy(name: string): Rule | null
  readonly tools: readonly Tool[]
  /** What the model is told now, in the order in which it was first told. */
  readonly definitions: readonly ToolDefinition[]
  /** Offer these from now on. Of two tools with one name the first is taken; the names of the others are returned. */
  update(tools: readonly Tool[], absent: readonly Tool[]): readonly string[]
}

/**
 * Collect the tools of a run, in an order that never changes between turns or runs: the prompt cache depends on it. Tools
 * that come later are put at the end, and keep their place from then on.
 */
export function createToolbox(
  first: readonly Tool[],
  hides: (tool: Tool) => Rule | null,
  presentationOf: (tool: Tool) => Presentation = () => "full",
): Toolbox {
  const present = createPresenter(presentationOf)
  const places = new Map<string, number>()
  const hidden = new Map<string, Rule>()
  let offered = new Map<string, Tool>()
  let absent = new Map<string, Tool>()
  let tools: readonly Tool[] = []

  function update(now: readonly Tool[], gone: readonly Tool[]): readonly string[] {
    const named = byName(now)
    for (const tool of inOrder([...named.values()])) {
      if (!places.has(tool.name)) places.set(tool.name, places.size)
      const rule = hides(tool)
      if (rule !== null) hidden.set(tool.name, rule)
    }
    const visible = [...named.values()].filter(({ name }) => !hidden.has(name))
    tools = visible.sort((one, other) => (places.get(one.name) ?? 0) - (places.get(other.name) ?? 0))
    offered = byName(tools)
    absent = byName(gone.filter(({ name }) => !hidden.has(name)))
    return now.filter((tool) => named.get(tool.name) !== tool).map(({ name }) => name)
  }

  const [twice] = update(first, [])
  if (twice !== undefined) throw duplicate(twice)
  return {
    find: (name) => offered.get(name) ?? absent.get(name) ?? null,
    hiddenBy: (name) => hidden.get(name) ?? null,
    get tools() {
      return tools
    },
    get definitions() {
      return present(tools)
    },
    update,
  }
}

/** The tools of a run as they are now, for those who use them. */
export type OfferedTools = Omit<Toolbox, "update">

/** The same tools, but only those that are kept; hidden tools stay hidden. Tools that were chosen one by one do not wait. */
export function narrowToolbox(
  toolbox: OfferedTools,
  keeps: (tool: Tool) => boolean,
  { inFull }: { readonly inFull: boolean },
): OfferedTools {
  function find(name: string): Tool | null {
    const tool = toolbox.find(name)
    return tool !== null && keeps(tool) ? tool : null
  }
  return {
    find,
    hiddenBy: toolbox.hiddenBy,
    tools: toolbox.tools.filter(keeps),
    definitions: inFull
      ? toolbox.tools.filter(keeps).map(toDefinition)
      : toolbox.definitions.filter(({ name }) => find(name) !== null),
  }
}

/** What the model is told of a tool. */
export function toDefinition({ name, description, inputSchema }: Tool): ToolDefinition {
  return { name, description, inputSchema }
}

/** By place: built-in tools first, then by name. The same on every machine and in every run. */
export function inOrder(tools: readonly Tool[]): readonly Tool[] {
  return tools.toSorted(byPlace)
}

/** Definitions in the order in which the model was first told of the tools: what is loaded later comes last. */
function createPresenter(presentationOf: (tool: Tool) => Presentation) {
  const places = new Map<string, number>()
  const placeOf = ({ name }: Tool) => places.get(name) ?? 0
  return (tools: readonly Tool[]): readonly ToolDefinition[] => {
    const told = tools.filter((tool) => presentationOf(tool) !== "none")
    for (const { name } of told) if (!places.has(name)) places.set(name, places.size)
    return told
      .toSorted((one, other) => placeOf(one) - placeOf(other))
      .map((tool) => ({
        ...toDefinition(tool),
        ...(presentationOf(tool) === "deferred" ? { deferred: true as const } : {}),
      }))
  }
}

function byName(tools: readonly Tool[]): Map<string, Tool> {
  const named = new Map<string, Tool>()
  for (const tool of tools) if (!named.has(tool.name)) named.set(tool.name, tool)
  return named
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
