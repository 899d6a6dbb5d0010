import { formatCost, formatCount } from "../format.ts"
import { type Html, html } from "./markup.ts"
import type { Story, StoryPart } from "./story.ts"

type Usage = NonNullable<StoryPart["usage"]>
interface Bar {
  readonly part: StoryPart
  readonly usage: Usage
}

/** Tokens of each turn and how many came from the cache: a plot, and a table with the same figures. */
export function renderUsage(story: Story): Html {
  const bars = story.parts.flatMap((part) => (part.usage === null ? [] : [{ part, usage: part.usage }]))
  if (bars.length === 0)
    return html`<section aria-labelledby="usage-title" class="card"><h2 id="usage-title">Tokens per turn</h2><p class="facts">The model was not asked.</p></section>`
  const share = Math.round(
    (sum(bars, "cache_read_input_tokens") /
      Math.max(
        1,
        bars.reduce((total, { usage }) => total + inputOf(usage), 0),
      )) *
      100,
  )
  return html`<section aria-labelledby="usage-title" class="card">
<h2 id="usage-title">Tokens per turn</h2>
<p class="legend"><span class="key cache-read"></span>input from cache <span class="key cache-write"></span>written to cache <span class="key fresh"></span>other input <span class="key output"></span>output</p>
<div class="plots">
${renderPlot(
  bars,
  `Input tokens of ${bars.length} turns, ${share} % of them from the cache. The table below has the figures.`,
  (usage) => [
    ["cache-read", usage.cache_read_input_tokens],
    ["cache-write", usage.cache_creation_input_tokens],
    ["fresh", usage.input_tokens],
  ],
)}
${renderPlot(bars, `Output tokens of ${bars.length} turns. The table below has the figures.`, (usage) => [["output", usage.output_tokens]])}
</div>
<details><summary>The figures as a table</summary>
<div class="scroll" tabindex="0" role="region" aria-label="Tokens per turn"><table>
<thead><tr><th scope="col">turn</th><th scope="col">from cache</th><th scope="col">written to cache</th><th scope="col">other input</th><th scope="col">output</th><th scope="col">cost</th></tr></thead>
<tbody>${bars.map(renderRow)}</tbody></table></div></details>
</section>`
}

function renderPlot(
  bars: readonly Bar[],
  title: string,
  layersOf: (usage: Usage) => readonly (readonly [string, number])[],
): Html {
  const most = Math.max(1, ...bars.map(({ usage }) => layersOf(usage).reduce((total, [, count]) => total + count, 0)))
  const step = 1000 / bars.length
  const width = Math.min(step * 0.8, 60)
  const rects = bars.map(({ usage }, index) => {
    let top = 100
    return layersOf(usage).map(([name, count]) => {
      const height = (count / most) * 100
      top -= height
      const x = index * step + (step - width) / 2
      return html`<rect class="${name}" x="${x.toFixed(2)}" y="${top.toFixed(2)}" width="${width.toFixed(2)}" height="${height.toFixed(2)}"/>`
    })
  })
  return html`<figure><figcaption>${formatCount(most)} at most</figcaption><svg class="plot" viewBox="0 0 1000 100" preserveAspectRatio="none" role="img" aria-label="${title}">${rects}</svg></figure>`
}

function renderRow({ part, usage }: Bar): Html {
  const counts = [
    usage.cache_read_input_tokens,
    usage.cache_creation_input_tokens,
    usage.input_tokens,
    usage.output_tokens,
  ]
  return html`<tr><th scope="row"><a href="#${part.anchor}">${part.title}</a></th>${counts.map((count) => html`<td>${formatCount(count)}</td>`)}<td>${formatCost(part.costUsd)}</td></tr>`
}

function inputOf(usage: Usage): number {
  return usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens
}

function sum(bars: readonly Bar[], field: keyof Usage): number {
  return bars.reduce((total, { usage }) => total + usage[field], 0)
}
