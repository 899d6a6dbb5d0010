import type { JsonObject } from "../contract/json.ts"
import type { Tool } from "../contract/tool.ts"
import { allowingRule } from "./describe.ts"
import type { Policy } from "./policy.ts"
import { literalCommands } from "./shell-words.ts"

const longestRule = 2000

/**
 * The rules to add so that a refused call is allowed, as TOML for a person to paste. `null` where adding is no help: a deny
 * or ask rule decided and has to be changed itself, only a broad rule could allow it, or no rule at all.
 */
export function allowWith(policy: Pick<Policy, "decide">, tool: Tool, input: JsonObject): string | null {
  const refused = partsOf(tool, input).flatMap((part) => {
    const { action, because } = policy.decide(part.tool, part.input)
    return action === "allow" ? [] : [{ ...part, because }]
  })
  if (refused.some((part) => part.because.kind === "rule" || !isNarrow(part.tool, part.input))) return null
  const rules = refused.map((part) => allowingRule(part.tool, part.input)).join("\n\n")
  return rules === "" || rules.length > longestRule ? null : rules
}

interface Part {
  readonly tool: Tool
  readonly input: JsonObject
}

/** A custom tool and the tool behind it are decided each by itself. */
function partsOf(tool: Tool, input: JsonObject): readonly Part[] {
  if (tool.wraps === undefined) return [{ tool, input }]
  const { wraps, ...own } = tool
  return [
    { tool: { ...own, subjects: () => [] }, input },
    { tool: wraps.tool, input: wraps.complete(input) },
  ]
}

/** Can a rule name what the call is about? */
function isNarrow(tool: Tool, input: JsonObject): boolean {
  return tool.subjects(input).every((subject) => {
    if (subject.kind === "path") return subject.inside
    return subject.kind !== "command" || (literalCommands(subject.line)?.length ?? 0) > 0
  })
}
