import { formatDuration } from "../../util/duration.ts"
import { type Html, html, toLine } from "./markup.ts"
import { previewOf, type Story, type StoryCall, type StoryPart, stateOf } from "./story.ts"

/** When everything happened: a row for each request to the model and each call, on one axis. */
export function renderTimeline(story: Story): Html {
  const spanMs = Math.max(1, story.endMs - story.startMs)
  const place = (fromMs: number, toMs: number) => ({
    x: share(fromMs - story.startMs, spanMs),
    width: Math.max(2, share(toMs - fromMs, spanMs)),
  })
  return html`<section aria-labelledby="timeline-title" class="card">
<h2 id="timeline-title">Timeline</h2>
<div class="axis" aria-hidden="true">${[0, 0.25, 0.5, 0.75, 1].map((part) => html`<span>${formatDuration(spanMs * part)}</span>`)}</div>
<div class="rows" role="region" aria-labelledby="timeline-title" tabindex="0">
${story.parts.map((part) => renderPart(part, place))}
</div>
</section>`
}

type Place = (fromMs: number, toMs: number) => { readonly x: number; readonly width: number }

function renderPart(part: StoryPart, place: Place): Html {
  const calls = part.items.filter((item) => item.kind === "call")
  if (part.answeredMs === null && calls.length === 0) return html``
  const modelMs = (part.answeredMs ?? part.startMs) - part.startMs
  return html`<div class="group">
<a class="row model" href="#${part.anchor}"><span class="name">${part.title}</span>${renderBar("model", place(part.startMs, part.startMs + modelMs))}<span class="time">${formatDuration(modelMs)}</span></a>
${calls.map((call) => renderCall(call, place))}
</div>`
}

function renderCall(call: StoryCall, place: Place): Html {
  const state = stateOf(call)
  const { startMs, endMs } = spanOf(call)
  const told = state === "ok" ? "" : ` (${state})`
  return html`<a class="row" href="#${call.anchor}" data-for="${call.anchor}"><span class="name">${toLine(call.call.tool, 60)} <i>${previewOf(call)}</i><span class="unseen">${told}</span></span>${renderBar(state, place(startMs, endMs))}<span class="time">${formatDuration(endMs - startMs)}</span></a>
`
}

function renderBar(state: string, { x, width }: { readonly x: number; readonly width: number }): Html {
  const left = Math.min(x, 1000 - width)
  return html`<svg class="bar" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true"><rect class="${state}" x="${left.toFixed(1)}" y="0" width="${width.toFixed(1)}" height="10"/></svg>`
}

/** Calls of a turn are decided together and may wait for each other, so the result says when a call really began. */
function spanOf({ call, result }: StoryCall): { readonly startMs: number; readonly endMs: number } {
  const askedMs = Date.parse(call.at)
  if (result === null) return { startMs: askedMs, endMs: askedMs }
  const endMs = Math.max(askedMs, Date.parse(result.at))
  return { startMs: Math.max(askedMs, endMs - result.duration_ms), endMs }
}

function share(partMs: number, spanMs: number): number {
  return Math.min(1000, Math.max(0, (partMs / spanMs) * 1000))
}
