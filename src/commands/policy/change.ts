import type { PermissionSettings } from "../../contract/config.ts"
import type { Action } from "../../contract/decision.ts"
import { allowingRule, describeDecision } from "../../permissions/describe.ts"
import { createPolicy } from "../../permissions/policy.ts"
import type { JudgedCall } from "./bench.ts"

/** What would turn a decision around: rules or settings to take away, what is decided without them, and a rule to add if that is not enough. */
export interface Change {
  readonly remove: readonly string[]
  readonly without: JudgedCall["decision"]
  readonly add: string | null
}

/** What would allow a call that is not allowed, and what would stop one that is. */
export function changeOf(call: JudgedCall, settings: PermissionSettings): Change {
  const { tool, input, decision, matching, withheldBy } = call
  const isAllowed = decision.action === "allow"
  const inTheWay = matching.filter(({ action }) => (action === "allow") === isAllowed)
  const rules = settings.rules.filter((rule) => !inTheWay.includes(rule))
  const without = describeDecision(createPolicy({ ...settings, rules }).decide(tool, input))
  const turned = (without.action === "allow") !== isAllowed
  const remove = [...(withheldBy === null ? [] : [withheldBy.source]), ...inTheWay.map(({ source }) => source)]
  return { remove: [...new Set(remove)], without, add: turned ? null : ruleFor(call, isAllowed ? "deny" : "allow") }
}

function ruleFor({ tool, input }: JudgedCall, action: Action): string {
  const own = allowingRule(tool, input).replace('action = "allow"', `action = "${action}"`)
  // A custom tool and the tool behind it must both be allowed; denying the one is enough.
  if (tool.wraps === undefined || action === "deny") return own
  return `${own}\n\n${allowingRule(tool.wraps.tool, tool.wraps.complete(input))}`
}
