import type { Report } from "../contract/report.ts"
import { formatDuration } from "../util/duration.ts"
import { toCodeSpan, toFence, toLink } from "./escape.ts"
import { formatCost, formatCount, formatQuantity, formatUsage } from "./format.ts"
import { renderApprovals } from "./markdown-approvals.ts"
import { renderDenied } from "./markdown-denied.ts"
import { renderPlan } from "./markdown-plan.ts"
import { renderList, renderTable } from "./markdown-table.ts"

/**
 * A summary for a step summary or a comment, understood in ten seconds: how it ended and why, what it cost, the answer,
 * then what happened. All that others wrote stands in code spans and fences, and every part has a bound.
 */
export function renderSummary(report: Report): string {
  const sections = [
    renderHeadline(report),
    renderFacts(report),
    renderAnswer(report),
    renderFindings(report),
    renderPlan(report),
    renderApprovals(report),
    renderServers(report),
    renderDenied(report),
    renderCalls(report),
    renderExpectations(report),
    renderFiles(report),
    renderWarnings(report),
  ]
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`
}

const maxAnswerChars = 60_000

const marks = { completed: "✅", paused: "⏸️", stopped: "🛑", failed: "❌" } as const

/** How it ended, why, and what to do. */
export function renderHeadline(report: Pick<Report, "status" | "exit_code" | "reason">): string {
  const headline = `### ${marks[report.status]} agent-run ${report.status} (exit ${report.exit_code})`
  if (report.reason === null) return headline
  const why = `**${report.reason.code}**: ${toCodeSpan(report.reason.message, 2000)}`
  if (report.reason.hint === null) return `${headline}\n\n${why}`
  return `${headline}\n\n${why}\n\nWhat to do: ${toCodeSpan(report.reason.hint, 2000)}`
}

function renderFacts(report: Report): string {
  return [
    toCodeSpan(report.run.model),
    formatQuantity(report.turns, "turn"),
    formatUsage(report.usage),
    formatCost(report.cost_usd),
    formatDuration(report.run.duration_ms),
    ...renderJob(report.run.ci),
  ].join(" · ")
}

/** The link that leads from a comment or an artifact back to the log. */
function renderJob(ci: Report["run"]["ci"]): readonly string[] {
  if (ci === undefined) return []
  const link = ci.url === null ? null : toLink(ci.url)
  return [link === null ? toCodeSpan(ci.name) : `[${toCodeSpan(ci.name)}](${link})`]
}

function renderAnswer(report: Report): string {
  if (report.answer === null || report.answer.trim() === "") return ""
  return `#### ${report.exit_code === 0 ? "Answer" : "Partial answer"}\n\n${toFence(report.answer, maxAnswerChars)}`
}

function renderFindings(report: Report): string {
  const lines = report.findings.map(
    ({ file, line, level, rule, message }) =>
      `- **${level}** ${toCodeSpan(`${file}:${line}`)} ${toCodeSpan(rule)}: ${toCodeSpan(message, 500)}`,
  )
  return renderList(`Findings (${formatCount(report.findings.length)})`, lines)
}

const troubleFirst = { failed: 0, "needs-auth": 1, pending: 2, connected: 3, disabled: 4 } as const

function renderServers(report: Report): string {
  const servers = [...report.servers].sort((a, b) => troubleFirst[a.state] - troubleFirst[b.state])
  const rows = servers.map((server) => [
    toCodeSpan(server.name),
    server.state,
    formatCount(server.tools),
    server.connect_ms === null ? "" : formatDuration(server.connect_ms),
    server.error === null ? "" : toCodeSpan(server.error, 500),
  ])
  return renderTable("Servers", ["server", "state", "tools", "connected in", "error"], rows)
}

function renderCalls(report: Report): string {
  const rows = report.calls.map((call) => [
    toCodeSpan(call.tool),
    call.decision?.action ?? "none",
    call.ok ? "ok" : `**${call.error_code ?? "failed"}**`,
    formatCount(call.duration_ms),
  ])
  return renderTable(`Calls (${formatCount(report.calls.length)})`, ["tool", "decision", "result", "ms"], rows)
}

function renderExpectations(report: Report): string {
  const failed = report.expectations.filter(({ ok }) => !ok)
  return renderList(
    "Expectations that do not hold",
    failed.map(({ name, message }) => `- ${toCodeSpan(name)}: ${toCodeSpan(message, 500)}`),
  )
}

function renderFiles(report: Report): string {
  const lines = report.files_changed.map(({ path, added, removed }) => `- ${toCodeSpan(path)} +${added} −${removed}`)
  return renderList(`Files changed (${formatCount(report.files_changed.length)})`, lines)
}

function renderWarnings(report: Report): string {
  return renderList(
    "Warnings",
    report.warnings.map(({ code, message }) => `- ${toCodeSpan(code)}: ${toCodeSpan(message, 500)}`),
  )
}
