import type { RunEvent, RunEventOf } from "../contract/event.ts"
import type { Report } from "../contract/report.ts"
import { createApprovalFold } from "./fold-approvals.ts"
import { createPlanFold } from "./fold-plan.ts"

/** A report that grows with every event; `report` may be asked for at any time. */
export interface ReportFold {
  write(event: RunEvent): void
  report(): Report
}

/** The report of a whole transcript. */
export function foldReport(events: Iterable<RunEvent>): Report {
  const fold = createReportFold()
  for (const event of events) fold.write(event)
  return fold.report()
}

/**
 * Gather a report from events and from nothing else. Each event is looked at once. Without `run.end` (a killed run, or one
 * that still goes on) the report says `failed` with `internal_error`, because nobody vouched for any other end.
 */
export function createReportFold(): ReportFold {
  const servers = new Map<string, Report["servers"][number]>()
  const calls = new Map<string, Report["calls"][number]>()
  const loaded = new Set<string>()
  const warnings: Report["warnings"] = []
  const filesChanged = new Map<string, Report["files_changed"][number]>()
  const findings: Report["findings"] = []
  const usage = { input_tokens: 0, output_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }
  const plan = createPlanFold()
  const approvals = createApprovalFold()
  let firstStart: RunEventOf<"run.start"> | null = null
  let start: RunEventOf<"run.start"> | null = null
  let end: RunEventOf<"run.end"> | null = null
  let firstAt: string | null = null
  let lastAt: string | null = null
  let turns = 0
  let denied = 0
  let retries = 0
  let durationMs = 0
  let redactions = 0
  let costUsd: number | null = 0

  function write(event: RunEvent): void {
    firstAt ??= event.at
    lastAt = event.at
    switch (event.type) {
      case "run.start":
        firstStart ??= event
        start = event
        end = null
        return
      case "server.connecting":
      case "server.connected":
      case "server.changed":
      case "server.disconnected":
      case "server.error":
        servers.set(event.server, foldServer(servers.get(event.server), event))
        return
      case "turn.start":
        if (event.kind === "work") turns += 1
        return
      case "message":
        addUsage(event)
        plan.hear(event)
        return
      case "server.request":
        addUsage(event)
        return
      case "tool.call":
        calls.set(event.call_id, unansweredCall(event))
        return
      case "tool.result":
        addResult(event)
        return
      case "hook":
        addHook(event)
        return
      case "tool.dynamicLoad":
        loaded.add(event.tool)
        return
      case "plan.call":
        plan.add(event)
        return
      case "retry":
        retries += 1
        return
      case "warning":
        warnings.push({ code: event.code, message: event.message })
        return
      case "finding": {
        const { file, line, level, rule, message } = event
        findings.push({ file, line, level, rule, message })
        return
      }
      case "run.end":
        addEnd(event)
        return
      case "approval.request":
        approvals.request(event)
        return
      case "approval.answer":
        approvals.answer(event)
        return
      case "limit":
      case "server.log":
      case "tool.progress":
      case "tool.search":
      case "tool.started":
        return
      default:
        // Transcripts of later versions may hold events that this one does not know.
        event satisfies never
    }
  }

  function addUsage(event: RunEventOf<"message" | "server.request">): void {
    if (event.usage === null) return
    usage.input_tokens += event.usage.input_tokens
    usage.output_tokens += event.usage.output_tokens
    usage.cache_read_input_tokens += event.usage.cache_read_input_tokens
    usage.cache_creation_input_tokens += event.usage.cache_creation_input_tokens
    costUsd = costUsd === null || event.cost_usd === null ? null : costUsd + event.cost_usd
  }

  function addResult(event: RunEventOf<"tool.result">): void {
    const call = calls.get(event.call_id)
    if (call === undefined) return
    if (event.error_code === "denied") denied += 1
    const { ok, duration_ms, error_code } = event
    calls.set(event.call_id, { ...call, ok, duration_ms, error_code })
  }

  function addHook({ call_id, decision }: RunEventOf<"hook">): void {
    const call = call_id === null ? undefined : calls.get(call_id)
    if (call === undefined || decision === undefined) return
    // The rules were for the call as it was before the hook.
    const { allow_with: _rules, ...changed } = call
    calls.set(call.id, { ...changed, decision })
  }

  /** A run that was resumed has several ends: the last says how it ended, all of them what it took and did. */
  function addEnd(event: RunEventOf<"run.end">): void {
    end = event
    durationMs += event.duration_ms
    redactions += event.redactions
    for (const change of event.files_changed) filesChanged.set(change.path, change)
    if (event.status !== "paused") return
    for (const [id, call] of calls) if (call.error_code === "aborted") calls.set(id, { ...call, error_code: "not_run" })
  }

  function report(): Report {
    const startedAt = firstStart?.at ?? firstAt ?? new Date(0).toISOString()
    return {
      schema_version: 1,
      status: end?.status ?? "failed",
      exit_code: end?.exit_code ?? 1,
      reason: end === null ? withoutEnd : end.reason,
      answer: end?.answer ?? null,
      structured: end?.structured ?? null,
      run: {
        id: start?.run_id ?? "",
        started_at: startedAt,
        duration_ms: end === null ? Math.max(0, Date.parse(lastAt ?? startedAt) - Date.parse(startedAt)) : durationMs,
        version: start?.version ?? "",
        model: start?.model ?? "",
        workspace: start?.workspace ?? "",
        config_sources: start?.config_sources ?? [],
        sandbox: start?.sandbox ?? "",
        ...(start?.ci && { ci: start.ci }),
      },
      turns,
      usage: { ...usage },
      cost_usd: costUsd === null ? null : Number(costUsd.toFixed(9)),
      servers: [...servers.values()],
      tools: { offered: end?.tools_offered ?? 0, deferred: end?.tools_deferred ?? 0, loaded: loaded.size },
      calls: [...calls.values()],
      denied,
      files_changed: [...filesChanged.values()],
      findings: [...findings],
      plan: plan.calls(),
      approvals: approvals.all(),
      expectations: end?.expectations ?? [],
      retries,
      redactions,
      warnings: [...warnings],
    }
  }

  return { write, report }
}

const withoutEnd: Report["reason"] = {
  code: "internal_error",
  message: "the transcript has no run.end: the run was killed, or is not over",
  hint: "Look at the last events of the transcript, and at the log of the machine for what killed the run.",
}

/** The events that say how a server is; what it asks and logs changes nothing about that. */
type ServerEvent = Exclude<Extract<RunEvent, { type: `server.${string}` }>, RunEventOf<"server.request" | "server.log">>

/** A server that is closed because the run ends was fine to the end, so that event changes nothing. */
function foldServer(before: Report["servers"][number] | undefined, event: ServerEvent): Report["servers"][number] {
  const unseen = { tools: 0, resources: 0, prompts: 0, connect_ms: null, error: null }
  const server = { ...unseen, ...before, name: event.server, transport: event.transport, state: event.state }
  switch (event.type) {
    case "server.connecting":
      return { ...server, error: null }
    case "server.connected": {
      const { tools, resources, prompts, connect_ms } = event
      return { ...server, tools, resources, prompts, connect_ms, error: null }
    }
    case "server.changed": {
      const { tools, resources, prompts } = event
      return { ...server, tools, resources, prompts }
    }
    case "server.disconnected":
      if (event.reason === "run_end") return before ?? server
      return { ...server, error: event.detail }
    case "server.error":
      return { ...server, error: event.error }
    default:
      return event satisfies never
  }
}

/** Until its result arrives a call counts as aborted, which is what it is if none ever does. */
function unansweredCall(event: RunEventOf<"tool.call">): Report["calls"][number] {
  const { call_id, turn, tool, server, decision, allow_with } = event
  const unanswered = { ok: false, duration_ms: 0, error_code: "aborted" } as const
  return { id: call_id, turn, tool, server, decision, ...unanswered, ...(allow_with !== undefined && { allow_with }) }
}
