import type { Action, Decision, Rule } from "../contract/decision.ts"
import type { JsonObject } from "../contract/json.ts"
import type { Tool } from "../contract/tool.ts"
import { escapeGlob } from "./glob.ts"
import { quoteWords, toToml, toTomlList } from "./render-rule.ts"
import { literalCommands } from "./shell-words.ts"

/** A decision as events and reports spell it: what, which rule, and where a person can change it. */
export function describeDecision(decision: Decision): {
  readonly action: Action
  readonly rule: string
  readonly source: string
} {
  const { action, because, wrapped } = decision
  const suffix = wrapped === undefined ? "" : `, for ${wrapped}`
  switch (because.kind) {
    case "rule":
      return { action, rule: `${describeRule(because.rule)}${suffix}`, source: because.rule.source }
    case "hint":
      return {
        action,
        rule: `destructive hint over ${describeRule(because.rule)}${suffix}`,
        source: because.rule.source,
      }
    case "default":
      return { action, rule: `default${suffix}`, source: because.source }
    case "baseline":
      return { action, rule: "baseline", source: "built-in" }
    default:
      return because satisfies never
  }
}

/** A rule in one line, such as `allow mcp__github__get_issue args owner=acme`. */
export function describeRule(rule: Rule): string {
  const args = Object.entries(rule.args ?? {}).map(([path, glob]) => `${path}=${glob}`)
  return [
    `${rule.action} ${rule.tool}`,
    args.length > 0 ? `args ${args.join(" ")}` : "",
    rule.commands === undefined ? "" : `commands ${rule.commands.map((command) => JSON.stringify(command)).join(" ")}`,
    rule.paths === undefined ? "" : `paths ${rule.paths.join(" ")}`,
  ]
    .filter((part) => part !== "")
    .join(" ")
}

/** What the model is told about a call that did not run: what decided, where, and that repeating it is useless. */
export function denialMessage(tool: Tool, input: JsonObject, decision: Decision): string {
  return [
    `Denied: ${tool.name} was not run.`,
    ...(decision.wrapped === undefined ? [] : [`It calls ${decision.wrapped}, and that is not allowed.`]),
    reasonOf(decision.wrapped ?? tool.name, decision),
    ...unjudgedLines(tool, input),
    "The same call will be denied again: go on without it, or say in your answer what you could not do.",
  ].join(" ")
}

function reasonOf(name: string, decision: Decision): string {
  const { rule, source } = describeDecision(decision)
  const { because } = decision
  switch (because.kind) {
    case "rule":
      if (decision.action === "ask")
        return `The rule "${rule}" (${source}) wants a person to approve it, and nobody is here to ask.`
      return `The rule "${rule}" (${source}) forbids it.`
    case "hint":
      return `${name} calls itself destructive, so "${describeRule(because.rule)}" (${source}) is not enough: a person has to approve it, and nobody is here to ask.`
    case "default":
      if (decision.action === "ask")
        return `No rule allows it, and the default (${source}) wants a person to approve it; nobody is here to ask.`
      return `No rule allows it, and the default is ${decision.action} (${source}).`
    case "baseline":
      return "The built-in baseline decided it."
    default:
      return because satisfies never
  }
}

function unjudgedLines(tool: Tool, input: JsonObject): readonly string[] {
  const unjudged = tool
    .subjects(input)
    .some((subject) => subject.kind === "command" && literalCommands(subject.line) === null)
  if (!unjudged) return []
  return [
    "Rules can only judge plain words joined by && || ; and |: this line has something else, such as a variable, a substitution, a wildcard or a redirection to a file.",
  ]
}

/** The lines of TOML that would allow this call and as little else as possible, for a person to paste. */
export function allowingRule(tool: Tool, input: JsonObject): string {
  // Conditions on what a custom tool does belong to the rule of the tool it calls.
  const subjects = tool.wraps === undefined ? tool.subjects(input) : []
  const lines = ["[[permissions.rules]]", `tool = ${toToml(tool.name)}`, 'action = "allow"']
  const commands = subjects.flatMap((subject) => (subject.kind === "command" ? [literalCommands(subject.line)] : []))
  const judged = commands.flatMap((line) => line ?? [])
  if (commands.length > 0 && (commands.includes(null) || judged.length === 0)) {
    return [...lines, "broad = true # not plain words, so only a rule for every command can allow it"].join("\n")
  }
  if (judged.length > 0) lines.push(`commands = ${toTomlList(judged.map(quoteWords))}`)
  const paths = subjects.filter((subject) => subject.kind === "path")
  if (paths.some(({ inside }) => !inside))
    lines.push("# the path leaves the workspace: file tools refuse it under any rule")
  else if (paths.length > 0)
    lines.push(`paths = ${toTomlList(paths.map(({ path }) => (path === "" ? "." : escapeGlob(path))))}`)
  const [resource] = subjects.filter((subject) => subject.kind === "resource")
  if (resource !== undefined) lines.push(`args = { uri = ${toToml(escapeGlob(resource.uri))} }`)
  return lines.join("\n")
}
