import type { Report } from "../../contract/report.ts"
import { formatDuration } from "../../util/duration.ts"
import { toLink } from "../escape.ts"
import { formatCost, formatCount, formatUsage } from "../format.ts"
import { rulesToAllow } from "../rules-to-allow.ts"
import { type Html, html, toBlock, toLine } from "./markup.ts"
import { decisionOf, type Story, stateOf } from "./story.ts"

/** How it ended, why and what it cost: what a person wants to know first. */
export function renderHead(report: Report, story: Story): Html {
  const { status, exit_code, reason, run, calls, denied } = report
  const failed = calls.filter(({ ok, error_code }) => !ok && error_code !== "not_run").length - denied
  const tiles = [
    ["Cost", formatCost(report.cost_usd), formatUsage(report.usage)],
    ["Duration", formatDuration(run.duration_ms), `began ${run.started_at.replace("T", " ").slice(0, 19)} UTC`],
    ["Turns", formatCount(report.turns), `${run.model}`],
    ["Calls", formatCount(calls.length), `${formatCount(failed)} failed, ${formatCount(denied)} denied`],
  ] as const
  return html`<header class="${status}">
<h1><span class="status">${status}</span> agent-run <small>exit code ${exit_code}</small></h1>
${reason === null ? null : html`<p class="why"><b>${reason.code}</b>: ${reason.message}</p>${reason.hint === null ? null : html`<p class="hint">What to do: ${reason.hint}</p>`}`}
<dl class="tiles">${tiles.map(([name, value, more]) => html`<div><dt>${name}</dt><dd><b>${value}</b><span>${more}</span></dd></div>`)}</dl>
${story.task === "" ? null : html`<h2>Task</h2><div class="said">${story.task.slice(0, 4000)}</div>`}
${report.answer === null || report.answer === "" ? null : html`<h2>${exit_code === 0 ? "Answer" : "Partial answer"}</h2><div class="said">${report.answer.slice(0, 60_000)}</div>`}
</header>`
}

/** What stands beside the transcript: decisions by rule, servers, expectations, changed files, and the run itself. */
export function renderFacts(report: Report, story: Story): Html {
  const { run } = report
  return html`<section aria-labelledby="decisions-title" class="card"><h2 id="decisions-title">Permission decisions</h2>
${renderTable("No call was made.", ["decision", "rule", "where", "calls", "tools"], decisionRows(story))}
${renderRules(rulesToAllow(report.calls))}</section>
${renderSection(
  "Servers",
  ["server", "state", "transport", "tools", "connected in", "error"],
  report.servers.map((server) => [
    server.name,
    html`<span class="chip ${server.state}">${server.state}</span>`,
    server.transport,
    formatCount(server.tools),
    server.connect_ms === null ? "" : formatDuration(server.connect_ms),
    server.error ?? "",
  ]),
)}
${renderSection(
  "Plan",
  ["call", "tool", "input", "why"],
  report.plan.map(({ id, tool, input, reason }) => [
    id,
    tool,
    html`<code>${toLine(toJson(input))}</code>`,
    reason ?? "",
  ]),
)}
${renderSection(
  "Approvals",
  ["state", "tool", "input", "rule", "answer"],
  report.approvals.map(({ state, tool, input, decision, answer, reason }) => [
    html`<span class="chip ${state}">${state}</span>`,
    tool,
    html`<code>${toLine(toJson(input))}</code>`,
    html`<code>${decision.rule}</code> in <code>${decision.source}</code>`,
    [answer, reason].filter(Boolean).join(" "),
  ]),
)}
${renderSection(
  "Findings",
  ["level", "place", "rule", "message"],
  report.findings.map(({ file, line, level, rule, message }) => [
    html`<span class="chip ${level}">${level}</span>`,
    html`<code>${`${file}:${line}`}</code>`,
    rule,
    message,
  ]),
)}
${renderSection(
  "Expectations",
  ["expectation", "holds", "why"],
  report.expectations.map(({ name, ok, message }) => [
    name,
    html`<span class="chip ${ok ? "ok" : "failed"}">${ok ? "yes" : "no"}</span>`,
    message,
  ]),
)}
${renderSection(
  "Files changed",
  ["file", "added", "removed"],
  report.files_changed.map(({ path, added, removed }) => [html`<code>${path}</code>`, `+${added}`, `−${removed}`]),
)}
${renderSection(
  "Warnings",
  ["warning", "message"],
  report.warnings.map(({ code, message }) => [code, message]),
)}
<section aria-labelledby="run-title" class="card"><h2 id="run-title">The run</h2><dl class="run">
<dt>Id</dt><dd>${run.id}</dd>${renderCi(run.ci)}<dt>Version</dt><dd>${run.version}</dd><dt>Workspace</dt><dd>${run.workspace}</dd>
<dt>Configuration</dt><dd>${run.config_sources.join(", ") || "none"}</dd><dt>Tools</dt><dd>${formatCount(report.tools.offered)} offered, ${formatCount(report.tools.deferred)} deferred, ${formatCount(report.tools.loaded)} loaded</dd>
<dt>Retries</dt><dd>${formatCount(report.retries)}</dd><dt>Redactions</dt><dd>${formatCount(report.redactions)}</dd></dl>
${report.structured === null || report.structured === undefined ? null : html`<details><summary>Structured answer</summary>${toBlock(toJson(report.structured))}</details>`}
</section>`
}

function renderRules(rules: readonly string[]): Html {
  if (rules.length === 0) return html``
  return html`<details><summary>Rules that would allow the denied calls, if they should be (${formatCount(rules.length)})</summary>${toBlock(rules.join("\n\n"))}</details>`
}

function renderCi(ci: Report["run"]["ci"]): Html {
  if (ci === undefined) return html``
  const link = ci.url === null ? null : toLink(ci.url)
  return html`<dt>Job</dt><dd>${link === null ? ci.name : html`<a href="${link}" rel="noreferrer">${ci.name}</a>`}</dd>`
}

const strictestFirst = { deny: 0, ask: 1, allow: 2 } as const

function decisionRows(story: Story): readonly (readonly (Html | string)[])[] {
  const groups = new Map<
    string,
    { readonly calls: Story["calls"][number][]; readonly decision: NonNullable<ReturnType<typeof decisionOf>> }
  >()
  for (const call of story.calls) {
    const decision = decisionOf(call)
    if (decision === null) continue
    const key = JSON.stringify([decision.action, decision.rule, decision.source])
    const group = groups.get(key) ?? { calls: [], decision }
    group.calls.push(call)
    groups.set(key, group)
  }
  return [...groups.values()]
    .sort((a, b) => strictestFirst[a.decision.action] - strictestFirst[b.decision.action])
    .map(({ calls, decision: { action, rule, source } }) => [
      html`<span class="chip ${action}">${action}</span>`,
      html`<code>${rule}</code>`,
      html`<code>${source}</code>`,
      html`<a href="#${calls[0]?.anchor ?? ""}">${formatCount(calls.length)}</a>${deniedOf(calls)}`,
      [...new Set(calls.map(({ call }) => call.tool))].slice(0, 12).join(", "),
    ])
}

function deniedOf(calls: Story["calls"]): string {
  const denied = calls.filter((call) => stateOf(call) === "denied").length
  return denied === 0 || denied === calls.length ? "" : `, ${denied} denied`
}

type Row = readonly (Html | string)[]

function renderSection(title: string, head: readonly string[], rows: readonly Row[]): Html {
  if (rows.length === 0) return html``
  const id = `${title.toLowerCase().replaceAll(" ", "-")}-title`
  return html`<section aria-labelledby="${id}" class="card"><h2 id="${id}">${title}</h2>${renderTable("", head, rows)}</section>`
}

const maxRows = 500

function renderTable(none: string, head: readonly string[], rows: readonly Row[]): Html {
  if (rows.length === 0) return html`<p class="facts">${none}</p>`
  const rest = rows.length <= maxRows ? null : html`<p class="cut">${rows.length - maxRows} more are in the report.</p>`
  return html`<div class="scroll"><table><thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead><tbody>${rows.slice(0, maxRows).map((row) => html`<tr>${row.map((cell) => html`<td>${typeof cell === "string" ? cell.slice(0, 1000) : cell}</td>`)}</tr>`)}</tbody></table></div>${rest}`
}

function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? ""
}
