import type { Report } from "../contract/report.ts"
import { type CallGroup, troubledCallsOf, whatToChange } from "./call-groups.ts"
import { toCodeSpan, toFence } from "./escape.ts"
import { formatCount } from "./format.ts"
import { renderList } from "./markdown-table.ts"
import { rulesToAllow } from "./rules-to-allow.ts"

const maxRules = 20
const maxChars = 90_000

/** The denied calls, what decided each, and the rules that a person can paste to allow those that a rule can allow. */
export function renderDenied(report: Report): string {
  const lines = troubledCallsOf(report.calls).denied.map((group) => `- ${renderGroup(group)}`)
  const list = renderList(`Denied (${formatCount(report.denied)})`, lines)
  const rules = rulesToAllow(report.calls)
  if (rules.length === 0) return list
  const shown = toFence(rules.slice(0, maxRules).join("\n\n"), maxChars, "toml")
  const more = rules.length <= maxRules ? "" : `\n\n${formatCount(rules.length - maxRules)} more are in the report.`
  return `${list}\n\nIf they should be allowed, these rules in agent.toml do it:\n\n${shown}${more}`
}

function renderGroup(group: CallGroup): string {
  const { call, count } = group
  const name = `${toCodeSpan(call.tool)}${count === 1 ? "" : ` ${formatCount(count)} times`}`
  if (call.decision === null) return name
  const decided = `decided by ${toCodeSpan(call.decision.rule)} in ${toCodeSpan(call.decision.source)}`
  const change = whatToChange(group)
  return change === null ? `${name}, ${decided}` : `${name}, ${decided}; ${change}`
}
