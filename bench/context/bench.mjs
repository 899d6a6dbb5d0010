// npm run bench:context: what tools cost in context with and without lazy loading, and how well the search finds them.
// Prints tables and writes bench/context/result.json. Fails when a target is missed.
import { writeFileSync } from "node:fs"
import { catalogueAt, composeCatalogue } from "../../build/tools/lazy/catalogue.js"
import { chooseDeferred } from "../../build/tools/lazy/choose-deferred.js"
import { estimateDefinition } from "../../build/tools/lazy/estimate-tokens.js"
import { measureTools } from "../../build/tools/lazy/statistics.js"
import { createToolSearch } from "../../build/tools/lazy/tool-search.js"
import { measureMixes } from "./mixes.mjs"
import { requestsOf, toolSets } from "./tool-sets.mjs"

const settings = { summaryDescriptionLimit: 100, maxToolsPerSearch: 5 }
const found = 5
/** What `lazy_loading = "auto"` does with a set that is not worth deferring. */
const sentInFull = "in full"

const sets = toolSets().map(measureSet)
const [largest] = sets.toReversed()
const targets = [
  ...sets.flatMap(({ name, auto, levels }) =>
    auto === sentInFull
      ? []
      : [
          target(`${name}, summaries: saved`, levels.summaries.saved, 0.92),
          target(`${name}, names: saved`, levels.names.saved, 0.965),
        ],
  ),
  ...sets.map(({ name, levels }) => target(`${name}, summaries: tokens a tool`, -levels.summaries.perTool, -20)),
  target(`${largest.name}, prefixes: saved`, largest.levels.prefixes.saved, 0.98),
  ...sets.map(({ name, recall }) => target(`${name}: recall@5`, recall.at5, 0.95)),
  target(`${largest.name}: slowest search in ms`, -largest.search.slowestMs, -5),
]

console.log("\nTokens on every request (estimated)\n")
console.table(
  Object.fromEntries(
    sets.map(({ name, full, auto, levels }) => [
      name,
      {
        full,
        ...Object.fromEntries(
          Object.entries(levels).map(([level, { lazy, saved }]) => [level, `${lazy} (${percent(saved)})`]),
        ),
        "a tool": levels.summaries.perTool,
        "by itself": auto,
      },
    ]),
  ),
)
for (const { name, full, fixed, levels } of sets.filter(({ auto }) => auto === sentInFull)) {
  const listed = levels.summaries.lazy - fixed.searchTools - fixed.introduction
  console.log(
    `${name}: ${full} tokens are sent in full, so nothing is saved. If made lazy: search tools ${fixed.searchTools} + introduction ${fixed.introduction} + entries ${listed} = ${levels.summaries.lazy}; 92 % saved would be ${Math.floor(full * 0.08)}.`,
  )
}
const mixes = measureEveryMix(toolSets().find(({ count }) => count === 254).tools)
console.log(
  `117 tools made up of whole servers in any way, with summaries: ${mixes.met} of ${mixes.mixes} save 92 %, the least saves ${percent(mixes.least)}.`,
)
console.log("\nSearch\n")
console.table(
  Object.fromEntries(
    sets.map(({ name, recall, heldOut, search }) => [
      name,
      { requests: recall.requests, "recall@5": recall.at5, "recall@1": recall.at1, "held out": heldOut.at5, ...search },
    ]),
  ),
)
for (const { name, recall, heldOut } of sets) {
  console.log(`missed among ${name}: ${[...recall.missed, ...heldOut.missed].join("; ") || "nothing"}`)
}
const missed = targets.filter(({ ok }) => !ok)
console.log(
  missed.length === 0
    ? "\nAll targets are met."
    : `\nMissed: ${missed.map(({ name, value }) => `${name} ${value}`).join("; ")}`,
)
writeFileSync(new URL("result.json", import.meta.url), `${JSON.stringify({ sets, mixes, targets }, null, 2)}\n`)
process.exitCode = missed.length === 0 ? 0 : 1

function measureSet({ name, count, tools }) {
  if (tools.length !== count) throw new Error(`the set of ${name} has ${tools.length} tools`)
  const full = tools.reduce((sum, tool) => sum + estimateDefinition(tool), 0)
  const { searchTools } = measureTools(tools, { settings, waits: () => true })
  const levels = Object.fromEntries(
    ["summaries", "names", "prefixes"].map((level) => {
      const { tokens } = catalogueAt(level, tools, settings.summaryDescriptionLimit)
      const lazy = tokens + searchTools.tokens
      return [level, { lazy, saved: round(1 - lazy / full), perTool: round(tokens / count, 1) }]
    }),
  )
  const { level } = composeCatalogue(tools, settings.summaryDescriptionLimit)
  const isLazy = chooseDeferred(tools, { lazyLoading: "auto", alwaysLoadTools: [], alwaysLoad: new Map() }) !== null
  return {
    name,
    full,
    auto: isLazy ? level : sentInFull,
    fixed: {
      searchTools: searchTools.tokens,
      introduction: catalogueAt("names", [], settings.summaryDescriptionLimit).tokens,
    },
    levels,
    ...measureSearch(tools, "requests.txt"),
    heldOut: measureSearch(tools, "requests-held-out.txt").recall,
  }
}

function measureEveryMix(tools) {
  const tokensOf = (some) => catalogueAt("summaries", some, settings.summaryDescriptionLimit).tokens
  const introduction = tokensOf([])
  const servers = [...new Set(tools.map(({ origin }) => origin.server))].map((server) => {
    const own = tools.filter(({ origin }) => origin.server === server)
    const full = own.reduce((sum, tool) => sum + estimateDefinition(tool), 0)
    return { tools: own.length, full, listed: tokensOf(own) - introduction }
  })
  const fixed = introduction + measureTools(tools, { settings, waits: () => true }).searchTools.tokens
  const { least, ...counts } = measureMixes(servers, { count: 117, fixed, target: 0.92 })
  return { ...counts, least: round(least) }
}

/**
 * A request counts when one of its tools is in the set. It is answered by one of them, or, where it names no product, by a
 * variant of one: that does the same job.
 */
function measureSearch(tools, file) {
  const products = new Set(tools.map(({ sameAs }) => sameAs.split("/")[0]))
  const known = new Set(tools.map(({ sameAs }) => sameAs))
  const asked = requestsOf(file).filter(({ expected }) => expected.some((tool) => known.has(tool)))
  const search = createToolSearch(tools)
  const indexed = time(() => search({ query: "anything", regex: false, limit: found }))
  const times = []
  const ranks = asked.map(({ query, expected }) => {
    let result
    const tries = Array.from({ length: 3 }, () =>
      time(() => {
        result = search({ query, regex: false, limit: found })
      }),
    )
    times.push(Math.min(...tries))
    const named = query
      .toLowerCase()
      .split(/\W+/)
      .some((word) => products.has(word))
    const isAnswer = ({ origin, sameAs }) => expected.includes(named ? `${origin.server}/${origin.tool}` : sameAs)
    return { query, rank: result.found.findIndex(isAnswer) }
  })
  times.sort((one, other) => one - other)
  return {
    recall: {
      requests: asked.length,
      at5: round(ranks.filter(({ rank }) => rank >= 0).length / asked.length),
      at1: round(ranks.filter(({ rank }) => rank === 0).length / asked.length),
      missed: ranks.filter(({ rank }) => rank < 0).map(({ query }) => query),
    },
    search: {
      indexMs: round(indexed, 1),
      medianMs: round(times[times.length >> 1], 2),
      slowestMs: round(times.at(-1), 2),
    },
  }
}

function time(work) {
  const start = performance.now()
  work()
  return performance.now() - start
}

/** What must be at least so much; negative for what must be at most so much. */
function target(name, value, least) {
  return { name, value: Math.abs(value), target: Math.abs(least), ok: value >= least }
}

function round(value, digits = 3) {
  return Number(value.toFixed(digits))
}

function percent(share) {
  return `${(share * 100).toFixed(1)} %`
}
