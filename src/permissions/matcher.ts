import type { HookPattern } from "../contract/config.ts"
import type { JsonObject } from "../contract/json.ts"
import type { Tool } from "../contract/tool.ts"
import { compileRule, createCall } from "./compile-rule.ts"

/** Match calls as a rule that denies would, for what is not a rule but chosen like one: it must not miss what a deny would catch. */
export function createMatcher(pattern: HookPattern): (tool: Tool, input: JsonObject) => boolean {
  const { tool: glob, conditions } = compileRule({ ...pattern, action: "deny", broad: false })
  return (tool, input) => {
    if (!glob.matches(tool.name)) return false
    const call = createCall(tool, input)
    return conditions.every((holds) => holds(call))
  }
}
