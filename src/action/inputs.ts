import { resolve } from "node:path"
import type { RunOptions } from "../contract/run-options.ts"
import { UserError } from "../contract/user-error.ts"
import { parseDuration } from "../util/duration.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** What a workflow step says, read once. */
export interface ActionInputs {
  readonly run: RunOptions
  /** Absolute: the workspace, and what every other path is relative to. */
  readonly workingDirectory: string
  /** Absolute, or null when the step does not say. */
  readonly outDir: string | null
  readonly stepSummary: boolean
  readonly verbosity: "quiet" | "normal" | "verbose"
  readonly allowedBots: readonly string[]
}

/** The inputs that must not be seen by anybody. */
export interface SecretInputs {
  readonly apiKey: string | null
  readonly githubToken: string | null
}

/** Every input of action.yml, in its order. */
export const inputNames = [
  "task",
  "task-file",
  "prompt",
  "arg",
  "input",
  "plan",
  "apply",
  "keep-going",
  "resume",
  "approve",
  "reject",
  "reason",
  "working-directory",
  "config",
  "set",
  "bare",
  "model",
  "fallback-model",
  "base-url",
  "api-key",
  "script",
  "max-turns",
  "max-cost-usd",
  "max-tokens",
  "max-denials",
  "timeout",
  "allow",
  "deny",
  "broad",
  "mcp-server",
  "only",
  "without",
  "refresh-auth",
  "locked",
  "output-schema",
  "out-dir",
  "step-summary",
  "quiet",
  "verbose",
  "github-token",
  "allowed-bots",
] as const

type InputName = (typeof inputNames)[number]

/** Read the secrets; nothing else is read before they are masked. */
export function readSecrets(env: Environment): SecretInputs {
  return { apiKey: textOf(env, "api-key") ?? null, githubToken: textOf(env, "github-token") ?? null }
}

/** Where the files of the run go as far as that can be told without reading any other input. */
export function readOutDir(env: Environment, cwd: string): string | null {
  const outDir = textOf(env, "out-dir")
  return outDir === undefined ? null : resolve(readWorkingDirectory(env, cwd), outDir)
}

/** Read every input. Throws a UserError that names the input that is wrong. */
export function readInputs(env: Environment, cwd: string): ActionInputs {
  const text = (name: InputName) => textOf(env, name)
  const lines = (name: InputName) => linesOf(env, name)
  const number = (name: InputName) => numberOf(env, name)
  const flag = (name: InputName, otherwise = false) => flagOf(env, name, otherwise)
  return {
    run: {
      task: text("task"),
      taskFile: text("task-file"),
      prompt: text("prompt"),
      promptArgs: lines("arg"),
      inputs: lines("input"),
      plan: text("plan"),
      ...applyOf(env),
      ...resumeOf(env),
      config: lines("config"),
      set: lines("set"),
      bare: flag("bare"),
      model: text("model"),
      fallbackModels: orNone(lines("fallback-model")),
      baseUrl: text("base-url"),
      script: text("script"),
      maxTurns: number("max-turns"),
      maxCostUsd: number("max-cost-usd"),
      maxTokens: number("max-tokens"),
      maxDenials: number("max-denials"),
      timeoutMs: durationOf(env, "timeout"),
      allow: lines("allow"),
      deny: lines("deny"),
      broad: flag("broad"),
      mcpServers: lines("mcp-server"),
      ...(text("apply") === undefined && { only: lines("only") }),
      without: lines("without"),
      refreshAuth: flag("refresh-auth"),
      // Not said is not "no": a plan is applied under the lock that there is.
      locked: flag("locked") || undefined,
      outputSchema: text("output-schema"),
    },
    workingDirectory: readWorkingDirectory(env, cwd),
    outDir: readOutDir(env, cwd),
    stepSummary: flag("step-summary", true),
    verbosity: flag("quiet") ? "quiet" : flag("verbose") ? "verbose" : "normal",
    allowedBots: botsOf(env),
  }
}

/** With a plan, `only` names calls of it, as on the command line. */
function applyOf(env: Environment): Pick<RunOptions, "apply"> {
  const plan = textOf(env, "apply")
  if (plan === undefined) return {}
  const only = linesOf(env, "only").flatMap((ids) => ids.split(",").map((id) => id.trim()))
  return { apply: { plan, only, keepGoing: flagOf(env, "keep-going", false) } }
}

function resumeOf(env: Environment): Pick<RunOptions, "resume"> {
  const transcript = textOf(env, "resume")
  const approve = linesOf(env, "approve")
  const reject = linesOf(env, "reject")
  const reason = textOf(env, "reason")
  if (transcript !== undefined) {
    return { resume: { transcript, approve, reject, ...(reason === undefined ? {} : { reason }) } }
  }
  if (approve.length === 0 && reject.length === 0 && reason === undefined) return {}
  const given = approve.length > 0 ? "approve" : reject.length > 0 ? "reject" : "reason"
  throw wrong(given, "answers a paused run, and none is named", "Name its transcript with the input resume.")
}

function readWorkingDirectory(env: Environment, cwd: string): string {
  return resolve(env.GITHUB_WORKSPACE || cwd, textOf(env, "working-directory") ?? ".")
}

/** The runner hands over an input that is not set as an empty text. */
function textOf(env: Environment, name: InputName): string | undefined {
  const value = env[`INPUT_${name.toUpperCase()}`]?.trim()
  return value === "" ? undefined : value
}

/** One value a line. */
function linesOf(env: Environment, name: InputName): readonly string[] {
  const lines = (textOf(env, name) ?? "").split("\n").map((line) => line.trim())
  return lines.filter((line) => line !== "")
}

function orNone(lines: readonly string[]): readonly string[] | undefined {
  return lines.length === 0 ? undefined : lines
}

function numberOf(env: Environment, name: InputName): number | undefined {
  const text = textOf(env, name)
  if (text === undefined) return undefined
  if (!/^\d+(\.\d+)?$/.test(text)) throw wrong(name, `"${text}" is no number`, "Write digits, such as 20 or 1.5.")
  return Number(text)
}

function flagOf(env: Environment, name: InputName, otherwise: boolean): boolean {
  const text = textOf(env, name)?.toLowerCase()
  if (text === undefined) return otherwise
  if (text !== "true" && text !== "false") throw wrong(name, `"${text}" is neither true nor false`)
  return text === "true"
}

function durationOf(env: Environment, name: InputName): number | undefined {
  const text = textOf(env, name)
  if (text === undefined) return undefined
  const durationMs = parseDuration(text)
  if (durationMs === null || durationMs <= 0) throw wrong(name, `"${text}" is no duration`, "Write 90s, 10m or 1h30m.")
  return durationMs
}

function botsOf(env: Environment): readonly string[] {
  const bots = linesOf(env, "allowed-bots").flatMap((line) => line.split(",").map((bot) => bot.trim()))
  const strange = bots.find((bot) => !/^[\w-]+(\[bot\])?$/.test(bot))
  if (strange === undefined) return bots
  throw wrong("allowed-bots", `"${strange}" is not the name of a bot`, "Name each bot, such as dependabot[bot].")
}

function wrong(name: InputName, message: string, hint?: string): UserError {
  return new UserError("usage_error", message, { where: `input ${name}:`, ...(hint === undefined ? {} : { hint }) })
}
