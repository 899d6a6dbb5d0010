import { isJsonObject, type JsonObject } from "../contract/json.ts"
import type { ToolResult } from "../contract/tool.ts"
import { adaptBlock } from "./adapt-result.ts"
import { adaptFailure } from "./adapt-tool.ts"
import type { Connection } from "./connection.ts"

/** A prompt that a server offers. */
export interface ServerPrompt {
  readonly server: string
  readonly name: string
  readonly description: string | null
  readonly arguments: readonly PromptArgument[]
}

interface PromptArgument {
  readonly name: string
  readonly description: string | null
  readonly required: boolean
}

/** The prompts of a server, in its order; entries without a name are left out. */
export function promptsOf(connection: Connection): readonly ServerPrompt[] {
  return connection.catalog().prompts.flatMap((prompt) => {
    const { name, description } = prompt
    if (typeof name !== "string" || name === "") return []
    const args: readonly unknown[] = Array.isArray(prompt.arguments) ? prompt.arguments : []
    return [
      {
        server: connection.config.name,
        name,
        description: textOrNull(description),
        arguments: args.filter(isJsonObject).flatMap(readArgument),
      },
    ]
  })
}

/** A prompt filled in as one text, or a failed result that says why there is none. */
export type FilledPrompt =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly result: ToolResult }

/** Have a server fill in a prompt. Resources in it become text, images and audio a note. */
export async function fillPrompt(
  connection: Connection,
  prompt: { readonly name: string; readonly arguments: Readonly<Record<string, string>> },
  signal: AbortSignal,
): Promise<FilledPrompt> {
  const answer = await connection.request("prompts/get", { ...prompt }, { signal })
  if (!answer.ok) return { ok: false, result: adaptFailure(answer.failure, connection, `prompt "${prompt.name}"`) }
  const messages = isJsonObject(answer.result) && Array.isArray(answer.result.messages) ? answer.result.messages : []
  return { ok: true, text: joinMessages(messages.filter(isJsonObject)) }
}

/** Most prompts are one message. Only where the server plays both sides does it matter who says what. */
function joinMessages(messages: readonly JsonObject[]): string {
  const dialogue = messages.some(({ role }) => role === "assistant")
  return messages
    .map(({ role, content }) => {
      const blocks: readonly unknown[] = Array.isArray(content) ? content : [content]
      const text = blocks.map(textOfBlock).join("\n")
      return dialogue ? `${role === "assistant" ? "Assistant" : "User"}: ${text}` : text
    })
    .join("\n\n")
}

function textOfBlock(block: unknown): string {
  const adapted = adaptBlock(block)
  if (adapted.type === "text") return adapted.text
  if (adapted.type === "tool_reference") return `[tool ${adapted.tool}]`
  return `[image ${adapted.mediaType}, ${Buffer.byteLength(adapted.data, "base64")} bytes]`
}

function readArgument({ name, description, required }: JsonObject): readonly PromptArgument[] {
  if (typeof name !== "string" || name === "") return []
  return [{ name, description: textOrNull(description), required: required === true }]
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null
}
