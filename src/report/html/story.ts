import type { RunEvent, RunEventOf } from "../../contract/event.ts"
import { toLine } from "./markup.ts"
import { noteOf } from "./note.ts"

/** A call with all that belongs to it. */
export interface StoryCall {
  readonly kind: "call"
  /** The place of the call on the page. */
  readonly anchor: string
  readonly call: RunEventOf<"tool.call">
  result: RunEventOf<"tool.result"> | null
  readonly hooks: RunEventOf<"hook">[]
}

/** Something that happened within a part. */
export type StoryItem =
  | StoryCall
  | { readonly kind: "message"; readonly message: RunEventOf<"message"> }
  | { readonly kind: "note"; readonly tone: "plain" | "trouble"; readonly label: string; readonly text: string }

/** A turn, or what happened before the first. */
export interface StoryPart {
  readonly anchor: string
  readonly title: string
  readonly startMs: number
  /** When the model had answered. */
  answeredMs: number | null
  usage: RunEventOf<"message">["usage"]
  costUsd: number | null
  readonly items: StoryItem[]
}

/** A run as people read it: turn by turn. */
export interface Story {
  readonly task: string
  readonly startMs: number
  readonly endMs: number
  readonly parts: readonly StoryPart[]
  readonly calls: readonly StoryCall[]
}

/** Put events into the order in which they are read: results with their calls, and everything with its turn. */
export function tellStory(events: readonly RunEvent[]): Story {
  const parts: StoryPart[] = []
  const latest = new Map<string, StoryPart>()
  const calls = new Map<string, StoryCall>()
  const times = events.map(({ at }) => Date.parse(at))
  let task = ""

  function open(event: RunEvent, title: string): StoryPart {
    const anchor = `part-${parts.length}`
    const facts = { answeredMs: null, usage: null, costUsd: null, items: [] }
    const part: StoryPart = { anchor, title, startMs: Date.parse(event.at), ...facts }
    parts.push(part)
    latest.set(event.parent_call_id ?? "", part)
    return part
  }

  function currentPart(event: RunEvent): StoryPart {
    return latest.get(event.parent_call_id ?? "") ?? parts.at(-1) ?? open(event, "Before the first turn")
  }

  function titleOf({ turn, kind, parent_call_id: parent }: RunEventOf<"turn.start">): string {
    const name = kind === "summary" ? `Turn ${turn}, the summary` : `Turn ${turn}`
    return parent === undefined ? name : `${name} of a sub-agent`
  }

  for (const event of events) {
    if (event.type === "run.start" && task === "") task = event.task
    if (event.type === "turn.start") open(event, titleOf(event))
    else if (event.type === "message") addMessage(currentPart(event), event)
    else if (event.type === "tool.call") {
      const anchor = `call-${calls.size + 1}`
      const call: StoryCall = { kind: "call", anchor, call: event, result: null, hooks: [] }
      calls.set(event.call_id, call)
      currentPart(event).items.push(call)
    } else if (event.type === "tool.result") {
      const call = calls.get(event.call_id)
      if (call) call.result = event
    } else if (event.type === "hook" && event.call_id !== null && calls.has(event.call_id)) {
      calls.get(event.call_id)?.hooks.push(event)
    } else {
      const note = noteOf(event)
      if (note) currentPart(event).items.push({ kind: "note", ...note })
    }
  }
  return {
    task,
    startMs: times[0] ?? 0,
    endMs: Math.max(times[0] ?? 0, times.at(-1) ?? 0),
    parts,
    calls: [...calls.values()],
  }
}

function addMessage(part: StoryPart, message: RunEventOf<"message">): void {
  part.items.push({ kind: "message", message })
  if (message.role !== "assistant") return
  part.answeredMs = Date.parse(message.at)
  part.usage = message.usage
  part.costUsd = message.cost_usd
}

/** How a call ended, as the page names it. */
export type CallState = "ok" | "queued" | "failed" | "denied" | "unanswered"

/** How a call ended; a killed run leaves calls without an answer. */
export function stateOf({ result }: StoryCall): CallState {
  if (result === null) return "unanswered"
  if (result.state === "denied") return "denied"
  if (result.state === "queued") return "queued"
  return result.ok ? "ok" : "failed"
}

/** The decision that held: a hook may have changed the first one. */
export function decisionOf({ call, hooks }: StoryCall): RunEventOf<"tool.call">["decision"] {
  return hooks.findLast(({ decision }) => decision !== undefined)?.decision ?? call.decision
}

/** The rules that would have allowed a denied call; those for the input before a hook changed it do not count. */
export function allowWithOf(story: StoryCall): string | null {
  if (stateOf(story) !== "denied" || story.hooks.some(({ decision }) => decision !== undefined)) return null
  return story.call.allow_with ?? null
}

/** What a call is about, on one line: the first text of its input. */
export function previewOf({ call: { input } }: StoryCall): string {
  if (typeof input !== "object" || input === null) return ""
  const first = Object.values(input).find((value) => typeof value === "string")
  return toLine(first ?? JSON.stringify(input), 120)
}
