import picomatch from "picomatch"
import type { ExpectSettings } from "../contract/config.ts"
import type { RunEventOf } from "../contract/event.ts"
import type { Report } from "../contract/report.ts"
import { searchToolNames } from "../contract/tool.ts"

/** One thing that had to hold, and whether it did. */
export type Expectation = RunEventOf<"run.end">["expectations"][number]

/** What a run did, as far as expectations look at it. */
export interface RunFacts extends Pick<Report, "calls" | "cost_usd" | "turns" | "denied"> {
  readonly answer: string | null
  readonly filesChanged: readonly { readonly path: string }[]
}

/** Judge a run by what its configuration expects. Only what was asked for is listed. */
export function judgeExpectations(settings: ExpectSettings, facts: RunFacts): Expectation[] {
  const { calls } = facts
  const ran = calls.filter(({ error_code }) => error_code === null || !neverRan.has(error_code))
  const paths = facts.filesChanged.map(({ path }) => path)
  return [
    ...(settings.someCallSucceeds && calls.length > 0 ? [someCallSucceeds(calls)] : []),
    ...settings.toolsCalled.map((glob) => {
      const names = calls.filter(({ ok }) => ok).map(({ tool }) => tool)
      return someMatch("tools_called", glob, names, "a successful call")
    }),
    ...settings.toolsNotCalled.map((glob) =>
      noneMatch(
        "tools_not_called",
        glob,
        ran.map(({ tool }) => tool),
      ),
    ),
    ...settings.filesChanged.map((glob) => someMatch("files_changed", glob, paths, "a changed file")),
    ...settings.filesUnchanged.map((glob) => noneMatch("files_unchanged", glob, paths)),
    ...(settings.answerMatches === null ? [] : [answerMatches(settings.answerMatches, facts.answer ?? "")]),
    ...atMost("max_cost_usd", settings.maxCostUsd, facts.cost_usd),
    ...atMost("max_turns", settings.maxTurns, facts.turns),
    ...atMost("max_denied", settings.maxDenied, facts.denied),
  ]
}

const neverRan = new Set<string>(["denied", "unknown_tool", "not_run"])
const searchTools = new Set<string>(searchToolNames)

function someCallSucceeds(calls: RunFacts["calls"]): Expectation {
  const succeeded = calls.filter(({ ok, tool }) => ok && !searchTools.has(tool)).length
  const message = `${succeeded} of ${calls.length} calls succeeded`
  if (succeeded > 0) return { name: "some_call_succeeds", ok: true, message }
  const failures = [...new Set(calls.map((call) => `${call.tool}: ${call.error_code ?? "found only tools"}`))]
  const named = failures.slice(0, 5).join(", ") + (failures.length > 5 ? ", …" : "")
  return { name: "some_call_succeeds", ok: false, message: `${message} (${named})` }
}

function someMatch(name: string, glob: string, names: readonly string[], what: string): Expectation {
  const ok = names.some(matcher(glob))
  return { name: `${name}: ${glob}`, ok, message: ok ? `matched by ${what}` : `no match by ${what}` }
}

function noneMatch(name: string, glob: string, names: readonly string[]): Expectation {
  const found = names.find(matcher(glob))
  return {
    name: `${name}: ${glob}`,
    ok: found === undefined,
    message: found === undefined ? "no match" : `matched by ${found}`,
  }
}

function matcher(glob: string): (name: string) => boolean {
  const matches = picomatch(glob, { dot: true, nonegate: true })
  return (name) => matches(name)
}

const longestAnswer = 100_000

function answerMatches(pattern: string, answer: string): Expectation {
  const ok = new RegExp(pattern, "mu").test(answer.slice(0, longestAnswer))
  return { name: `answer_matches: ${pattern}`, ok, message: ok ? "the answer matches" : "the answer does not match" }
}

function atMost(name: string, allowed: number | null, used: number | null): Expectation[] {
  if (allowed === null) return []
  if (used === null) return [{ name, ok: false, message: `${allowed} is allowed, but what was used is unknown` }]
  return [{ name, ok: used <= allowed, message: `${Number(used.toFixed(6))} of ${allowed}` }]
}
