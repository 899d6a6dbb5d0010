import type { CallDesk, Judgement, Lookup } from "../agent/call-tools.ts"
import type { Changes } from "../changes/snapshot.ts"
import type { Config } from "../contract/config.ts"
import type { Rule } from "../contract/decision.ts"
import type { JsonObject } from "../contract/json.ts"
import type { Tool } from "../contract/tool.ts"
import { createCallHooks } from "../hooks/call-hooks.ts"
import { allowWith } from "../permissions/allow-with.ts"
import { denialMessage, describeDecision } from "../permissions/describe.ts"
import { createMatcher } from "../permissions/matcher.ts"
import type { Policy } from "../permissions/policy.ts"
import { boundResult } from "../tools/bound-text.ts"
import type { CollectedTools } from "./tools.ts"

/** The rooms that every call passes: toolbox, rules, the record of changes, the bounds of results. */
export interface DeskRooms {
  readonly tools: CollectedTools
  readonly policy: Policy
  readonly changes: Changes
  readonly workspace: string
  readonly config: Pick<Config, "hooks" | "tools">
}

/** Put the rooms together so that the loop can look a call up, have it judged, and settle it. */
export function createDesk(rooms: DeskRooms): CallDesk {
  const { tools, policy, changes, workspace } = rooms
  const { hooks: settings, tools: limits } = rooms.config

  function lookup(name: string): Lookup {
    const toolbox = tools.toolbox()
    const tool = toolbox.find(name)
    if (tool) return { kind: "offered", tool }
    const rule = toolbox.hiddenBy(name) ?? tools.withheldBy(name)
    if (rule) return { kind: "hidden", judgement: hiddenJudgement(name, rule) }
    const names = toolbox.definitions.flatMap((definition) => (definition.deferred ? [] : [definition.name]))
    const more = names.length < toolbox.tools.length ? "; mcp_tool_search finds more" : ""
    const message = `There is no tool called "${name}". The tools of this run are: ${names.join(", ")}${more}`
    return { kind: "unknown", message }
  }

  function judge(tool: Tool, input: JsonObject): Judgement {
    const decision = policy.decide(tool, input)
    if (decision.action === "allow") return { decision: describeDecision(decision), refusal: null }
    const rules = allowWith(policy, tool, input)
    return {
      decision: describeDecision(decision),
      refusal: denialMessage(tool, input, decision),
      ...(rules !== null && { allowWith: rules }),
    }
  }

  return {
    lookup,
    judge,
    ...createCallHooks({ settings, workspace, matcherOf: createMatcher, judge }),
    beforeWrite: () => changes.beforeWrite(),
    bound: (result) => boundResult(result, limits.maxResultChars),
  }
}

function hiddenJudgement(name: string, rule: Rule) {
  const decision = describeDecision({ action: "deny", because: { kind: "rule", rule } })
  return {
    decision,
    refusal: `${name} was not run: it is not available in this run (${decision.rule}, ${decision.source}).`,
  }
}
