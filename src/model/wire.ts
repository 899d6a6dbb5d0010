import { toUSVString } from "node:util"
import type {
  ContentBlockParam,
  ImageBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
  TextBlockParam,
  ToolReferenceBlockParam,
  ToolResultBlockParam,
} from "@anthropic-ai/sdk/resources/messages/messages"
import type { AgentSettings } from "../contract/config.ts"
import { isJsonObject } from "../contract/json.ts"
import type { AssistantBlock, Message, ModelRequest, UserBlock } from "../contract/model.ts"
import type { ResultBlock } from "../contract/tool.ts"
import { toWireInput, toWireTool, type WireTool } from "./wire-tool.ts"

const cacheMark = { type: "ephemeral" } as const

/**
 * A request as the Messages API wants it. Only ever grows at its end from turn to turn: both the prompt cache
 * and the signatures of thinking blocks depend on an unchanged beginning.
 */
export function toWireRequest(
  request: ModelRequest,
  options: { readonly model: string; readonly effort: AgentSettings["effort"] },
): MessageCreateParamsStreaming {
  const wireTools = request.tools.map(toWireTool)
  const { system, tools } = toWirePrefix(request, wireTools)
  const deferred = new Set(request.tools.flatMap((tool) => (tool.deferred ? [tool.name] : [])))
  const messages = request.messages.map((message) => toWireMessage(message, { wireTools, deferred }))
  return {
    model: options.model,
    max_tokens: request.maxOutputTokens,
    ...toOutputConfig(options.effort, request.answerSchema),
    ...(tools.length === 0 ? {} : { tools }),
    ...(system.length === 0 ? {} : { system }),
    messages: markNewest(messages.filter((message) => message.content.length > 0)),
    stream: true,
  }
}

function toOutputConfig(effort: AgentSettings["effort"], schema: ModelRequest["answerSchema"]) {
  if (effort === null && schema === undefined) return {}
  return {
    output_config: {
      ...(effort !== null && { effort }),
      ...(schema !== undefined && { format: { type: "json_schema" as const, schema } }),
    },
  }
}

/** The bytes of a request. Half a surrogate pair, which the API refuses, becomes U+FFFD. */
export function encodeRequest(request: MessageCreateParamsStreaming): Uint8Array {
  const json = JSON.stringify(request, (_key, value: unknown) =>
    typeof value === "string" ? toUSVString(value) : value,
  )
  return new TextEncoder().encode(json)
}

/**
 * Tools come before the system prompt in what is cached, so one mark at the end of both covers both. Deferred tools are
 * no part of it, wherever they stand, and the API refuses a mark on them.
 */
function toWirePrefix(request: ModelRequest, wireTools: readonly WireTool[]) {
  const system: TextBlockParam[] =
    request.system === "" ? [] : [{ type: "text", text: request.system, cache_control: cacheMark }]
  const last = request.tools.findLastIndex((tool) => !tool.deferred)
  const tools = wireTools.map((tool, index) => ({
    name: tool.name,
    description: tool.description,
    input_schema: tool.schema as { type: "object" },
    ...(request.tools[index]?.deferred ? { defer_loading: true } : {}),
    ...(system.length === 0 && index === last ? { cache_control: cacheMark } : {}),
  }))
  return { system, tools }
}

interface WireMessage {
  readonly role: "user" | "assistant"
  readonly content: readonly ContentBlockParam[]
}

/** What messages are told apart by: how tools look on the wire, and which of them are deferred. */
interface WireContext {
  readonly wireTools: readonly WireTool[]
  readonly deferred: ReadonlySet<string>
}

function toWireMessage(message: Message, { wireTools, deferred }: WireContext): WireMessage {
  if (message.role === "assistant") {
    return { role: "assistant", content: message.content.flatMap((block) => toWireAssistantBlock(block, wireTools)) }
  }
  return { role: "user", content: message.content.flatMap((block) => toWireUserBlock(block, deferred)) }
}

function toWireAssistantBlock(block: AssistantBlock, wireTools: readonly WireTool[]): ContentBlockParam[] {
  switch (block.type) {
    case "text":
      return toWireText(block.text)
    case "tool_use": {
      const tool = wireTools.find(({ name }) => name === block.name)
      const input = toWireInput(isJsonObject(block.input) ? block.input : {}, tool)
      return [{ type: "tool_use", id: block.id, name: block.name, input }]
    }
    case "opaque":
      return [block.raw as unknown as ContentBlockParam]
    default:
      throw new Error(`unknown block ${JSON.stringify(block satisfies never)}`)
  }
}

function toWireUserBlock(block: UserBlock, deferred: ReadonlySet<string>): ContentBlockParam[] {
  switch (block.type) {
    case "text":
      return toWireText(block.text)
    case "tool_result":
      return [toWireResult(block, deferred)]
    default:
      throw new Error(`unknown block ${JSON.stringify(block satisfies never)}`)
  }
}

function toWireResult(
  block: Extract<UserBlock, { type: "tool_result" }>,
  deferred: ReadonlySet<string>,
): ToolResultBlockParam {
  const references = toWireReferences(block.content, deferred)
  if (references.length > 0) return { type: "tool_result", tool_use_id: block.toolUseId, content: references }
  const content = block.content.flatMap((part) => toWireResultPart(part, block))
  const result = { type: "tool_result", tool_use_id: block.toolUseId } as const
  if (!block.isError) return { ...result, content }
  return {
    ...result,
    content: content.length > 0 ? content : toWireText("The call failed without a message."),
    is_error: true,
  }
}

/** Where the API shows the definition in place of a reference, the text beside it is not needed, nor may it be mixed in. */
function toWireReferences(content: readonly ResultBlock[], deferred: ReadonlySet<string>): ToolReferenceBlockParam[] {
  return content.flatMap((part) =>
    part.type === "tool_reference" && deferred.has(part.tool)
      ? [{ type: "tool_reference" as const, tool_name: part.tool }]
      : [],
  )
}

const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const

/** The API refuses images of other types, and any image in a failed result. */
function toWireResultPart(
  part: ResultBlock,
  { isError }: { readonly isError: boolean },
): (TextBlockParam | ImageBlockParam)[] {
  if (part.type === "text") return toWireText(part.text)
  if (part.type === "tool_reference") return []
  const mediaType = imageTypes.find((type) => type === part.mediaType)
  if (mediaType === undefined || isError) return toWireText(`[an image of type ${part.mediaType} that cannot be shown]`)
  return [{ type: "image", source: { type: "base64", media_type: mediaType, data: part.data } }]
}

/** The API refuses text blocks without text. */
function toWireText(text: string): TextBlockParam[] {
  return text.trim() === "" ? [] : [{ type: "text", text }]
}

/** Mark the newest user message, to be read back next turn, and the one before, which the last turn wrote. */
function markNewest(messages: readonly WireMessage[]): MessageParam[] {
  const marked = messages.flatMap((message, index) => (message.role === "user" ? [index] : [])).slice(-2)
  return messages.map((message, index) => ({
    role: message.role,
    content: marked.includes(index) ? markLast(message.content) : [...message.content],
  }))
}

function markLast(content: readonly ContentBlockParam[]): ContentBlockParam[] {
  return content.map((block, index) =>
    index === content.length - 1 ? ({ ...block, cache_control: cacheMark } as ContentBlockParam) : block,
  )
}
