import type { CustomToolSettings } from "../contract/config.ts"
import type { JsonObject, JsonSchema } from "../contract/json.ts"
import { errorResult, type Tool } from "../contract/tool.ts"
import { argumentNames, narrowSchema } from "./narrow-schema.ts"

/** The custom tools of a run, and why others are not there. */
export interface CustomTools {
  readonly tools: readonly Tool[]
  readonly warnings: readonly string[]
}

/** Wrap tools as `[[tools.custom]]` says. What cannot be held to its fixed arguments is not offered at all. */
export function createCustomTools(settings: readonly CustomToolSettings[], known: readonly Tool[]): CustomTools {
  const tools: Tool[] = []
  const warnings: string[] = []
  for (const custom of settings) {
    const wrapped = known.find(({ name }) => name === custom.uses)
    const problem =
      wrapped === undefined ? `there is no tool ${custom.uses} in this run` : unknownArgument(custom, wrapped)
    if (wrapped !== undefined && problem === null) tools.push(wrapTool(custom, wrapped))
    else warnings.push(`${custom.source}: the custom tool ${custom.name} is not offered: ${problem}`)
  }
  return { tools, warnings }
}

/** An argument that the wrapped tool does not have would hold nobody to anything. */
function unknownArgument(custom: CustomToolSettings, wrapped: Tool): string | null {
  const names = argumentNames(wrapped.inputSchema)
  const unknown = [...Object.keys(custom.fixed), ...Object.keys(custom.defaults)].find((name) => !names.has(name))
  return unknown === undefined ? null : `${wrapped.name} has no argument "${unknown}"`
}

function wrapTool({ name, description, fixed, defaults }: CustomToolSettings, wrapped: Tool): Tool {
  const inputSchema: JsonSchema = narrowSchema(wrapped.inputSchema, { fixed, defaults })
  const free = new Set([...argumentNames(wrapped.inputSchema)].filter((argument) => !Object.hasOwn(fixed, argument)))
  const complete = (input: JsonObject): JsonObject => {
    const given = Object.entries(input).filter(([argument]) => free.has(argument))
    return Object.fromEntries([...Object.entries(defaults), ...given, ...Object.entries(fixed)])
  }
  return {
    name,
    description,
    inputSchema,
    origin: { kind: "custom" },
    hints: wrapped.hints,
    wraps: { tool: wrapped, complete },
    subjects: (input) => wrapped.subjects(complete(input)),
    async execute(input, context) {
      const foreign = Object.keys(input).find((argument) => !free.has(argument))
      if (foreign === undefined) return wrapped.execute(complete(input), context)
      return errorResult(
        "invalid_input",
        `${name} has no argument ${JSON.stringify(foreign)}. Its arguments are: ${[...free].join(", ") || "none"}.`,
      )
    },
  }
}
