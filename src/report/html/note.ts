import type { RunEvent } from "../../contract/event.ts"
import { formatQuantity } from "../format.ts"

interface Note {
  readonly tone: "plain" | "trouble"
  readonly label: string
  readonly text: string
}

/** One line about an event that is neither a message nor a call; `null` for what the page shows elsewhere. */
export function noteOf(event: RunEvent): Note | null {
  switch (event.type) {
    case "server.connected":
      return plain(
        `server ${event.server}`,
        `connected in ${event.connect_ms} ms, ${formatQuantity(event.tools, "tool")}`,
      )
    case "server.changed": {
      const { added, removed, changed } = event
      return plain(`server ${event.server}`, `tools changed: ${[...added, ...removed, ...changed].join(", ")}`)
    }
    case "server.disconnected":
      if (event.reason === "run_end") return null
      return {
        tone: event.reason === "lost" ? "trouble" : "plain",
        ...about(event.server, event.detail ?? event.reason),
      }
    case "server.error":
      return trouble(`server ${event.server}`, [event.error, event.hint, event.stderr_tail].filter(Boolean).join("\n"))
    case "server.request":
      return plain(`server ${event.server}`, `asked ${event.method}: ${event.outcome}${tail(event.detail)}`)
    case "server.log":
      return plain(`server ${event.server}`, `${event.level}: ${event.text}`)
    case "hook":
      return { tone: event.outcome === "blocked" ? "trouble" : "plain", label: "hook", text: hookText(event) }
    case "tool.search":
      return plain("search", `${event.query} → ${event.names.join(", ") || "nothing"}`)
    case "finding":
      return plain(`finding, ${event.level}`, `${event.file}:${event.line} ${event.message}`)
    case "tool.dynamicLoad":
      return plain("loaded", `${event.tool}, by a ${event.by}`)
    case "retry":
      return trouble("retry", `${event.what}, attempt ${event.attempt} after ${event.delay_ms} ms: ${event.error}`)
    case "limit":
      return trouble("limit", `${event.limit}: ${event.used} of ${event.allowed} used`)
    case "warning":
      return trouble("warning", `${event.code}: ${event.message}`)
    case "approval.request":
      return trouble("approval", `${event.tool} waits for a person`)
    case "approval.answer":
      return plain("approval", `${event.tool}: ${event.answer}${tail(event.reason)}`)
    case "plan.call":
      return plain("plan", `${event.plan_id} queued: ${event.tool}`)
    case "run.start":
      return event.resumed === undefined ? null : plain("resumed", event.at)
    case "tool.started":
    case "run.end":
    case "server.connecting":
    case "turn.start":
    case "message":
    case "tool.call":
    case "tool.result":
    case "tool.progress":
      return null
    default:
      event satisfies never
      return null
  }
}

function plain(label: string, text: string): Note {
  return { tone: "plain", label, text }
}

function trouble(label: string, text: string): Note {
  return { tone: "trouble", label, text }
}

function about(server: string, text: string) {
  return { label: `server ${server}`, text }
}

/** What a hook did, on one line. */
export function hookText({ hook, event, outcome, reason, note }: Extract<RunEvent, { type: "hook" }>): string {
  return `${hook} at ${event}: ${outcome}${tail(reason)}${tail(note)}`
}

function tail(text: string | null): string {
  return text === null ? "" : `, ${text}`
}
