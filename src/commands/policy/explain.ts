import { suggest } from "../../config/suggest.ts"
import { isJsonObject, type JsonObject } from "../../contract/json.ts"
import type { ToolHints } from "../../contract/tool.ts"
import { describeDecision, describeRule } from "../../permissions/describe.ts"
import { createMatcher } from "../../permissions/matcher.ts"
import type { Policy } from "../../permissions/policy.ts"
import { toLogLine } from "../../report/escape.ts"
import type { ServerSession } from "../connect-servers.ts"
import type { McpInput } from "../mcp/define-action.ts"
import { type JudgedCall, openBench } from "./bench.ts"
import { type Change, changeOf } from "./change.ts"
import type { explainOptions } from "./options.ts"

/** `agent-run policy explain TOOL [JSON]`: what the rules say of one call, and why; exit code 0 whatever they say. */
export async function explainCall(
  session: ServerSession,
  { words, options }: McpInput<"tool" | "input", typeof explainOptions>,
): Promise<number> {
  const name = words.tool ?? ""
  const input = readInput(words.input ?? "{}")
  if (input === null) {
    return session.fail("usage_error", 'the input must be a JSON object, such as \'{"command": "git status"}\'')
  }
  const bench = openBench(session, options.connect ? await session.connect() : null)
  const call = bench.judge(name, input)
  if (call === null) {
    const meant = suggest(name, bench.names)
    return session.fail(
      "usage_error",
      `there is no tool "${name}"`,
      meant === null ? undefined : `Did you mean ${meant}?`,
    )
  }
  const change = changeOf(call, session.config.permissions)
  const hooks = session.config.hooks.preToolUse.filter((hook) => createMatcher(hook)(call.tool, input))
  const explained = {
    tool: call.tool.name,
    input,
    ...call.decision,
    matching: call.matching.map((rule) => ({ action: rule.action, rule: describeRule(rule), source: rule.source })),
    hints: call.hints === null ? null : hintsOf(call.hints),
    notes: notesOf(call, bench.policy),
    hooks: call.decision.action === "allow" ? hooks.map(({ source }) => source) : [],
    to_change: change,
  }
  session.print(explained, () => render(call, { ...explained, change }))
  return 0
}

function readInput(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : null
  } catch {
    // No JSON is as wrong as JSON that is no object.
    return null
  }
}

function hintsOf({ readOnly, destructive, idempotent }: ToolHints) {
  return { read_only: readOnly, destructive, idempotent }
}

function notesOf(call: JudgedCall, policy: Policy): readonly string[] {
  const { tool, input, hints, decision } = call
  const notes = call.isForeign ? ["no built-in tool and no tool of a server is called that"] : []
  if (policy.hides(tool) !== null || call.withheldBy !== null)
    notes.push("the tool is hidden: the model is not offered it")
  if (tool.name === "ReadMcpResource" && decision.rule === "default") {
    notes.push("whether a server lists the resource is known only with --connect; one that is listed needs no rule")
  }
  if (["Glob", "Grep"].includes(tool.name) && policy.leavesOut(tool, input) !== null) {
    notes.push("files that a deny or ask with paths names are left out of what it finds")
  }
  if (hints !== null) return notes
  const worst = { ...tool, hints: { readOnly: false, destructive: true, idempotent: false } }
  const raised = describeDecision(policy.decide(worst, input)).action
  const change =
    raised === decision.action
      ? "they would not change this"
      : `if it calls itself destructive, the answer is ${raised}`
  return [...notes, `its hints are unknown, because no server was started (--connect starts them): ${change}`]
}

interface Explained {
  readonly notes: readonly string[]
  readonly hooks: readonly string[]
  readonly change: Change
}

function render(call: JudgedCall, { notes, hooks, change }: Explained): string {
  const { tool, input, decision, matching } = call
  const lines = [
    `${decision.action}  ${tool.name} ${toLogLine(JSON.stringify(input))}`,
    `  decided by  ${byWhat(decision)}`,
    ...matching.map((rule) => `  matches     ${describeRule(rule)} (${rule.source})`),
    ...notes.map((note) => `  note        ${note}`),
    ...hooks.map((source) => `  hook        ${source} is told before the call and may block it`),
    ...renderChange(change, decision.action === "allow" ? "stop" : "allow"),
  ]
  return `${lines.join("\n")}\n`
}

function renderChange({ remove, without, add }: Change, aim: string): readonly string[] {
  const decided = `${without.action}, by ${byWhat(without)}`
  return [
    ...(remove.length === 0 ? [] : [`  without     ${remove.join(", ")} it would be ${decided}`]),
    ...(add === null ? [] : [`  to ${aim} it, add`.padEnd(14), ...add.split("\n").map((line) => `    ${line}`)]),
  ]
}

function byWhat({ rule, source }: JudgedCall["decision"]): string {
  return `${rule} (${source})`
}
