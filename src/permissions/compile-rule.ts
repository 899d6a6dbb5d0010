import type { Rule } from "../contract/decision.ts"
import type { JsonObject } from "../contract/json.ts"
import type { Subject, Tool } from "../contract/tool.ts"
import { UserError } from "../contract/user-error.ts"
import { judgeArgument } from "./argument-values.ts"
import { allowsCommand, catchesCommand, compileCommand } from "./command-pattern.ts"
import { compileGlob, type Glob } from "./glob.ts"
import { type CommandWords, literalCommands } from "./shell-words.ts"

/** A call as rules see it; `lines` parses its shell lines once, and only when a rule asks. */
export interface Call {
  readonly input: JsonObject
  readonly subjects: readonly Subject[]
  lines(): readonly (readonly CommandWords[] | null)[]
}

/** A rule ready to match; without conditions it is bare and matches every call of its tools. */
export interface CompiledRule {
  readonly rule: Rule
  readonly tool: Glob
  readonly conditions: readonly Condition[]
  /** What `paths` says of one path, and the conditions beside it, for tools that look into many files; `null` without `paths`. */
  readonly paths: { names(path: string): boolean; readonly others: readonly Condition[] } | null
}

type Condition = (call: Call) => boolean

/** Compile a rule once. What could never mean what it says is the user's mistake. */
export function compileRule(rule: Rule): CompiledRule {
  const tool = compileGlob(rule.tool, rule.source)
  refuseIdleConditions(rule, tool)
  const conditions = Object.entries(rule.args ?? {}).map(([path, glob]) => argumentCondition(rule, path, glob))
  if (rule.commands !== undefined) conditions.push(commandCondition(rule, rule.commands))
  if (rule.paths === undefined) return { rule, tool, conditions, paths: null }
  const names = pathMatcher(rule, rule.paths)
  return {
    rule,
    tool,
    conditions: [...conditions, pathCondition(rule, names)],
    paths: { names, others: conditions },
  }
}

/** Look at a call the way rules do. */
export function createCall(tool: Pick<Tool, "subjects">, input: JsonObject): Call {
  const subjects = tool.subjects(input)
  let parsed: readonly (readonly CommandWords[] | null)[] | undefined
  return {
    input,
    subjects,
    lines() {
      parsed ??= subjects.flatMap((subject) => (subject.kind === "command" ? [literalCommands(subject.line)] : []))
      return parsed
    },
  }
}

function refuseIdleConditions(rule: Rule, tool: Glob): void {
  if (rule.commands?.length === 0 || rule.paths?.length === 0) {
    throw new UserError("config_error", "an empty list of commands or paths would never match", {
      where: rule.source,
      hint: "Leave the key out, or name at least one.",
    })
  }
  if (rule.commands !== undefined && !tool.matches("Bash")) {
    throw new UserError("config_error", `commands are looked at for Bash only, and ${rule.tool} does not match it`, {
      where: rule.source,
      hint: "Use args for the arguments of other tools.",
    })
  }
  if (rule.paths !== undefined && rule.tool.startsWith("mcp__")) {
    throw new UserError("config_error", "paths are looked at for the built-in file tools only, not for MCP tools", {
      where: rule.source,
      hint: 'Use args for the arguments of an MCP tool: args = { path = "docs/**" }.',
    })
  }
}

function argumentCondition(rule: Rule, path: string, text: string): Condition {
  const glob = compileGlob(text, rule.source)
  const keys = path.split(".")
  return ({ input }) => {
    const verdicts = judgeArgument(input, keys, glob)
    if (rule.action === "allow") return verdicts.length > 0 && verdicts.every((verdict) => verdict === "match")
    return verdicts.some((verdict) => verdict !== "mismatch")
  }
}

function commandCondition(rule: Rule, texts: readonly string[]): Condition {
  const patterns = texts.map((text) => compileCommand(text, rule.source))
  if (rule.action !== "allow") {
    return (call) =>
      call.lines().some((commands) => {
        if (commands === null) return true
        return commands.some((words) => patterns.some((pattern) => catchesCommand(pattern, words)))
      })
  }
  return (call) => {
    const lines = call.lines()
    return lines.length > 0 && lines.every((commands) => commands !== null && isCovered(commands))
  }

  function isCovered(commands: readonly CommandWords[]): boolean {
    if (commands.length === 0) return false
    return commands.every((words) => patterns.some((pattern) => allowsCommand(pattern, words)))
  }
}

function pathCondition(rule: Rule, names: (path: string) => boolean): Condition {
  return ({ subjects }) => {
    const paths = subjects.filter((subject) => subject.kind === "path")
    if (rule.action !== "allow") return paths.some((subject) => names(subject.path))
    return paths.length > 0 && paths.every((subject) => subject.inside && names(subject.path))
  }
}

function pathMatcher(rule: Rule, texts: readonly string[]): (path: string) => boolean {
  const globs = texts.map((text) => compileGlob(text.replace(/^\.\/(?=.)/, ""), rule.source))
  return (path) => {
    if (path === "" || path === ".") return globs.some((glob) => glob.text === "**" || glob.text === ".")
    return globs.some((glob) => glob.matches(path))
  }
}
