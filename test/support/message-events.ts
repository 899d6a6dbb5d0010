import { randomUUID } from "node:crypto"

/** A block of an answer, as the API spells it. */
export type Block = { readonly type: string; readonly [key: string]: unknown }

/** How an answer is told; everything has a default. */
export interface AnswerOptions {
  /** tool_use when there is a call, else end_turn. */
  readonly stopReason?: string | null
  readonly stopDetails?: object
  readonly usage?: Readonly<Record<string, unknown>>
  /** The model of the request unless set. */
  readonly model?: string
  /** Characters a delta; small ones cut JSON in awkward places. */
  readonly chunk?: number
  /** The message is whole, and the stream never ends. */
  readonly staysOpen?: boolean
}

/** One server-sent event. */
export function sse(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
}

/** How a message begins; `asked` is the model of the request. */
export function headEvents(asked: unknown, { model, usage }: AnswerOptions): string[] {
  const message = {
    id: `msg_${randomUUID().slice(0, 8)}`,
    type: "message",
    role: "assistant",
    model: model ?? asked ?? "claude-test",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, ...usage },
  }
  return [sse("message_start", { message }), sse("ping", {})]
}

/** Everything between the first and the last event of one block. */
export function blockEvents({ chunk = 1000 }: AnswerOptions): (block: Block, index: number) => string[] {
  return (block, index) => {
    const { start, deltas } = taken(block, chunk)
    return [
      sse("content_block_start", { index, content_block: start }),
      ...deltas.map((delta) => sse("content_block_delta", { index, delta })),
      sse("content_block_stop", { index }),
    ]
  }
}

/** A block apart: how it starts, and the deltas that fill it. */
function taken(block: Block, chunk: number): { start: Block; deltas: object[] } {
  switch (block.type) {
    case "text":
      return {
        start: { ...block, text: "" },
        deltas: pieces(String(block.text), chunk).map((piece) => ({ type: "text_delta", text: piece })),
      }
    case "tool_use": {
      const json = typeof block.input === "string" ? block.input : JSON.stringify(block.input)
      const deltas = pieces(json, chunk).map((piece) => ({ type: "input_json_delta", partial_json: piece }))
      return { start: { ...block, input: {} }, deltas }
    }
    case "thinking":
      return {
        start: { ...block, thinking: "", signature: "" },
        deltas: [
          ...pieces(String(block.thinking), chunk).map((piece) => ({ type: "thinking_delta", thinking: piece })),
          { type: "signature_delta", signature: block.signature },
        ],
      }
    default:
      return { start: block, deltas: [] }
  }
}

/** How a whole message ends. */
export function tailEvents(blocks: readonly Block[], options: AnswerOptions): string[] {
  const usual = blocks.some((block) => block.type === "tool_use") ? "tool_use" : "end_turn"
  const stop_reason = options.stopReason === undefined ? usual : options.stopReason
  const delta = { stop_reason, stop_sequence: null, stop_details: options.stopDetails ?? null }
  const usage = { output_tokens: 5, ...options.usage }
  return [sse("message_delta", { delta, usage }), sse("message_stop", {})]
}

function pieces(value: string, size: number): string[] {
  return Array.from({ length: Math.ceil(value.length / size) }, (_, index) =>
    value.slice(index * size, (index + 1) * size),
  )
}
