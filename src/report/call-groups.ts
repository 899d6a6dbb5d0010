import type { Report } from "../contract/report.ts"

type Call = Report["calls"][number]

/** Calls that ended alike, named once and counted. */
export interface CallGroup {
  readonly call: Call
  readonly count: number
}

/** The calls that got no good result, gathered by what a person has to look at: a rule, a fault, or a name. */
export interface TroubledCalls {
  readonly denied: readonly CallGroup[]
  readonly failed: readonly CallGroup[]
  readonly unknown: readonly CallGroup[]
}

/** Gather the calls of a report that need a person's attention, also when the run is green. */
export function troubledCallsOf(calls: Report["calls"]): TroubledCalls {
  const troubled = calls.filter((call) => !call.ok)
  return {
    denied: groupCalls(troubled.filter((call) => call.error_code === "denied")),
    failed: groupCalls(troubled.filter((call) => call.error_code !== "denied" && call.error_code !== "unknown_tool")),
    unknown: groupCalls(troubled.filter((call) => call.error_code === "unknown_tool")),
  }
}

/** What to do about a denied call that no added rule would allow; `null` when one would. */
export function whatToChange({ call }: CallGroup): string | null {
  if (call.allow_with !== undefined || call.decision === null) return null
  if (call.decision.action === "allow") return null
  if (call.decision.action === "ask") return "a person has to approve it"
  return /^default\b/.test(call.decision.rule) ? "no narrow rule would allow it" : "only a change there would allow it"
}

function groupCalls(calls: readonly Call[]): readonly CallGroup[] {
  const groups = new Map<string, { call: Call; count: number }>()
  for (const call of calls) {
    const canAllow = call.allow_with !== undefined
    const key = JSON.stringify([call.tool, call.error_code, call.decision?.rule, call.decision?.source, canAllow])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { call, count: 1 })
    else group.count += 1
  }
  return [...groups.values()]
}
