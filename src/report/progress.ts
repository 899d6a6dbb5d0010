import type { RunEvent, RunEventOf } from "../contract/event.ts"
import { formatDuration } from "../util/duration.ts"
import { toLogLine, toLogLines } from "./escape.ts"
import { formatCost, formatQuantity, formatUsage } from "./format.ts"
import { type Paint, painter } from "./paint.ts"

type Usage = NonNullable<RunEventOf<"message">["usage"]>

/** How much is said on stderr, and whether in colour. */
export interface ProgressOptions {
  readonly verbosity: "quiet" | "normal" | "verbose"
  readonly color: boolean
}

/**
 * Lines for people, event by event. A call is one line, written when its result is there; what decided it is remembered
 * from its call. How the run ended is said by `renderRunEnd`.
 */
export function createProgress(options: ProgressOptions): (event: RunEvent) => readonly string[] {
  const paint = painter(options.color)
  const decisions = new Map<string, RunEventOf<"tool.call">["decision"]>()
  const isQuiet = options.verbosity === "quiet"
  const isVerbose = options.verbosity === "verbose"
  let spent: number | null = 0

  return (event) => {
    const lines = render(event)
    return event.parent_call_id === undefined ? lines : lines.map((line) => `  ${line}`)
  }

  function render(event: RunEvent): readonly string[] {
    switch (event.type) {
      case "run.start":
        return isQuiet ? [] : renderStart(event)
      case "server.connecting":
        return isVerbose ? [`server ${toLogLine(event.server)}: connecting (${event.transport})`] : []
      case "server.connected":
        return isQuiet ? [] : [renderConnected(event, paint)]
      case "server.changed":
        return isQuiet ? [] : [renderChanged(event)]
      case "server.disconnected":
        return renderDisconnected(event, options, paint)
      case "server.error":
        return renderServerError(event, isVerbose, paint)
      case "server.request":
        return isVerbose ? [renderRequest(event, paint)] : []
      case "server.log": {
        const logger = event.logger === null ? "" : ` ${toLogLine(event.logger)}`
        const line = `server ${toLogLine(event.server)}${logger} ${event.level}: ${toLogLine(event.text, 1000)}`
        return isVerbose ? [paint("dim", line)] : []
      }
      case "turn.start":
        return isVerbose ? [paint("dim", `turn ${event.turn}${event.kind === "summary" ? " (summary)" : ""}`)] : []
      case "message":
        if (event.usage !== null) spent = addCosts(spent, event.cost_usd)
        if (isVerbose) return renderMessage(event, paint)
        return isQuiet || event.usage === null ? [] : [paint("dim", renderTurn(event, event.usage, spent))]
      case "tool.call":
        decisions.set(event.call_id, event.decision)
        return isVerbose ? [paint("dim", `asks ${toLogLine(event.tool)} ${toLogLine(jsonOf(event.input))}`)] : []
      case "tool.progress":
        return isVerbose ? [paint("dim", renderCallProgress(event))] : []
      case "tool.result": {
        const decision = decisions.get(event.call_id) ?? null
        decisions.delete(event.call_id)
        return isQuiet ? [] : [renderResult(event, decision, paint)]
      }
      case "hook":
        if (event.call_id !== null && event.decision !== undefined) decisions.set(event.call_id, event.decision)
        return isQuiet ? [] : renderHook(event, isVerbose, paint)
      case "tool.search":
        return isVerbose ? [paint("dim", `found ${event.results} for ${toLogLine(event.query)}`)] : []
      case "tool.dynamicLoad":
        return isQuiet ? [] : [`tool ${toLogLine(event.tool)}: loaded (${event.by})`]
      case "finding": {
        const place = `${toLogLine(event.file)}:${event.line}`
        return isQuiet ? [] : [`finding ${event.level} ${place}: ${toLogLine(event.message)}`]
      }
      case "plan.call":
      case "tool.started":
        return []
      case "approval.request":
        return [
          `${paint("yellow", "approval needed")} ${toLogLine(event.call_id)}: ${toLogLine(event.tool)} ${toLogLine(jsonOf(event.input))} (${toLogLine(event.decision.rule)}, ${toLogLine(event.decision.source)})`,
        ]
      case "approval.answer": {
        const why = event.reason === null ? "" : ` ${toLogLine(event.reason)}`
        return isQuiet ? [] : [`approval ${toLogLine(event.call_id)}: ${toLogLine(event.tool)}: ${event.answer}${why}`]
      }
      case "retry":
        if (isQuiet) return []
        return [
          `${paint("yellow", "retry")} ${event.what}: attempt ${event.attempt} in ${formatDuration(event.delay_ms)}: ${toLogLine(event.error)}`,
        ]
      case "limit":
        return [`${paint("yellow", "limit")} ${event.limit}: ${event.used} of ${event.allowed}`]
      case "warning":
        return [`${paint("yellow", "warning")} ${toLogLine(event.code)}: ${toLogLine(event.message, 1000)}`]
      case "run.end":
        return []
      default:
        return event satisfies never
    }
  }
}

function renderStart({ version, model, workspace, starts = [] }: RunEventOf<"run.start">): readonly string[] {
  return [
    ...(model === "" ? [] : [`agent-run ${version}: ${toLogLine(model)} works on ${toLogLine(workspace)}`]),
    ...(starts.length === 0 ? [] : [`the work tree starts ${toLogLine(starts.join("; "), 1000)}`]),
  ]
}

function renderConnected(event: RunEventOf<"server.connected">, paint: Paint): string {
  const offers = [formatQuantity(event.tools, "tool")]
  if (event.resources > 0) offers.push(formatQuantity(event.resources, "resource"))
  if (event.prompts > 0) offers.push(formatQuantity(event.prompts, "prompt"))
  const name = toLogLine(event.server)
  return `server ${name}: ${paint("green", "connected")}, ${offers.join(", ")}, ${formatDuration(event.connect_ms)}`
}

function renderChanged(event: RunEventOf<"server.changed">): string {
  const differences = [
    ...event.added.map((name) => `+${name}`),
    ...event.removed.map((name) => `-${name}`),
    ...event.changed.map((name) => `~${name}`),
  ]
  const what = differences.length === 0 ? "" : `: ${toLogLine(differences.join(" "), 1000)}`
  return `server ${toLogLine(event.server)}: offers changed${what}`
}

function renderDisconnected(
  event: RunEventOf<"server.disconnected">,
  options: ProgressOptions,
  paint: Paint,
): readonly string[] {
  const line = `server ${toLogLine(event.server)}: `
  const detail = event.detail === null ? "" : `: ${toLogLine(event.detail, 1000)}`
  switch (event.reason) {
    case "lost":
      return [`${line}${paint("red", "lost")}${detail}`]
    case "not_started":
      return options.verbosity === "quiet" ? [] : [`${line}${event.state}${detail}`]
    case "run_end":
      return options.verbosity === "verbose" ? [paint("dim", `${line}closed`)] : []
    default:
      return event.reason satisfies never
  }
}

function renderServerError(event: RunEventOf<"server.error">, isVerbose: boolean, paint: Paint): readonly string[] {
  const lines = [`server ${toLogLine(event.server)}: ${paint("red", event.state)}: ${toLogLine(event.error, 1000)}`]
  if (event.hint !== null) lines.push(`  hint: ${toLogLine(event.hint, 1000)}`)
  if (event.stderr_tail === null || event.stderr_tail.trim() === "") return lines
  const tail = toLogLines(event.stderr_tail, { lines: 200, chars: 8192 }).slice(isVerbose ? -200 : -10)
  return [...lines, ...tail.map((line) => paint("dim", `  stderr | ${line}`))]
}

function renderRequest(event: RunEventOf<"server.request">, paint: Paint): string {
  const facts = [event.outcome, ...(event.detail === null ? [] : [toLogLine(event.detail)])]
  if (event.usage !== null) facts.push(formatUsage(event.usage), formatCost(event.cost_usd))
  return paint("dim", `server ${toLogLine(event.server)} asks ${toLogLine(event.method)}: ${facts.join(", ")}`)
}

function renderCallProgress(event: RunEventOf<"tool.progress">): string {
  const total = event.total === null ? "" : ` of ${event.total}`
  const message = event.message === null ? "" : `, ${toLogLine(event.message)}`
  return `call ${toLogLine(event.tool)}: progress ${event.progress}${total}${message}`
}

/** The head of a turn; the lines of its calls follow. */
function renderTurn(event: RunEventOf<"message">, usage: Usage, spent: number | null): string {
  return `turn ${event.turn}: ${formatUsage(usage)}, ${formatCost(spent)} so far`
}

/** A sum of which one part is unknown is unknown. */
function addCosts(spent: number | null, cost: number | null): number | null {
  return spent === null || cost === null ? null : spent + cost
}

function renderMessage(event: RunEventOf<"message">, paint: Paint): readonly string[] {
  if (event.role === "user") return []
  const said = event.content.flatMap((block) =>
    block.type === "text" ? toLogLines(block.text, { lines: 40, chars: 4000 }) : [],
  )
  const facts = [toLogLine(event.stop_reason ?? "no stop reason")]
  if (event.usage !== null) facts.push(formatUsage(event.usage), formatCost(event.cost_usd))
  return [...said.map((line) => `  | ${line}`), paint("dim", `turn ${event.turn}: ${facts.join(", ")}`)]
}

function renderResult(
  event: RunEventOf<"tool.result">,
  decision: RunEventOf<"tool.call">["decision"],
  paint: Paint,
): string {
  const line = `call ${toLogLine(event.tool)}: `
  const took = formatDuration(event.duration_ms)
  const allowed = decision === null ? "" : `${decision.action}, `
  switch (event.state) {
    case "output":
      return `${line}${allowed}${paint("green", "ok")}, ${took}`
    case "queued":
      return `${line}${paint("yellow", "queued")}: ${firstTextOf(event)}`
    case "denied": {
      const because = decision === null ? "" : ` by ${toLogLine(decision.rule)} (${toLogLine(decision.source)})`
      return `${line}${paint("red", "denied")}${because}`
    }
    case "not_run":
      return `${line}${allowed}${paint("yellow", "not run")}: ${firstTextOf(event)}`
    case "error":
      return `${line}${allowed}${paint("red", "failed")} (${event.error_code}), ${took}: ${firstTextOf(event)}`
    default:
      return event.state satisfies never
  }
}

function renderHook(event: RunEventOf<"hook">, isVerbose: boolean, paint: Paint): readonly string[] {
  const line = `hook ${event.event} ${toLogLine(event.hook)}`
  const about = event.tool === null ? line : `${line} on ${toLogLine(event.tool)}`
  const took = formatDuration(event.duration_ms)
  switch (event.outcome) {
    case "blocked":
      return [`${about}: ${paint("red", "blocked")}: ${toLogLine(event.reason ?? "", 1000)}`]
    case "changed":
      return [`${about}: ${paint("yellow", "changed the input")}, ${took}`]
    case "passed":
      return isVerbose ? [paint("dim", `${about}: passed, ${took}`)] : []
    default:
      return event.outcome satisfies never
  }
}

function firstTextOf(event: RunEventOf<"tool.result">): string {
  for (const block of event.content) {
    if (block.type === "text") return toLogLine(block.text, 200)
  }
  return "no text"
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value) ?? "nothing"
}
