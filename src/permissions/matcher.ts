import type { HookPattern } from "../contract/config.ts"
import type { JsonObject } from "../contract/json.ts"
import type { Tool } from "../contract/tool.ts"
import { compileRule, createCall } from "./compile-rule.ts"

/** Match calls as a rule that denies would, for what is not a rule but chosen like one: it must not miss what a deny would catch, also behind a custom tool. */
export function createMatcher(pattern: HookPattern): (tool: Tool, input: JsonObject) => boolean {
  const { tool: glob, conditions } = compileRule({ ...pattern, action: "deny", broad: false })
  return function matches(tool, input): boolean {
    if (tool.wraps !== undefined && matches(tool.wraps.tool, tool.wraps.complete(input))) return true
    if (!glob.matches(tool.name)) return false
    const call = createCall(tool, input)
    return conditions.every((holds) => holds(call))
  }
}
