import type { Emit } from "../contract/event.ts"
import type { JsonSchema } from "../contract/json.ts"
import type {
  AssistantBlock,
  Message,
  Model,
  ModelAnswer,
  ToolDefinition,
  ToolUseBlock,
  Usage,
  UserBlock,
} from "../contract/model.ts"
import type { SettledCall } from "./call-tools.ts"

/** A reply of the model, as opposed to a failure to get one. */
export type Reply = ModelAnswer & { readonly kind: "reply" }

/** What a conversation is made of beside its messages. */
export interface ConversationOptions {
  readonly model: Model
  readonly system: string
  readonly task: string
  readonly definitions: () => readonly ToolDefinition[]
  /** The conversation so far of a run that goes on. */
  readonly resumed?: { readonly messages: readonly Message[] }
  readonly answerSchema: { readonly schema: JsonSchema } | null
  readonly emit: Emit
  readonly signal: AbortSignal
}

/** The messages of one run. They only grow, so that each request is a prefix of the next; only `compact` rewrites them. */
export interface Conversation {
  /** Send everything so far. Emits the turn and the reply; the reply is not part of the conversation until it is added. */
  ask(request: {
    readonly turn: number
    readonly kind: "work" | "summary"
    readonly maxOutputTokens: number
  }): Promise<ModelAnswer>
  addReply(reply: Reply): void
  addResults(calls: readonly SettledCall[], note?: string): void
  addText(text: string): void
  /** Clear the oldest tool results to make room. False when there is nothing left to clear. */
  compact(): boolean
}

const clearedResult = "[This result was removed to make room. Make the call again if you need it.]"
const keptResults = 3

/** Begin a conversation with the task. */
export function createConversation(options: ConversationOptions): Conversation {
  const messages: Message[] = []
  let turn = 0

  function say(text: string): void {
    emitMessage(options.emit, { turn, role: "user", content: [{ type: "text", text }], reply: null })
  }

  if (options.resumed) {
    messages.push(...options.resumed.messages)
  } else {
    say(options.task)
    messages.push({ role: "user", content: [{ type: "text", text: options.task }] })
  }

  return {
    async ask(request) {
      turn = request.turn
      options.emit({ type: "turn.start", turn, kind: request.kind })
      const { system, model, emit, signal } = options
      const tools = options.definitions()
      const answerSchema = options.answerSchema?.schema
      const answer = await model.ask(
        {
          system,
          tools,
          messages,
          maxOutputTokens: request.maxOutputTokens,
          ...(answerSchema && { answerSchema }),
        },
        { signal, emit },
      )
      if (answer.kind === "reply") {
        emitMessage(emit, { turn, role: "assistant", content: answer.content, reply: answer })
      }
      return answer
    },
    addReply(reply) {
      messages.push({ role: "assistant", content: reply.content })
    },
    addResults(calls, note) {
      const content: UserBlock[] = calls.map(({ use, result }) => ({
        type: "tool_result",
        toolUseId: use.id,
        content: result.content,
        isError: result.isError,
      }))
      if (note !== undefined) {
        content.push({ type: "text", text: note })
        say(note)
      }
      messages.push({ role: "user", content })
    },
    addText(text) {
      say(text)
      messages.push({ role: "user", content: [{ type: "text", text }] })
    },
    compact() {
      const withResults = messages.filter(hasResults)
      const old = new Set(withResults.slice(0, -keptResults))
      const compacted = messages.map((message) => (old.has(message) ? clearResults(message) : message))
      if (compacted.every((message, index) => message === messages[index])) return false
      // The API refuses thinking whose surroundings have changed, so it goes with them.
      messages.splice(0, messages.length, ...compacted.map(dropThinking))
      return true
    },
  }
}

/** The text of a reply, its parts joined. */
export function textOf(reply: Reply): string {
  return reply.content
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("\n")
    .trim()
}

/** The calls a reply asks for. */
export function callsOf(reply: Reply): readonly ToolUseBlock[] {
  return reply.content.filter((block) => block.type === "tool_use")
}

function hasResults(message: Message): boolean {
  return message.role === "user" && message.content.some((block) => block.type === "tool_result")
}

function clearResults(message: Message): Message {
  if (message.role !== "user" || message.content.every(isCleared)) return message
  const content = message.content.map(
    (block): UserBlock =>
      block.type === "tool_result" && !isCleared(block)
        ? { ...block, content: [{ type: "text", text: clearedResult }] }
        : block,
  )
  return { role: "user", content }
}

/** Nothing to clear: no result, a cleared one, or one through which the API knows the definitions of loaded tools. */
function isCleared(block: UserBlock): boolean {
  if (block.type !== "tool_result" || block.content.some((part) => part.type === "tool_reference")) return true
  const [first] = block.content
  return block.content.length === 1 && first?.type === "text" && first.text === clearedResult
}

function dropThinking(message: Message): Message {
  if (message.role !== "assistant") return message
  const content = message.content.filter((block) => block.type !== "opaque")
  return { role: "assistant", content: content.length > 0 ? content : [{ type: "text", text: "(thinking)" }] }
}

function emitMessage(
  emit: Emit,
  message: { turn: number; role: "user" | "assistant"; content: readonly AssistantBlock[]; reply: Reply | null },
): void {
  const { turn, role, content, reply } = message
  emit({
    type: "message",
    turn,
    role,
    content: [...content],
    model: reply?.model ?? null,
    stop_reason: reply?.stopReason ?? null,
    usage: reply ? toUsageRecord(reply.usage) : null,
    cost_usd: reply?.costUsd ?? null,
  })
}

function toUsageRecord(usage: Usage) {
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_read_input_tokens: usage.cacheReadInputTokens,
    cache_creation_input_tokens: usage.cacheCreationInputTokens,
  }
}
