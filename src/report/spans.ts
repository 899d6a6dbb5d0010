import type { RunEvent, RunEventOf } from "../contract/event.ts"

/** The value of an attribute. */
export type AttributeValue = string | number | readonly string[]

/** A part of a run with a beginning and an end, as tracing systems know it; times are milliseconds since 1970. */
export interface Span {
  readonly id: string
  /** `null`: the run itself. */
  readonly parentId: string | null
  readonly name: string
  readonly kind: "internal" | "client"
  readonly startMs: number
  readonly endMs: number
  readonly attributes: Readonly<Record<string, AttributeValue>>
  /** The code of what went wrong. */
  readonly error: string | null
}

/** Makes spans of events: one for the run, one for each request to the model, one for each call. */
export interface SpanFold {
  write(event: RunEvent): void
  /** What ended so far; the run comes last. */
  spans(): readonly Span[]
}

type Begun = Pick<Span, "id" | "parentId" | "startMs">
type Usage = NonNullable<RunEventOf<"message">["usage"]>

/** Beyond this many, requests and calls leave no span. */
const maxSpans = 10_000

/** Follow a run in the words of the GenAI semantic conventions: names, numbers and codes, never what was said. */
export function createSpanFold(newId: () => string): SpanFold {
  const runId = newId()
  const done: Span[] = []
  const requests = new Map<string, Begun>()
  const calls = new Map<string, Begun & { readonly decision: string | null }>()
  const callSpans = new Map<string, string>()
  let start: RunEventOf<"run.start"> | null = null
  let total: Usage = noUsage
  let cost = 0

  function write(event: RunEvent): void {
    const at = Date.parse(event.at)
    const parent = event.parent_call_id ?? ""
    const parentId = callSpans.get(parent) ?? runId
    if (event.type === "run.start") start = event
    else if (event.type === "turn.start") {
      dropRequest(parent, at, "no_answer")
      requests.set(parent, { id: newId(), parentId, startMs: at })
    } else if (event.type === "message" && event.role === "assistant") endRequest(event, at)
    else if (event.type === "tool.call") {
      const id = newId()
      callSpans.set(event.call_id, id)
      calls.set(event.call_id, { id, parentId, startMs: at, decision: event.decision?.action ?? null })
    } else if (event.type === "tool.result") endCall(event, at, parentId)
    else if (event.type === "server.request") count(event)
    else if (event.type === "run.end") endRun(event, at)
  }

  function endRequest(event: RunEventOf<"message">, at: number): void {
    const parent = event.parent_call_id ?? ""
    const begun = requests.get(parent)
    requests.delete(parent)
    count(event)
    if (begun === undefined) return
    keep({
      ...begun,
      ...chatHead(event.model ?? modelOf(start)),
      endMs: at,
      attributes: {
        ...modelAttributes("chat", modelOf(start)),
        ...(event.model === null ? {} : { "gen_ai.response.model": event.model }),
        ...(event.stop_reason === null ? {} : { "gen_ai.response.finish_reasons": [event.stop_reason] }),
        ...(event.usage === null ? {} : usageAttributes(event.usage)),
      },
      error: null,
    })
  }

  /** A request that never got an answer. */
  function dropRequest(parent: string, at: number, error: string): void {
    const begun = requests.get(parent)
    requests.delete(parent)
    if (begun === undefined) return
    const model = modelOf(start)
    keep({ ...begun, ...chatHead(model), endMs: at, attributes: modelAttributes("chat", model), error })
  }

  function endCall(event: RunEventOf<"tool.result">, at: number, parentId: string): void {
    // The call of a run that goes on was asked for in an earlier process.
    const begun = calls.get(event.call_id) ?? { id: newId(), parentId, startMs: at - event.duration_ms, decision: null }
    calls.delete(event.call_id)
    const { decision, ...head } = begun
    keep({
      ...head,
      name: `execute_tool ${event.tool}`,
      kind: "internal",
      endMs: at,
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": event.tool,
        "gen_ai.tool.call.id": event.call_id,
        "gen_ai.tool.type": event.server === null ? "function" : "extension",
        "agent_run.tool.state": event.state,
        ...(event.server === null ? {} : { "agent_run.server": event.server }),
        ...(decision === null ? {} : { "agent_run.decision": decision }),
      },
      error: event.error_code,
    })
  }

  function endRun(event: RunEventOf<"run.end">, at: number): void {
    const error = event.reason?.code ?? null
    for (const parent of [...requests.keys()]) dropRequest(parent, at, error ?? "no_answer")
    done.push({
      id: runId,
      parentId: null,
      name: "invoke_agent agent-run",
      kind: "internal",
      startMs: start === null ? at - event.duration_ms : Date.parse(start.at),
      endMs: at,
      attributes: {
        ...modelAttributes("invoke_agent", modelOf(start)),
        "gen_ai.agent.name": "agent-run",
        ...(start === null ? {} : { "gen_ai.conversation.id": start.run_id }),
        ...usageAttributes(total),
        "agent_run.status": event.status,
        "agent_run.exit_code": event.exit_code,
        "agent_run.cost_usd": cost,
      },
      error: event.exit_code === 0 || event.status === "paused" ? null : (error ?? String(event.exit_code)),
    })
  }

  function count({ usage, cost_usd }: Pick<RunEventOf<"message">, "usage" | "cost_usd">): void {
    cost += cost_usd ?? 0
    if (usage === null) return
    total = {
      input_tokens: total.input_tokens + usage.input_tokens,
      output_tokens: total.output_tokens + usage.output_tokens,
      cache_read_input_tokens: total.cache_read_input_tokens + usage.cache_read_input_tokens,
      cache_creation_input_tokens: total.cache_creation_input_tokens + usage.cache_creation_input_tokens,
    }
  }

  function keep(span: Span): void {
    if (done.length < maxSpans) done.push(span)
  }

  return { write, spans: () => done }
}

const noUsage: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
}

function modelOf(start: RunEventOf<"run.start"> | null): string {
  return start?.model ?? ""
}

function chatHead(model: string): Pick<Span, "name" | "kind"> {
  return { name: `chat ${model}`, kind: "client" }
}

function modelAttributes(operation: "chat" | "invoke_agent", model: string): Span["attributes"] {
  return {
    "gen_ai.operation.name": operation,
    "gen_ai.provider.name": model.includes("claude") ? "anthropic" : "_OTHER",
    "gen_ai.request.model": model,
  }
}

/** The conventions count what came from the cache, or went there, as input too. */
function usageAttributes(usage: Usage): Span["attributes"] {
  const { cache_read_input_tokens: read, cache_creation_input_tokens: created } = usage
  return {
    "gen_ai.usage.input_tokens": usage.input_tokens + read + created,
    "gen_ai.usage.output_tokens": usage.output_tokens,
    "gen_ai.usage.cache_read.input_tokens": read,
    "gen_ai.usage.cache_creation.input_tokens": created,
  }
}
