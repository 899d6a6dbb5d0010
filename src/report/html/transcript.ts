import type { RunEventOf } from "../../contract/event.ts"
import { formatDuration } from "../../util/duration.ts"
import { formatCost, formatUsage } from "../format.ts"
import { type Html, html, toBlock, toLine } from "./markup.ts"
import { hookText } from "./note.ts"
import {
  allowWithOf,
  decisionOf,
  previewOf,
  type Story,
  type StoryCall,
  type StoryItem,
  type StoryPart,
  stateOf,
} from "./story.ts"

/** Everything that was said and done, turn by turn, with controls to search and filter it. */
export function renderTranscript(story: Story, leftOut: number): Html {
  const rest =
    leftOut === 0
      ? null
      : html`<p class="cut">${leftOut} more events are not on this page; the transcript has them.</p>`
  return html`<section aria-labelledby="transcript-title" id="transcript">
<h2 id="transcript-title">Transcript</h2>
${renderControls(story)}
${story.parts.filter(({ items }) => items.length > 0).map(renderPart)}
<p id="nothing" hidden>Nothing matches.</p>
${rest}
</section>`
}

function renderControls({ calls }: Story): Html {
  const tools = [...new Set(calls.map(({ call }) => call.tool))].sort()
  return html`<form id="controls" role="search" aria-label="Filter the transcript" hidden>
<span><label for="search">Search</label> <input type="search" id="search" autocomplete="off" spellcheck="false" aria-keyshortcuts="/" placeholder="press / to search"></span>
<span><label for="state">Show</label> <select id="state"><option value="">everything</option><option value="failed denied unanswered">failed and denied calls</option><option value="denied">denied calls</option></select></span>
<span><label for="tool">Tool</label> <select id="tool"><option value="">every tool</option>${tools.map((tool) => html`<option value="${tool}">${toLine(tool, 60)}</option>`)}</select></span>
<button type="button" id="open-all">Open all</button>
<button type="button" id="close-all">Close all</button>
<output id="matches" for="search state tool" aria-live="polite"></output>
</form>`
}

function renderPart(part: StoryPart): Html {
  const facts = [
    ...(part.answeredMs === null ? [] : [`answered in ${formatDuration(part.answeredMs - part.startMs)}`]),
    ...(part.usage === null ? [] : [formatUsage(part.usage), formatCost(part.costUsd)]),
  ]
  return html`<section class="part" id="${part.anchor}" aria-labelledby="${part.anchor}-title">
<h3 id="${part.anchor}-title">${part.title}</h3><p class="facts">${facts.join(" · ")}</p>
${part.items.map(renderItem)}
</section>
`
}

function renderItem(item: StoryItem): Html {
  switch (item.kind) {
    case "call":
      return renderCall(item)
    case "message":
      return renderMessage(item.message)
    case "note":
      return html`<div class="item note ${item.tone}"><b>${item.label}</b> <span>${item.text.slice(0, 2000)}</span></div>
`
    default:
      return item satisfies never
  }
}

function renderMessage({ role, content }: RunEventOf<"message">): Html {
  const blocks = content.flatMap((block) => {
    if (block.type === "text")
      return block.text.trim() === "" ? [] : [html`<div class="said">${block.text.slice(0, 60_000)}</div>`]
    if (block.type === "tool_use") return []
    return [
      html`<details><summary>${String(block.raw.type ?? "a part")} of the model</summary>${toBlock(toText(block.raw))}</details>`,
    ]
  })
  if (blocks.length === 0) return html``
  return html`<div class="item message ${role}"><h4>${role === "user" ? "Task" : "Model"}</h4>${blocks}</div>
`
}

function renderCall(call: StoryCall): Html {
  const { tool, server, input, wraps } = call.call
  const rules = allowWithOf(call)
  const { anchor, result, hooks } = call
  const state = stateOf(call)
  const decision = decisionOf(call)
  const wrapped = wraps === undefined ? null : html`<h5>Calls ${wraps.tool}</h5>${renderInput(wraps.input)}`
  return html`<details class="item call ${state}" id="${anchor}" data-tool="${tool}" data-state="${state}">
<summary><span class="tool">${toLine(tool, 80)}</span> <span class="preview">${previewOf(call)}</span> <span class="chip ${state}">${state === "failed" ? (result?.error_code ?? state) : state}</span> <span class="time">${result === null ? "" : formatDuration(result.duration_ms)}</span></summary>
<div class="body">
<dl><dt>Decision</dt><dd>${decision === null ? "none: the tool is unknown" : html`<span class="chip ${decision.action}">${decision.action}</span> by <code>${decision.rule}</code> in <code>${decision.source}</code>`}</dd>
${rules === null ? null : html`<dt>Allowed with</dt><dd>${toBlock(rules)}</dd>`}
${server === null ? null : html`<dt>Server</dt><dd>${server}</dd>`}
${hooks.map((hook) => html`<dt>Hook</dt><dd>${hookText(hook)}</dd>`)}
${result?.error_code ? html`<dt>Error</dt><dd>${result.error_code}</dd>` : null}</dl>
<h5>Input</h5>${renderInput(input)}${wrapped}
<h5>Output</h5>${renderOutput(result)}
</div></details>
`
}

function renderInput(input: unknown): Html {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return toBlock(toText(input))
  const fields = Object.entries(input)
  if (fields.length === 0) return html`<p class="facts">none</p>`
  return html`<dl class="input">${fields.map(([name, value]) => html`<dt>${name}</dt><dd>${toBlock(typeof value === "string" ? value : toText(value))}</dd>`)}</dl>`
}

function renderOutput(result: RunEventOf<"tool.result"> | null): Html {
  if (result === null) return html`<p class="facts">There is none: the run ended before.</p>`
  const blocks = result.content.map((block) => {
    if (block.type === "text") return toBlock(block.text)
    if (block.type === "image")
      return html`<p class="facts">An image (${block.media_type}, ${block.bytes} bytes) that is not kept.</p>`
    return html`<p class="facts">The definition of ${block.tool}.</p>`
  })
  const structured =
    result.structured === undefined ? null : html`<h5>Structured</h5>${toBlock(toText(result.structured))}`
  return html`${blocks.length === 0 ? html`<p class="facts">nothing</p>` : blocks}${structured}`
}

function toText(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? ""
}
