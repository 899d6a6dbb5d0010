import type { Action, Rule } from "../contract/decision.ts"
import type { Layer } from "./layer.ts"
import { addUp, elementSource, listsThatAddUp } from "./merge.ts"
import { ruleSchema } from "./schema.ts"

/** The rules of every layer, each with the place where a person can change it. */
export function rulesOf(layers: readonly Layer[]): readonly Rule[] {
  return addUp(layers, listsThatAddUp.rules).map((element) => ({
    ...ruleSchema.parse(element.value),
    source: elementSource(element, listsThatAddUp.rules),
  }))
}

/** The rules of `--allow` and `--deny`. */
export function rulesOfOptions(options: {
  readonly allow: readonly string[]
  readonly deny: readonly string[]
  readonly broad: boolean
}): readonly Rule[] {
  const rule = (tool: string, action: Action): Rule => ({
    tool,
    action,
    broad: action === "allow" && options.broad,
    source: `--${action}`,
  })
  return [...options.deny.map((tool) => rule(tool, "deny")), ...options.allow.map((tool) => rule(tool, "allow"))]
}
