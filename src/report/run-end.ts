import type { Report } from "../contract/report.ts"
import { formatDuration } from "../util/duration.ts"
import { type CallGroup, troubledCallsOf } from "./call-groups.ts"
import { toLogLine, toLogLines } from "./escape.ts"
import { formatCost, formatQuantity, formatUsage } from "./format.ts"
import { painter } from "./paint.ts"
import type { ProgressOptions } from "./progress.ts"

/** The last lines on stderr: how the run ended and why, and everything that went wrong on the way, by name. */
export function renderRunEnd(report: Report, options: ProgressOptions): readonly string[] {
  const paint = painter(options.color)
  const troubles = renderTroubles(report)
  if (options.verbosity === "quiet" && report.exit_code === 0 && troubles.length === 0) return []
  return [
    ...renderHeadline(report).map((line) => paint(report.exit_code === 0 ? "green" : "red", line)),
    ...(report.reason?.hint ? [`  hint: ${toLogLine(report.reason.hint, 1000)}`] : []),
    ...troubles.map((line) => `  ${line}`),
    ...(options.verbosity === "quiet" ? [] : [`  ${renderFacts(report)}`, ...renderFiles(report)]),
    ...renderPartialAnswer(report),
  ]
}

const longestList = 20

/** A message of several lines names several things to mend; each keeps its line. */
function renderHeadline({ status, exit_code, reason }: Report): readonly string[] {
  const head = `${status} (exit ${exit_code})`
  if (reason === null) return [head]
  const lines = reason.message.split("\n").map((line) => toLogLine(line, 2000))
  const [first = "", ...others] = lines
  if (others.length === 0) return [`${head}: ${reason.code}: ${first}`]
  return [`${head}: ${reason.code}:`, ...lines.slice(0, longestList).map((line) => `  ${line}`)]
}

function renderTroubles(report: Report): readonly string[] {
  const waiting = report.status === "paused"
  const settled = waiting ? report.calls.filter((call) => call.error_code !== "not_run") : report.calls
  const { denied, failed, unknown } = troubledCallsOf(settled)
  const servers = report.servers.filter(
    ({ state }) => state === "failed" || state === "needs-auth" || state === "pending",
  )
  return [
    ...bounded(
      report.approvals
        .filter(({ state }) => waiting && state === "pending")
        .map(({ id, tool }) => `waits for approval: ${toLogLine(id)} ${toLogLine(tool)}`),
    ),
    ...bounded(denied.flatMap((group) => [`denied: ${nameOf(group)}${decidedBy(group)}`, ...allowedWith(group)])),
    ...bounded(failed.map((group) => `failed: ${nameOf(group)}: ${group.call.error_code}`)),
    ...bounded(unknown.map((group) => `unknown tool: ${nameOf(group)}`)),
    ...bounded(
      servers.map(
        ({ name, state, error }) => `server ${toLogLine(name)}: ${state}: ${toLogLine(error ?? "no reason known")}`,
      ),
    ),
    ...bounded(
      report.expectations
        .filter(({ ok }) => !ok)
        .map(({ name, message }) => `expectation ${toLogLine(name)}: ${toLogLine(message)}`),
    ),
  ]
}

function nameOf({ call, count }: CallGroup): string {
  return count === 1 ? toLogLine(call.tool) : `${toLogLine(call.tool)} (${count} times)`
}

function decidedBy({ call }: CallGroup): string {
  return call.decision === null ? "" : `, by ${toLogLine(call.decision.rule)} (${toLogLine(call.decision.source)})`
}

/** The rules that would allow the first call of a group, each on one line; the summary has them all, to paste. */
function allowedWith({ call }: CallGroup): readonly string[] {
  const rules = call.allow_with?.replaceAll("[[permissions.rules]]\n", "").split("\n\n") ?? []
  return rules.map((rule) => `  a rule would allow it: ${toLogLine(rule.replaceAll("\n", ", "))}`)
}

function bounded(lines: readonly string[]): readonly string[] {
  if (lines.length <= longestList) return lines
  return [...lines.slice(0, longestList), `… and ${lines.length - longestList} more, all in the report`]
}

function renderFacts(report: Report): string {
  return [
    formatQuantity(report.turns, "turn"),
    formatQuantity(report.calls.length, "call"),
    formatUsage(report.usage),
    formatCost(report.cost_usd),
    formatDuration(report.run.duration_ms),
  ].join(", ")
}

function renderFiles(report: Report): readonly string[] {
  if (report.files_changed.length === 0) return []
  const lines = report.files_changed.map(({ path, added, removed }) => `  ${toLogLine(path)} +${added} -${removed}`)
  return [
    `  ${formatQuantity(report.files_changed.length, "file")} changed:`,
    ...bounded(lines).map((line) => `  ${line}`),
  ]
}

/** `--output text` prints an answer only when the exit code is 0, so what there is of one is shown here. */
function renderPartialAnswer(report: Report): readonly string[] {
  if (report.exit_code === 0 || report.answer === null || report.answer.trim() === "") return []
  const lines = toLogLines(report.answer, { lines: 50, chars: 4000 })
  return ["  partial answer:", ...lines.map((line) => `  | ${line}`)]
}
