import type { JsonObject } from "../contract/json.ts"
import type { ToolResult } from "../contract/tool.ts"

/** Asks the rules which files a search must leave out, by real path from the workspace; `null` when none. */
export type LeavesOut = (tool: { readonly name: string }, input: JsonObject) => ((path: string) => boolean) | null

/** Say that files are left out whenever a rule does so, whether or not one would have matched: that would tell of them. */
export function withLeftOutNote(result: ToolResult | string, leavesOut: ReturnType<LeavesOut>): ToolResult | string {
  if (leavesOut === null || typeof result !== "string") return result
  return `${result}\n[files that a rule denies are left out]`
}
