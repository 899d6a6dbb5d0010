import type { PermissionSettings } from "../contract/config.ts"
import type { Decision, Rule } from "../contract/decision.ts"
import type { JsonObject } from "../contract/json.ts"
import type { Tool } from "../contract/tool.ts"
import { isBaseline } from "./baseline.ts"
import { type Call, type CompiledRule, compileRule, createCall } from "./compile-rule.ts"
import { refuseBroadRule } from "./refuse-broad.ts"

/** The rules of a run, ready to judge calls. */
export interface Policy {
  /** Judge a call. Pure and total: the same call always gets the same answer, and there always is one. */
  decide(tool: Tool, input: JsonObject): Decision
  /** The bare deny (no args, commands or paths) that hides a tool from the model, or `null`. */
  hides(tool: Pick<Tool, "name" | "wraps">): Rule | null
  /**
   * Which files a search must leave out of its results, because a deny or ask with `paths` names them; `null` when no
   * rule does. Paths are real and relative to the workspace.
   */
  leavesOut(tool: { readonly name: string }, input: JsonObject): ((path: string) => boolean) | null
  /** Every rule that matches a call, in the order they were written, for explanations. */
  matching(tool: Tool, input: JsonObject): readonly Rule[]
  /** Rules that match none of these tools: likely a mistake in the name. */
  deadRules(tools: readonly { readonly name: string }[]): readonly Rule[]
}

/**
 * Compile the rules of a run. Every matching rule counts: deny beats ask beats allow, in any order. Without a
 * matching rule the baseline may allow the call; otherwise the default decides.
 */
export function createPolicy(settings: Pick<PermissionSettings, "default" | "rules">): Policy {
  const rules = settings.rules.map(compileRule)
  rules.forEach(refuseBroadRule)
  const rulesFor = indexByTool(rules)

  function matchingRules(tool: Tool, call: Call): readonly Rule[] {
    const candidates = rulesFor(tool.name)
    return candidates.filter(({ conditions }) => conditions.every((holds) => holds(call))).map(({ rule }) => rule)
  }

  function decideAlone(tool: Tool, input: JsonObject): Decision {
    const call = createCall(tool, input)
    const matched = matchingRules(tool, call)
    const deciding = matched.find(({ action }) => action === "deny") ?? matched.find(({ action }) => action === "ask")
    if (deciding !== undefined) return { action: deciding.action, because: { kind: "rule", rule: deciding } }
    const named = matched.find((rule) => rule.tool === tool.name)
    const allowing = named ?? matched[0] ?? null
    if (allowing !== null) return raiseDestructive(tool, allowing)
    if (isBaseline(tool, call.subjects)) return { action: "allow", because: { kind: "baseline" } }
    return decideByDefault(tool, settings.default)
  }

  function hides({ name, wraps }: Pick<Tool, "name" | "wraps">): Rule | null {
    const hiding = rulesFor(name).find(({ rule, conditions }) => rule.action === "deny" && conditions.length === 0)
    return hiding?.rule ?? (wraps === undefined ? null : hides(wraps.tool))
  }

  return {
    decide(tool, input) {
      const own = decideAlone(tool, input)
      if (tool.wraps === undefined) return own
      const { tool: inner, complete } = tool.wraps
      const wrapped = decideAlone(inner, complete(input))
      return strictness[wrapped.action] > strictness[own.action] ? { ...wrapped, wrapped: inner.name } : own
    },
    hides,
    leavesOut({ name }, input) {
      const call = createCall({ subjects: () => [] }, input)
      const named = rulesFor(name).flatMap(({ rule, paths }) => {
        if (rule.action === "allow" || paths === null) return []
        return paths.others.every((holds) => holds(call)) ? [paths.names] : []
      })
      return named.length === 0 ? null : (path) => named.some((names) => names(path))
    },
    matching: (tool, input) => matchingRules(tool, createCall(tool, input)),
    deadRules: (tools) =>
      rules.filter(({ tool }) => !tools.some(({ name }) => tool.matches(name))).map(({ rule }) => rule),
  }
}

const strictness = { allow: 0, ask: 1, deny: 2 } as const

/** Rules of a tool in written order, found once per name: exact names by a table, globs by trying them. */
function indexByTool(rules: readonly CompiledRule[]): (name: string) => readonly CompiledRule[] {
  const exact = new Map<string, number[]>()
  const globs: number[] = []
  rules.forEach(({ tool }, position) => {
    if (!tool.exact) globs.push(position)
    else exact.set(tool.text, [...(exact.get(tool.text) ?? []), position])
  })
  const known = new Map<string, readonly CompiledRule[]>()
  return (name) => {
    const before = known.get(name)
    if (before !== undefined) return before
    const positions = [...(exact.get(name) ?? []), ...globs.filter((position) => rules[position]?.tool.matches(name))]
    const found = positions.sort((a, b) => a - b).flatMap((position) => rules[position] ?? [])
    known.set(name, found)
    return found
  }
}

/** A tool that calls itself destructive is asked for, unless a rule allows it by its very name. */
function raiseDestructive(tool: Tool, rule: Rule): Decision {
  const destructive = tool.hints.destructive && !tool.hints.readOnly
  if (destructive && rule.tool !== tool.name) return { action: "ask", because: { kind: "hint", rule } }
  return { action: "allow", because: { kind: "rule", rule } }
}

function decideByDefault(tool: Tool, { action, source }: PermissionSettings["default"]): Decision {
  const byDefault: Decision = { action, because: { kind: "default", source } }
  if (action !== "allow") return byDefault
  const raised = raiseDestructive(tool, { tool: "*", action: "allow", broad: true, source })
  return raised.action === "ask" ? raised : byDefault
}
