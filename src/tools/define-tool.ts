import type { JsonObject, JsonSchema } from "../contract/json.ts"
import {
  errorResult,
  type Subject,
  type Tool,
  type ToolContext,
  type ToolOrigin,
  type ToolResult,
  textResult,
} from "../contract/tool.ts"
import { UserError } from "../contract/user-error.ts"
import { createSchemaCheck } from "../util/schema-check.ts"

/** What a tool is made of; hints that are not given are not claimed. */
export interface DefineToolOptions {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly readOnly?: boolean
  readonly destructive?: boolean
  readonly idempotent?: boolean
  readonly origin?: ToolOrigin
  /** What argument rules look at; gets the input before it is validated. */
  subjects?(input: JsonObject): readonly Subject[]
  /** Gets valid input only. A string is a good result; an exception is a failed one. */
  execute(input: JsonObject, context: ToolContext): Promise<ToolResult | string>
}

/** Make a tool whose `execute` never sees invalid input and never throws. */
export function defineTool(options: DefineToolOptions): Tool {
  if (!/^[a-zA-Z0-9_-]{1,128}$/.test(options.name)) {
    throw new UserError("usage_error", `"${options.name}" is no name for a tool`, {
      hint: "Use 1 to 128 letters, digits, _ and -.",
    })
  }
  const problemsOf = createSchemaCheck(options.inputSchema)
  return {
    name: options.name,
    description: options.description,
    inputSchema: options.inputSchema,
    origin: options.origin ?? { kind: "custom" },
    hints: {
      readOnly: options.readOnly ?? false,
      destructive: options.destructive ?? false,
      idempotent: options.idempotent ?? false,
    },
    subjects: (input) => options.subjects?.(input) ?? [],
    async execute(input, context) {
      try {
        const problems = await problemsOf(input)
        if (problems !== null) return errorResult("invalid_input", `Invalid input for ${options.name}: ${problems}`)
        const result = await options.execute(input, context)
        return typeof result === "string" ? textResult(result) : result
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error)
        return errorResult(context.signal.aborted ? "aborted" : "tool_error", message)
      }
    },
  }
}
