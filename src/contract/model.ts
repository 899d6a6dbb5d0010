import type { Emit } from "./event.ts"
import type { JsonObject, JsonSchema } from "./json.ts"
import type { ReasonCode } from "./reason.ts"
import type { ResultBlock } from "./tool.ts"

/** Dollars per million tokens. */
export interface Price {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

/** Tokens of one request, or of a whole run. Input excludes what was read from or written to the cache. */
export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadInputTokens: number
  readonly cacheCreationInputTokens: number
}

/** A call that the model asks for. */
export interface ToolUseBlock {
  readonly type: "tool_use"
  readonly id: string
  readonly name: string
  readonly input: unknown
}

/** What the model said; `opaque` blocks (thinking) go back to the API unchanged. */
export type AssistantBlock =
  | { readonly type: "text"; readonly text: string }
  | ToolUseBlock
  | { readonly type: "opaque"; readonly raw: JsonObject }

/** What the model is told. */
export type UserBlock =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "tool_result"
      readonly toolUseId: string
      readonly content: readonly ResultBlock[]
      readonly isError: boolean
    }

/** One message of the conversation; it becomes a wire message only inside a model. */
export type Message =
  | { readonly role: "user"; readonly content: readonly UserBlock[] }
  | { readonly role: "assistant"; readonly content: readonly AssistantBlock[] }

/** A tool as the model sees it. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
  /** The API holds the definition back until a `tool_reference` in a result names the tool. */
  readonly deferred?: true
}

/** Everything one request is made of. */
export interface ModelRequest {
  readonly system: string
  readonly tools: readonly ToolDefinition[]
  readonly messages: readonly Message[]
  readonly maxOutputTokens: number
  /** The answer shall be JSON of this schema; a model that cannot promise it may ignore it. */
  readonly answerSchema?: JsonSchema
}

/** What a model answers: a reply, or why there is none. A model never throws for what the API or the script did. */
export type ModelAnswer =
  | {
      readonly kind: "reply"
      readonly model: string
      readonly content: readonly AssistantBlock[]
      /** As the API spells it: end_turn, tool_use, max_tokens, stop_sequence, pause_turn, refusal, … */
      readonly stopReason: string
      /** More about the stop, such as the category of a refusal. */
      readonly stopDetails: string | null
      readonly usage: Usage
      /** `null` when the price of the model is unknown. */
      readonly costUsd: number | null
    }
  | {
      readonly kind: "failure"
      readonly code: ReasonCode
      readonly message: string
      readonly hint: string | null
      /** Text that arrived before the failure, for the report. */
      readonly partialText: string | null
    }

/** Ask the model of the run on behalf of a server: no tools, counted in usage, cost and limits of the run. */
export type Sample = (request: Omit<ModelRequest, "tools">, signal: AbortSignal) => Promise<ModelAnswer>

/** What a model is given for one request: when to stop, and where to say that it retries. */
export interface ModelContext {
  readonly signal: AbortSignal
  readonly emit: Emit
}

/** The model: the real API, or a script. */
export interface Model {
  readonly id: string
  /** Can the cost of this model be known? A cost limit is refused when not. */
  readonly priced: boolean
  /** Does the endpoint take deferred tools and references to them? Only the vendor's own is known to. */
  readonly takesDeferredTools?: boolean
  /** Open the way to the model while there is nothing to ask yet. Never throws. */
  open?(signal: AbortSignal): Promise<void>
  ask(request: ModelRequest, context: ModelContext): Promise<ModelAnswer>
}
