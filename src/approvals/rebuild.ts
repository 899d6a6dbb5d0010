import type { RunEvent, RunEventOf } from "../contract/event.ts"
import type { AssistantBlock, Message, ToolUseBlock, UserBlock } from "../contract/model.ts"
import type { ResultBlock, ToolResult } from "../contract/tool.ts"

type Request = RunEventOf<"approval.request">

/** A run as its transcript tells it, up to where it stopped. */
export interface RebuiltRun {
  readonly runId: string
  readonly task: string
  readonly turn: number
  /** The conversation up to the last reply; the results of its calls are not part of it. */
  readonly messages: readonly Message[]
  /** The calls of the last reply, and what is known of each; none when all of them were answered. */
  readonly calls: readonly RebuiltCall[]
  /** Did the last process that worked on it come to an end of its own? */
  readonly ended: boolean
}

/** A call of the turn in which the run stopped. */
export interface RebuiltCall {
  /** The input is redacted; `refill` names what has to be put back. */
  readonly use: ToolUseBlock
  readonly refill: readonly string[]
  readonly announced: boolean
  readonly started: boolean
  readonly result: ToolResult | null
  readonly request: Request | null
  readonly answer: RunEventOf<"approval.answer"> | null
}

/** Tell a run again from its events. */
export function rebuildRun(events: readonly RunEvent[]): RebuiltRun {
  const start = events.find((event) => event.type === "run.start")
  const keepThinking = !events.some((event) => isConversation(event) && JSON.stringify(event).includes("[redacted:"))
  const messages: Message[] = []
  let open: { readonly turn: number; readonly calls: Map<string, RebuiltCall> } | null = null
  let turn = 0
  let stopReason: string | null = null

  for (const event of events) {
    // What a sub-agent said and did is no part of the conversation; its answer is a result like any other.
    if (event.parent_call_id !== undefined) continue
    if (event.type === "turn.start" && event.kind === "work") turn = event.turn
    if (event.type === "message" && event.role === "user") addText(messages, event)
    if (event.type === "message" && event.role === "assistant" && wasAdded(event)) {
      const content = event.content.filter((block) => keepThinking || block.type !== "opaque")
      messages.push({ role: "assistant", content })
      stopReason = event.stop_reason
      open = openTurn(event.turn, content)
    }
    if ("call_id" in event && open !== null && "turn" in event && event.turn === open.turn) {
      const call = event.call_id === null ? undefined : open.calls.get(event.call_id)
      if (call === undefined) continue
      open.calls.set(call.use.id, follow(call, event))
      if ([...open.calls.values()].every(({ result }) => result !== null)) {
        messages.push({ role: "user", content: [...open.calls.values()].flatMap(toResultBlock) })
        open = null
      }
    }
  }
  if (open === null && stopReason !== "pause_turn" && messages.at(-1)?.role === "assistant") messages.pop()
  return {
    runId: start?.run_id ?? "",
    task: start?.task ?? "",
    turn,
    messages,
    calls: open === null ? [] : [...open.calls.values()],
    ended: events.at(-1)?.type === "run.end",
  }
}

function isConversation(event: RunEvent): boolean {
  return event.type === "message" || event.type === "tool.result"
}

/** A reply that was cut off is asked for again and never part of the conversation. */
function wasAdded(event: RunEventOf<"message">): boolean {
  const cutOff = event.stop_reason === "max_tokens" || event.stop_reason === "model_context_window_exceeded"
  return event.content.length > 0 && !cutOff
}

function openTurn(turn: number, content: readonly AssistantBlock[]) {
  const uses = content.filter((block) => block.type === "tool_use")
  if (uses.length === 0) return null
  const unknown = { refill: [], announced: false, started: false, result: null, request: null, answer: null }
  return { turn, calls: new Map(uses.map((use) => [use.id, { use, ...unknown }])) }
}

function follow(call: RebuiltCall, event: RunEvent): RebuiltCall {
  switch (event.type) {
    case "tool.call":
      return { ...call, announced: true, refill: event.refill ?? [] }
    case "approval.request":
      return { ...call, request: event }
    case "approval.answer":
      return { ...call, answer: event }
    case "tool.started":
      return { ...call, started: true }
    case "tool.result":
      return { ...call, result: toResult(event) }
    default:
      return call
  }
}

function toResult(event: RunEventOf<"tool.result">): ToolResult {
  const content = event.content.map((block): ResultBlock => {
    if (block.type !== "image") return block
    return imageOf(block.media_type, block.data, `[image of ${block.bytes} bytes, not kept]`)
  })
  return { content, isError: !event.ok, ...(event.error_code === null ? {} : { errorCode: event.error_code }) }
}

/** What was redacted inside an image is no image any more. */
function imageOf(mediaType: string, data: string | undefined, note: string): ResultBlock {
  const whole = data !== undefined && /^[A-Za-z0-9+/]*={0,2}$/.test(data)
  return whole ? { type: "image", mediaType, data } : { type: "text", text: note }
}

function toResultBlock({ use, result }: RebuiltCall): UserBlock[] {
  if (result === null) return []
  return [{ type: "tool_result", toolUseId: use.id, content: result.content, isError: result.isError }]
}

/** What we said ourselves stands behind the results that it is about, in the same message. */
function addText(messages: Message[], event: RunEventOf<"message">): void {
  const texts = event.content.filter((block) => block.type === "text")
  const last = messages.at(-1)
  if (last?.role === "user") messages[messages.length - 1] = { role: "user", content: [...last.content, ...texts] }
  else messages.push({ role: "user", content: texts })
}
