import type { Rule } from "../contract/decision.ts"
import type { JsonObject } from "../contract/json.ts"
import type { Tool } from "../contract/tool.ts"
import { argumentsOf, leastSets, toGlobs } from "./argument-sets.ts"
import { escapeGlob } from "./glob.ts"
import { createPolicy } from "./policy.ts"
import { quoteWords } from "./render-rule.ts"
import { literalCommands } from "./shell-words.ts"

/** A call that a past run made. */
export interface UsedCall {
  readonly tool: Tool
  readonly input: JsonObject
}

/** Rules for past calls, and the calls that no rule but a broad one could allow. */
export interface Suggestion {
  readonly rules: readonly SuggestedRule[]
  readonly left: readonly { readonly call: UsedCall; readonly why: string }[]
}

/** A rule, and the arguments of its calls that it cannot name and so leaves open. */
export interface SuggestedRule extends Rule {
  readonly open: readonly string[]
}

/**
 * The fewest rules we can find that allow these calls and no others: exact names, exact commands, exact paths, and the
 * arguments as they were. What needs no rule gets none. Every rule is tried on the calls before it is suggested.
 */
export function suggestRules(calls: readonly UsedCall[]): Suggestion {
  const needed = calls.flatMap(withWrapped).filter(not(allowedBy([])))
  const byTool = new Map<string, UsedCall[]>()
  for (const call of needed) byTool.set(call.tool.name, [...(byTool.get(call.tool.name) ?? []), call])
  const rules = [...byTool].sort(byName).flatMap(([name, used]) => rulesFor(name, used))
  const left = needed.filter(not(allowedBy(rules)))
  return { rules, left: left.map((call) => ({ call, why: whyLeft(call) })) }
}

/** The rules decide a custom tool and the tool behind it. */
function withWrapped(call: UsedCall): readonly UsedCall[] {
  const { wraps } = call.tool
  return wraps === undefined ? [call] : [call, { tool: wraps.tool, input: wraps.complete(call.input) }]
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1
}

function allowedBy(rules: readonly Rule[]): (call: UsedCall) => boolean {
  const policy = createPolicy({ default: { action: "deny", source: "" }, rules })
  return ({ tool, input }) => policy.decide(tool, input).action === "allow"
}

function not(holds: (call: UsedCall) => boolean): (call: UsedCall) => boolean {
  return (call) => !holds(call)
}

function rulesFor(name: string, used: readonly UsedCall[]): readonly SuggestedRule[] {
  const rule = { tool: escapeGlob(name), action: "allow", broad: false, source: "suggested", open: [] } as const
  const subjects = used.flatMap(({ tool, input }) => (tool.wraps === undefined ? tool.subjects(input) : []))
  if (subjects.some(({ kind }) => kind === "command")) {
    const commands = subjects.flatMap((subject) =>
      subject.kind === "command" ? (literalCommands(subject.line) ?? []) : [],
    )
    return commands.length === 0 ? [] : [{ ...rule, commands: [...new Set(commands.map(quoteWords))].sort() }]
  }
  if (subjects.some(({ kind }) => kind === "path")) {
    const inside = subjects.flatMap((subject) => (subject.kind === "path" && subject.inside ? [subject.path] : []))
    return inside.length === 0 ? [] : [{ ...rule, paths: [...new Set(inside)].map(escapeGlob).sort() }]
  }
  const seen = used.map(({ input }) => argumentsOf(input))
  const open = [...new Set(seen.flatMap((one) => one.open))].sort()
  const least = leastSets(seen.map(({ set }) => set))
  return least.map((set) => ({ ...rule, open, ...(set.size === 0 ? {} : { args: toGlobs(set) }) }))
}

function whyLeft({ tool, input }: UsedCall): string {
  const subjects = tool.subjects(input)
  if (subjects.some((subject) => subject.kind === "path" && !subject.inside)) return "the path leaves the workspace"
  if (subjects.some(({ kind }) => kind === "command")) return "not plain words, so only a broad rule could allow it"
  return "no rule can name it"
}
