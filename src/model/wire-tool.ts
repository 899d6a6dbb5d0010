import { isJsonObject, type JsonObject } from "../contract/json.ts"
import type { AssistantBlock, ToolDefinition } from "../contract/model.ts"

/** A tool as the API takes it, and the names of its arguments on the wire where they differ. */
export interface WireTool {
  readonly name: string
  readonly description: string
  readonly schema: JsonObject
  /** Name of the server → name on the wire. */
  readonly wireNames: ReadonlyMap<string, string>
}

const combinations = ["oneOf", "anyOf", "allOf"]
const maxNameLength = 64
const maxNoteLength = 2000

/**
 * Make a tool safe for the API, which refuses a whole request for one schema that combines others at its top or names an
 * argument with other characters than its own. The server, the rules and the transcript keep what the server wrote.
 */
export function toWireTool({ name, description, inputSchema }: ToolDefinition): WireTool {
  const { schema, note } = withoutCombinations(inputSchema)
  const wireNames = chooseNames(Object.keys(objectOf(schema.properties)))
  return {
    name,
    description: note === "" ? description : `${description}\n\n${note}`,
    schema: wireNames.size === 0 ? schema : renameProperties(schema, wireNames),
    wireNames,
  }
}

/** The input of a call as the model wrote it, or will read it again. */
export function toWireInput(input: JsonObject, tool: WireTool | undefined): JsonObject {
  return tool === undefined || tool.wireNames.size === 0 ? input : renameKeys(input, tool.wireNames)
}

/** What the model said, with arguments named as the server names them. */
export function fromWireContent(
  content: readonly AssistantBlock[],
  tools: readonly ToolDefinition[],
): readonly AssistantBlock[] {
  return content.map((block) => {
    if (block.type !== "tool_use" || !isJsonObject(block.input)) return block
    const tool = tools.find(({ name }) => name === block.name)
    const wireNames = tool === undefined ? new Map<string, string>() : toWireTool(tool).wireNames
    if (wireNames.size === 0) return block
    const ownNames = new Map([...wireNames].map(([own, wire]) => [wire, own]))
    return { ...block, input: renameKeys(block.input, ownNames) }
  })
}

/** The arguments of all branches as one table, and what was combined in words. */
function withoutCombinations(inputSchema: JsonObject): { readonly schema: JsonObject; readonly note: string } {
  const present = combinations.filter((keyword) => Object.hasOwn(inputSchema, keyword))
  if (present.length === 0) return { schema: inputSchema, note: "" }
  const properties = new Map(Object.entries(objectOf(inputSchema.properties)))
  const required = new Set(listOf(inputSchema.required))
  for (const keyword of present) {
    const branches = listOf(inputSchema[keyword]).filter(isJsonObject)
    for (const branch of branches) {
      for (const [name, property] of Object.entries(objectOf(branch.properties))) {
        if (!properties.has(name)) properties.set(name, property)
      }
    }
    const needs = branches.map((branch) => listOf(branch.required))
    for (const name of needs.flat()) {
      if (keyword === "allOf" || needs.every((names) => names.includes(name))) required.add(name)
    }
  }
  const isCombined = ([keyword]: [string, unknown]) => present.includes(keyword)
  const rest = Object.entries(inputSchema).filter((entry) => !isCombined(entry))
  const combined = Object.fromEntries(Object.entries(inputSchema).filter(isCombined))
  const note = `The input must also match this JSON Schema: ${JSON.stringify(combined)}`
  const schema = {
    ...Object.fromEntries(rest),
    properties: Object.fromEntries(properties),
    ...(required.size === 0 ? {} : { required: [...required] }),
  }
  return { schema, note: note.length <= maxNoteLength ? note : `${note.slice(0, maxNoteLength)}…` }
}

/** A name on the wire for every argument that cannot have its own. */
function chooseNames(names: readonly string[]): ReadonlyMap<string, string> {
  const isSafe = (name: string) => /^[a-zA-Z0-9_.-]{1,64}$/.test(name)
  const taken = new Set(names.filter(isSafe))
  const chosen = new Map<string, string>()
  for (const name of names) {
    if (isSafe(name)) continue
    const wanted = name.replace(/[^a-zA-Z0-9_.-]/g, "_").slice(0, maxNameLength) || "_"
    let wire = wanted
    for (let copy = 2; taken.has(wire); copy += 1) {
      const suffix = `_${copy}`
      wire = `${wanted.slice(0, maxNameLength - suffix.length)}${suffix}`
    }
    taken.add(wire)
    chosen.set(name, wire)
  }
  return chosen
}

function renameProperties(schema: JsonObject, wireNames: ReadonlyMap<string, string>): JsonObject {
  const required = listOf(schema.required).map((name) => wireNames.get(String(name)) ?? name)
  return {
    ...schema,
    properties: renameKeys(objectOf(schema.properties), wireNames),
    ...(Object.hasOwn(schema, "required") ? { required } : {}),
  }
}

function renameKeys(table: JsonObject, names: ReadonlyMap<string, string>): JsonObject {
  return Object.fromEntries(Object.entries(table).map(([key, value]) => [names.get(key) ?? key, value]))
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
