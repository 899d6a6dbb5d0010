import { createHash } from "node:crypto"
import type { Report } from "../../contract/report.ts"
import type { KeptEvents } from "./kept-events.ts"
import { html, trusted } from "./markup.ts"
import { renderFacts, renderHead } from "./overview.ts"
import { pageScript } from "./script.ts"
import { tellStory } from "./story.ts"
import { pageStyle } from "./style.ts"
import { renderTimeline } from "./timeline.ts"
import { renderTranscript } from "./transcript.ts"
import { renderUsage } from "./usage-plot.ts"

/**
 * One page about a run that needs nothing else: style and script are inside, nothing is loaded, and its policy lets only
 * these two work. All that others wrote is text. Without script it is complete, but for search and filter.
 */
export function renderPage(report: Report, { events, leftOut }: KeptEvents): string {
  const story = tellStory(events)
  const policy = `default-src 'none'; style-src ${hashOf(pageStyle)}; script-src ${hashOf(pageScript)}; base-uri 'none'; form-action 'none'`
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${trusted(policy)}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${report.status}: agent-run</title>
<style>${trusted(pageStyle)}</style>
</head>
<body>
<a class="skip" href="#transcript">To the transcript</a>
${renderHead(report, story)}
<nav aria-label="Sections"><a href="#timeline-title">Timeline</a><a href="#usage-title">Tokens</a><a href="#decisions-title">Decisions</a><a href="#run-title">The run</a><a href="#transcript">Transcript</a></nav>
<main>
${renderTimeline(story)}
${renderUsage(story)}
${renderFacts(report, story)}
${renderTranscript(story, leftOut)}
</main>
<script>${trusted(pageScript)}</script>
</body>
</html>
`
  return page.markup
}

function hashOf(source: string): string {
  return `'sha256-${createHash("sha256").update(source).digest("base64")}'`
}
