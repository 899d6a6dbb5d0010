import type { JsonObject } from "../../contract/json.ts"
import { builtinToolNames } from "../../contract/tool.ts"
import { renderRule } from "../../permissions/render-rule.ts"
import { type SuggestedRule, type Suggestion, suggestRules } from "../../permissions/suggest-rules.ts"
import { toLogLine } from "../../report/escape.ts"
import type { ServerSession } from "../connect-servers.ts"
import type { McpInput } from "../mcp/define-action.ts"
import { openBench } from "./bench.ts"
import { type PastCall, readPastCalls } from "./past-calls.ts"

/** `agent-run policy suggest TRANSCRIPT…`: the least rules that allow what past runs used, as TOML on stdout. */
export async function suggestPolicy(
  session: ServerSession,
  { rest }: McpInput<"transcripts", Record<never, never>>,
): Promise<number> {
  const bench = openBench(session, null)
  const past = (await Promise.all(rest.map(readPastCalls))).flat().map((call) => inWorkspace(call, session.workspace))
  const ran = past.filter(({ fate }) => fate === "ran")
  const denied = past.filter(({ fate }) => fate === "denied")
  const suggestion = suggestRules(ran.map(({ tool, input }) => ({ tool: bench.toolCalled(tool, input), input })))
  const facts = { transcripts: rest.length, ran: ran.length }
  session.print(toJson(suggestion, denied), () => render(suggestion, denied, facts))
  return 0
}

/** A transcript may come from another machine: its absolute paths are meant from its own workspace. */
function inWorkspace(call: PastCall, workspace: string): PastCall {
  const names: readonly string[] = builtinToolNames
  if (call.workspace === "" || !names.includes(call.tool)) return call
  const moved = (value: unknown) => {
    const isInside = typeof value === "string" && `${value}/`.startsWith(`${call.workspace}/`)
    return isInside ? `${workspace}${value.slice(call.workspace.length)}` : value
  }
  const input: JsonObject = Object.fromEntries(Object.entries(call.input).map(([key, value]) => [key, moved(value)]))
  return { ...call, input }
}

function toJson({ rules, left }: Suggestion, denied: readonly PastCall[]) {
  return {
    rules: rules.map(({ source, ...rule }) => rule),
    not_suggested: left.map(({ call, why }) => ({ tool: call.tool.name, input: call.input, why })),
    denied: denied.map(({ tool, input, decision }) => ({ tool, input, decision })),
  }
}

function render(
  { rules, left }: Suggestion,
  denied: readonly PastCall[],
  facts: { readonly transcripts: number; readonly ran: number },
): string {
  const runs = facts.transcripts === 1 ? "1 transcript" : `${facts.transcripts} transcripts`
  const head = [
    `# Calls that ran in ${runs}: ${facts.ran}; what needs no rule has none.`,
    ...(rules.length === 0 ? ["# No rule is needed."] : []),
  ]
  const unnamed = left.map(({ call, why }) => `#   ${lineOf(call.tool.name, call.input)}: ${why}`)
  const refused = denied.map(({ tool, input, decision }) => {
    const by =
      decision === null ? "" : `: ${decision.action} by ${toLogLine(decision.rule)} (${toLogLine(decision.source)})`
    return `#   ${lineOf(tool, input)}${by}`
  })
  return `${[
    head.join("\n"),
    ...rules.map(renderSuggested),
    ...comments("# These ran, but no rule is suggested for them:", unnamed),
    ...comments("# These were denied, and still are:", refused),
  ].join("\n\n")}\n`
}

function renderSuggested({ open, ...rule }: SuggestedRule): string {
  const bare = rule.args === undefined && rule.commands === undefined && rule.paths === undefined
  const remarks = [
    ...(open.length === 0 ? [] : [`# open, because it is long, masked or empty: ${open.join(", ")}`]),
    ...(bare && open.length === 0 ? ["# called without arguments, which a rule cannot say: any are allowed"] : []),
  ]
  return [...remarks, renderRule(rule)].join("\n")
}

function comments(title: string, lines: readonly string[]): readonly string[] {
  const counted = new Map<string, number>()
  for (const line of lines) counted.set(line, (counted.get(line) ?? 0) + 1)
  if (counted.size === 0) return []
  return [[title, ...[...counted].map(([line, times]) => (times === 1 ? line : `${line} (${times} times)`))].join("\n")]
}

function lineOf(tool: string, input: JsonObject): string {
  return `${toLogLine(tool)} ${toLogLine(JSON.stringify(input))}`
}
