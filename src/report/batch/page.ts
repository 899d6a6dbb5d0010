import type { BatchReport, BatchTask } from "../../contract/batch.ts"
import { formatDuration } from "../../util/duration.ts"
import { formatCost, formatCount, formatUsage } from "../format.ts"
import { renderDocument } from "../html/document.ts"
import { type Html, html } from "../html/markup.ts"
import { describeCounts, describePart, troubleFirst } from "./counts.ts"

const maxRows = 5000

/** One page about a batch that needs nothing else, with a link to the page of each task beside it. */
export function renderBatchPage(report: BatchReport): string {
  const { status, exit_code, reason, batch } = report
  const workMs = report.tasks.reduce((sum, task) => sum + task.duration_ms, 0)
  const tiles = [
    ["Tasks", formatCount(report.tasks.length), describeCounts(report)],
    ["Cost", formatCost(report.cost_usd), formatUsage(report.usage)],
    ["Duration", formatDuration(batch.duration_ms), `${formatDuration(workMs)} of work`],
    ["Began", batch.started_at.slice(11, 19), `${batch.started_at.slice(0, 10)} UTC`],
  ] as const
  const body = html`<header class="${status}">
<h1><span class="status">${status}</span> agent-run batch <small>exit code ${exit_code}</small></h1>
${reason === null ? null : html`<p class="why"><b>${reason.code}</b>: ${reason.message}</p>${reason.hint === null ? null : html`<p class="hint">What to do: ${reason.hint}</p>`}`}
<dl class="tiles">${tiles.map(([name, value, more]) => html`<div><dt>${name}</dt><dd><b>${value}</b><span>${more}</span></dd></div>`)}</dl>
<p class="facts">${describePart(report)}</p>
</header>
<main>
${renderList(
  "Missing or twice",
  report.problems.map(({ message }) => message),
)}
${renderTasks(report.tasks)}
${renderList(
  "Not run",
  report.not_run.map(({ id }) => id),
)}
</main>`
  return renderDocument({ title: `${status}: agent-run batch`, body })
}

function renderTasks(tasks: readonly BatchTask[]): Html {
  const head = ["task", "status", "exit code", "turns", "cost", "duration", "reason"]
  const rows = troubleFirst(tasks)
    .slice(0, maxRows)
    .map((task) => [
      html`<a href="./${encodeURI(task.report.replace(/report\.json$/, "report.html"))}">${task.id}</a>`,
      html`<span class="chip ${task.status}">${task.status}</span>`,
      task.exit_code,
      task.turns,
      formatCost(task.cost_usd),
      formatDuration(task.duration_ms),
      task.reason === null ? "" : `${task.reason.code}: ${task.reason.message.slice(0, 500)}`,
    ])
  const rest = tasks.length - rows.length
  return html`<section aria-labelledby="tasks-title" class="card"><h2 id="tasks-title">Tasks</h2><div class="scroll"><table><thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead><tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>${rest === 0 ? null : html`<p class="cut">${formatCount(rest)} more are in the report.</p>`}</section>`
}

function renderList(title: string, lines: readonly string[]): Html {
  if (lines.length === 0) return html``
  const id = `${title.toLowerCase().replaceAll(" ", "-")}-title`
  const rest = lines.length - maxRows
  return html`<section aria-labelledby="${id}" class="card"><h2 id="${id}">${title}</h2><ul>${lines.slice(0, maxRows).map((line) => html`<li>${line}</li>`)}</ul>${rest <= 0 ? null : html`<p class="cut">${formatCount(rest)} more are in the report.</p>`}</section>`
}
