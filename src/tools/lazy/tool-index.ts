import { isJsonObject, type JsonObject, type JsonSchema } from "../../contract/json.ts"
import type { Tool } from "../../contract/tool.ts"
import { stemsOf } from "./words.ts"

/** What is searched of a tool. */
export type SearchableTool = Pick<Tool, "name" | "description" | "inputSchema" | "origin">

/** Where a stem occurs: which tool, and how much that says, from 0 to below 1. */
interface Posting {
  readonly tool: number
  readonly weight: number
}

/** Stems and where they occur. */
export type ToolIndex = ReadonlyMap<string, readonly Posting[]>

/** Saturation: the second occurrence of a word says less than the first. */
const saturation = 1.2

/** The fields of a tool: what an occurrence counts, and how far a long field dilutes it (0 not at all, 1 fully). */
const fields = [
  { weight: 5, dilution: 0.4, textOf: (tool: SearchableTool) => ownNameOf(tool) },
  { weight: 2, dilution: 0, textOf: (tool: SearchableTool) => serverOf(tool) },
  { weight: 2, dilution: 0.5, textOf: (tool: SearchableTool) => leadOf(tool.description) },
  { weight: 0.5, dilution: 0.6, textOf: (tool: SearchableTool) => tool.description.slice(0, 1000) },
  { weight: 0.7, dilution: 0.5, textOf: (tool: SearchableTool) => parametersOf(tool.inputSchema, namesOf) },
  { weight: 0.4, dilution: 0.6, textOf: (tool: SearchableTool) => parametersOf(tool.inputSchema, meaningsOf) },
] as const

/** Index tools by their names, servers, descriptions and parameters (BM25 over weighted fields). */
export function indexTools(tools: readonly SearchableTool[]): ToolIndex {
  const amounts = new Map<string, Map<number, number>>()
  for (const { weight, dilution, textOf } of fields) {
    const stems = tools.map((tool) => stemsOf(textOf(tool)))
    const average = stems.reduce((sum, list) => sum + list.length, 0) / Math.max(1, tools.length) || 1
    stems.forEach((list, tool) => {
      const share = weight / (1 - dilution + (dilution * list.length) / average)
      for (const stem of list) {
        const places = amounts.get(stem) ?? new Map<number, number>()
        places.set(tool, (places.get(tool) ?? 0) + share)
        amounts.set(stem, places)
      }
    })
  }
  return new Map(
    [...amounts].map(([stem, places]) => [
      stem,
      [...places].map(([tool, amount]) => ({ tool, weight: amount / (amount + saturation) })),
    ]),
  )
}

/** What the server itself calls the tool. */
export function ownNameOf({ name, origin }: Pick<Tool, "name" | "origin">): string {
  return origin.kind === "mcp" ? origin.tool : name
}

/** The first sentence of a description. */
export function leadOf(description: string): string {
  const text = description.trim()
  const end = /[.!?](?=\s+[^\sa-z])|\n(?=\s*[^\sa-z])/.exec(text.slice(0, 1000))
  return end === null ? text.slice(0, 300) : text.slice(0, end.index)
}

function serverOf({ origin }: SearchableTool): string {
  return origin.kind === "mcp" ? origin.server : ""
}

type Described = (name: string, property: JsonObject) => readonly unknown[]

const namesOf: Described = (name) => [name]
const meaningsOf: Described = (_, { description, enum: values }) => [
  description,
  ...(Array.isArray(values) ? values : []),
]

const deepest = 3
const mostTexts = 60

/** What parameters are called or said to mean, also those inside of objects and lists, to a depth that says something. */
function parametersOf(schema: JsonSchema, textsOf: Described): string {
  return collect(schema, textsOf, 1)
    .filter((text) => typeof text === "string")
    .slice(0, mostTexts)
    .join(" ")
    .slice(0, longestText)
}

const longestText = 2000

function collect(schema: JsonSchema, textsOf: Described, depth: number): readonly unknown[] {
  const properties = isJsonObject(schema.properties) ? Object.entries(schema.properties) : []
  const inner = isJsonObject(schema.items) && depth < deepest ? collect(schema.items, textsOf, depth + 1) : []
  const own = properties.flatMap(([name, property]) => {
    if (!isJsonObject(property)) return textsOf(name, {})
    return [...textsOf(name, property), ...(depth < deepest ? collect(property, textsOf, depth + 1) : [])]
  })
  return [...own, ...inner]
}
