import type { CustomToolSettings } from "../contract/config.ts"
import { isJsonObject, type JsonObject } from "../contract/json.ts"
import { builtinToolNames, reservedToolNames } from "../contract/tool.ts"
import type { Finding } from "./describe-issue.ts"
import type { Layer } from "./layer.ts"
import { addUp, listsThatAddUp } from "./merge.ts"
import { customToolSchema } from "./schema.ts"
import { suggest } from "./suggest.ts"
import { tableAt, valueAt } from "./values.ts"

/** The custom tools of every layer; of those with one name, the one of the highest layer. */
export function customToolsOf(layers: readonly Layer[]): readonly CustomToolSettings[] {
  const tools = new Map<string, CustomToolSettings>()
  for (const { value, layer, index } of addUp(layers, listsThatAddUp.customTools)) {
    const source = layer.sourceOf([...listsThatAddUp.customTools, index])
    const tool = { ...customToolSchema.parse(value), source }
    if (!tools.has(tool.name)) tools.set(tool.name, tool)
  }
  return [...tools.values()]
}

/** What is wrong with the custom tools of one layer although each value by itself is right. */
export function customToolContradictions(values: JsonObject): readonly Finding[] {
  const list = valueAt(values, listsThatAddUp.customTools)
  const seen = new Set<unknown>()
  return (Array.isArray(list) ? list : []).flatMap((tool: unknown, index) => {
    if (!isJsonObject(tool)) return []
    const findings = [...nameFindings(tool.name, seen), ...usesFindings(tool.uses), ...bothFindings(tool)]
    seen.add(tool.name)
    return findings.map(({ path, message }) => ({ path: [...listsThatAddUp.customTools, index, ...path], message }))
  })
}

function nameFindings(name: unknown, seen: ReadonlySet<unknown>): readonly Finding[] {
  if (typeof name !== "string") return []
  const find = (message: string) => [{ path: ["name"], message }]
  if (seen.has(name)) return find("another custom tool of this file has the same name")
  if (/^mcp__/i.test(name)) return find("names with mcp__ belong to the tools of servers")
  const taken = reservedToolNames.find((reserved) => reserved.toLowerCase() === name.toLowerCase())
  return taken === undefined ? [] : find(`${taken} is a built-in tool; choose another name`)
}

function usesFindings(uses: unknown): readonly Finding[] {
  if (typeof uses !== "string" || uses === "" || uses.startsWith("mcp__")) return []
  if (reservedToolNames.includes(uses)) return []
  const meant = suggest(uses, builtinToolNames)
  const hint = meant === null ? "" : `. Did you mean "${meant}"?`
  return [{ path: ["uses"], message: `expected mcp__SERVER__TOOL or a built-in tool${hint}` }]
}

function bothFindings(tool: JsonObject): readonly Finding[] {
  const fixed = tableAt(tool, ["fixed"])
  const both = Object.keys(tableAt(tool, ["defaults"])).filter((name) => Object.hasOwn(fixed, name))
  return both.map((name) => ({ path: ["defaults", name], message: "is fixed too; keep one of the two" }))
}
