import { isJsonObject, type JsonObject } from "../../contract/json.ts"
import type { Message, ModelAnswer, ModelRequest, Sample, Usage } from "../../contract/model.ts"
import type { SamplingBudget } from "../../contract/server.ts"

type Reply = ModelAnswer & { readonly kind: "reply" }

/** What came of a server's request to our model; a refusal may still have cost something. */
export type Sampled =
  | { readonly kind: "reply"; readonly result: JsonObject; readonly reply: Reply }
  | { readonly kind: "refusal"; readonly code: number; readonly message: string; readonly reply: Reply | null }

/** Codes of JSON-RPC, and -1 for a request that was understood and not wanted. */
const codes = { invalidParams: -32602, internalError: -32603, rejected: -1 } as const

/** The way of one server to our model: text only, without tools, within its budget. */
export function createSampling(
  budget: SamplingBudget,
  sample: Sample,
): (params: JsonObject, signal: AbortSignal) => Promise<Sampled> {
  let requests = 0
  let tokens = 0

  return async (params, signal) => {
    if (params.tools !== undefined || params.toolChoice !== undefined) {
      return refuse(codes.invalidParams, "sampling with tools is not offered")
    }
    const messages = readMessages(params.messages)
    if (typeof messages === "string") return refuse(codes.invalidParams, messages)
    const system = typeof params.systemPrompt === "string" ? params.systemPrompt : ""
    const left = budget.maxTokens - tokens - estimateTokens(system, messages)
    if (requests >= budget.maxRequests) {
      return refuse(codes.rejected, `the budget of this run is spent: sampling_max_requests = ${budget.maxRequests}`)
    }
    if (left < 1) {
      return refuse(codes.rejected, `the budget of this run is spent: sampling_max_tokens = ${budget.maxTokens}`)
    }
    requests += 1
    const maxOutputTokens = Math.min(wantedTokens(params.maxTokens), left)
    const answer = await sample({ system, messages, maxOutputTokens }, signal)
    if (answer.kind === "failure") return refuse(codes.internalError, answer.message)
    tokens += totalTokens(answer.usage)
    return toSampled(answer)
  }
}

function refuse(code: number, message: string, reply: Reply | null = null): Sampled {
  return { kind: "refusal", code, message, reply }
}

/** The conversation a server wants continued, or what is wrong with it. */
function readMessages(messages: unknown): readonly Message[] | string {
  const entries: readonly unknown[] = Array.isArray(messages) ? messages : []
  const read: Message[] = []
  for (const entry of entries) {
    if (!isJsonObject(entry) || (entry.role !== "user" && entry.role !== "assistant")) return "a message has no role"
    const blocks: readonly unknown[] = Array.isArray(entry.content) ? entry.content : [entry.content]
    const content: { type: "text"; text: string }[] = []
    for (const block of blocks) {
      if (!isJsonObject(block) || block.type !== "text" || typeof block.text !== "string") {
        return "only text can be sent to the model"
      }
      if (block.text !== "") content.push({ type: "text", text: block.text })
    }
    if (content.length > 0) read.push({ role: entry.role, content })
  }
  return read.length === 0 ? "there is no message" : read
}

/** Roughly: the API counts exactly, but only afterwards. */
function estimateTokens(system: string, messages: ModelRequest["messages"]): number {
  const texts = messages.flatMap(({ content }) => content.map((block) => (block.type === "text" ? block.text : "")))
  return Math.ceil([system, ...texts].join("").length / 4)
}

function wantedTokens(wanted: unknown): number {
  return typeof wanted === "number" && wanted >= 1 ? Math.floor(wanted) : Number.POSITIVE_INFINITY
}

function totalTokens(usage: Usage): number {
  return usage.inputTokens + usage.cacheReadInputTokens + usage.cacheCreationInputTokens + usage.outputTokens
}

const stopReasons: ReadonlyMap<string, string> = new Map([
  ["end_turn", "endTurn"],
  ["stop_sequence", "stopSequence"],
  ["max_tokens", "maxTokens"],
])

function toSampled(reply: Reply): Sampled {
  const stopReason = stopReasons.get(reply.stopReason)
  if (stopReason === undefined)
    return refuse(codes.internalError, `the model stopped with "${reply.stopReason}"`, reply)
  const text = reply.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n")
  const result = { model: reply.model, role: "assistant", content: { type: "text", text }, stopReason }
  return { kind: "reply", result, reply }
}
