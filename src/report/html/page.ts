import type { Report } from "../../contract/report.ts"
import { renderDocument } from "./document.ts"
import type { KeptEvents } from "./kept-events.ts"
import { html } from "./markup.ts"
import { renderFacts, renderHead } from "./overview.ts"
import { pageScript } from "./script.ts"
import { tellStory } from "./story.ts"
import { renderTimeline } from "./timeline.ts"
import { renderTranscript } from "./transcript.ts"
import { renderUsage } from "./usage-plot.ts"

/** One page about a run. All that others wrote is text. Without script it is complete, but for search and filter. */
export function renderPage(report: Report, { events, leftOut }: KeptEvents): string {
  const story = tellStory(events)
  const body = html`<a class="skip" href="#transcript">To the transcript</a>
${renderHead(report, story)}
<nav aria-label="Sections"><a href="#timeline-title">Timeline</a><a href="#usage-title">Tokens</a><a href="#decisions-title">Decisions</a><a href="#run-title">The run</a><a href="#transcript">Transcript</a></nav>
<main>
${renderTimeline(story)}
${renderUsage(story)}
${renderFacts(report, story)}
${renderTranscript(story, leftOut)}
</main>`
  return renderDocument({ title: `${report.status}: agent-run`, body, script: pageScript })
}
