import { isJsonObject, type JsonObject } from "../contract/json.ts"
import type { AssistantBlock, Usage } from "../contract/model.ts"

/** A whole message of the API, as it came through the stream. */
export interface StreamedReply {
  readonly model: string | null
  readonly content: readonly AssistantBlock[]
  readonly stopReason: string
  readonly stopDetails: string | null
  readonly usage: Usage
  /** The part of the cache writes that live for an hour. */
  readonly oneHourWriteTokens: number
}

/** Collects the events of one stream. Nothing of it counts until `finish` says the message is whole. */
export interface ReplyBuilder {
  take(event: JsonObject): void
  /** The text so far. */
  partialText(): string | null
  /** The message, or in words why it is not whole. */
  finish():
    | { readonly kind: "whole"; readonly reply: StreamedReply }
    | { readonly kind: "broken"; readonly why: string }
}

/** Start collecting a message. What we do not know in it is kept as it came, or ignored. */
export function createReplyBuilder(): ReplyBuilder {
  const blocks = new Map<unknown, OpenBlock>()
  let model: string | null = null
  let usage: JsonObject = {}
  let delta: JsonObject = {}
  let stopped = false

  return {
    take(event) {
      switch (event.type) {
        case "message_start": {
          const message = objectOf(event.message)
          model = typeof message.model === "string" ? message.model : null
          usage = objectOf(message.usage)
          return
        }
        case "content_block_start":
          blocks.set(event.index, openBlock(objectOf(event.content_block)))
          return
        case "content_block_delta":
          addDelta(blocks.get(event.index), objectOf(event.delta))
          return
        case "content_block_stop": {
          const block = blocks.get(event.index)
          if (block !== undefined) block.stopped = true
          return
        }
        case "message_delta":
          delta = { ...delta, ...objectOf(event.delta) }
          usage = { ...usage, ...withoutNulls(objectOf(event.usage)) }
          return
        case "message_stop":
          stopped = true
          return
      }
    },
    partialText() {
      const text = [...blocks.values()].map((block) => (block.kind === "text" ? block.text : "")).join("")
      return text === "" ? null : text
    },
    finish() {
      if (!stopped) return { kind: "broken", why: "it ended before message_stop" }
      const stopReason = delta.stop_reason
      if (typeof stopReason !== "string") return { kind: "broken", why: "it ended without a stop reason" }
      if ([...blocks.values()].some((block) => !block.stopped)) {
        return { kind: "broken", why: "it ended inside a content block" }
      }
      const content = [...blocks.values()].map(closeBlock)
      const malformed = content.find((block) => block.type === "malformed")
      // A call that a limit cut off is no fault of the stream: the loop sees the stop reason and never runs it.
      if (malformed !== undefined && !cuttingReasons.has(stopReason)) {
        return { kind: "broken", why: `the input of the call to ${malformed.name} is not JSON` }
      }
      const reply: StreamedReply = {
        model,
        content: content.map((block) =>
          block.type === "malformed" ? { type: "tool_use", id: block.id, name: block.name, input: null } : block,
        ),
        stopReason,
        stopDetails: describeStop(delta),
        usage: toUsage(usage),
        oneHourWriteTokens: numberOf(objectOf(usage.cache_creation).ephemeral_1h_input_tokens),
      }
      return { kind: "whole", reply }
    },
  }
}

const cuttingReasons: ReadonlySet<string> = new Set(["max_tokens", "model_context_window_exceeded", "refusal"])

type OpenBlock = { stopped: boolean } & (
  | { readonly kind: "text"; text: string }
  | { readonly kind: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown; json: string }
  | { readonly kind: "opaque"; raw: JsonObject; json: string }
)

type ClosedBlock = AssistantBlock | { readonly type: "malformed"; readonly id: string; readonly name: string }

function openBlock(block: JsonObject): OpenBlock {
  if (block.type === "text") return { kind: "text", text: stringOf(block.text), stopped: false }
  if (block.type === "tool_use") {
    const { id, name, input } = block
    return { kind: "tool_use", id: stringOf(id), name: stringOf(name), input, json: "", stopped: false }
  }
  return { kind: "opaque", raw: block, json: "", stopped: false }
}

function addDelta(block: OpenBlock | undefined, delta: JsonObject): void {
  if (block === undefined) return
  if (block.kind === "text") {
    block.text += stringOf(delta.text)
    return
  }
  block.json += stringOf(delta.partial_json)
  if (block.kind === "tool_use") return
  if (delta.type === "thinking_delta") {
    block.raw = { ...block.raw, thinking: stringOf(block.raw.thinking) + stringOf(delta.thinking) }
  }
  if (delta.type === "signature_delta") block.raw = { ...block.raw, signature: delta.signature }
}

function closeBlock(block: OpenBlock): ClosedBlock {
  switch (block.kind) {
    case "text":
      return { type: "text", text: block.text }
    case "tool_use": {
      if (block.json === "") return { type: "tool_use", id: block.id, name: block.name, input: block.input ?? {} }
      const input = parseJson(block.json)
      if (input === undefined) return { type: "malformed", id: block.id, name: block.name }
      return { type: "tool_use", id: block.id, name: block.name, input }
    }
    case "opaque": {
      const input = block.json === "" ? undefined : parseJson(block.json)
      return { type: "opaque", raw: input === undefined ? block.raw : { ...block.raw, input } }
    }
    default:
      throw new Error(`unknown block ${JSON.stringify(block satisfies never)}`)
  }
}

function describeStop(delta: JsonObject): string | null {
  const details = objectOf(delta.stop_details)
  const words = [details.category, details.explanation].filter((part) => typeof part === "string" && part !== "")
  if (words.length > 0) return words.join(": ")
  return typeof delta.stop_sequence === "string" ? delta.stop_sequence : null
}

function toUsage(usage: JsonObject): Usage {
  return {
    inputTokens: numberOf(usage.input_tokens),
    outputTokens: numberOf(usage.output_tokens),
    cacheReadInputTokens: numberOf(usage.cache_read_input_tokens),
    cacheCreationInputTokens: numberOf(usage.cache_creation_input_tokens),
  }
}

function withoutNulls(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null && value !== undefined))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Every caller answers malformed JSON in its own way; JSON itself never yields undefined.
    return undefined
  }
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}

function stringOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}

function numberOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.round(value) : 0
}
