import { accessSync, constants, type Stats, statSync } from "node:fs"
import { dirname } from "node:path"
import { createGit } from "../changes/git.ts"
import { reasons } from "../contract/reason.ts"
import { searchToolNames } from "../contract/tool.ts"
import { UserError } from "../contract/user-error.ts"
import { createRedactor } from "../events/redact.ts"
import { findCredentials, findEndpoint } from "../model/access.ts"
import { priceOf } from "../model/price.ts"
import { findProxy } from "../model/proxy.ts"
import { toLogLine } from "../report/escape.ts"
import { toJsonText } from "../report/json.ts"
import { findWorkspace } from "../run/find-config.ts"
import { faultOf, hintFor } from "../run/sandbox.ts"
import { isSpecial } from "../sinks/output-path.ts"
import { findRipgrep } from "../tools/ripgrep.ts"
import { findSandbox } from "../tools/sandbox.ts"
import { childEnvironment, gitSafety } from "../util/child-environment.ts"
import { toConfigRunOptions } from "./config-options.ts"
import { connectServers, type ServerSession } from "./connect-servers.ts"
import type { mcpOptions, OptionValues } from "./options.ts"
import { openBench } from "./policy/bench.ts"
import { writeOut } from "./write-out.ts"

/** One thing that was looked at. */
interface Check {
  readonly check: string
  readonly state: "ok" | "warning" | "problem"
  readonly message: string
  /** What to do; `null` when nothing is. */
  readonly hint: string | null
}

const configProblem = 2
const gitTimeoutMs = 10_000

/** `agent-run doctor`: everything that a run needs, checked without a model; exit code 2 for a problem, 5 for a required server. */
export async function doctorCommand(values: OptionValues<typeof mcpOptions>, host: NodeJS.Process): Promise<number> {
  const redactor = createRedactor({ env: host.env, envGlobs: [], patterns: [] })
  const options = { ...toConfigRunOptions(values), refreshAuth: values["refresh-auth"] }
  const checks: Check[] = [checkNode(host.versions.node), ...checkModelAccess(host.env)]
  let serversExit = 0
  try {
    const workspace = findWorkspace(options, { cwd: host.cwd() })
    checks.push(
      ok("workspace", workspace),
      await checkGit(workspace, host.env),
      await checkRipgrep(workspace, host.env),
    )
    const show = { host, json: values.json, quiet: values.verbose !== true, verbose: values.verbose }
    serversExit = await connectServers(options, show, async (session) => {
      const found = await checkSession(session)
      checks.push(...session.redact(found.checks))
      return found.exitCode
    })
  } catch (error) {
    if (!(error instanceof UserError) || reasons[error.code].exitCode !== configProblem) throw error
    checks.push(...problemsOf(checkOf(error), error))
  }
  const shown = redactor.redact(checks)
  const problem = await writeOut(host.stdout, values.json ? toJsonText(shown) : render(shown))
  if (problem !== null)
    throw new UserError("output_incomplete", `the result could not be written to stdout: ${problem}`)
  const isWrong = checks.some(({ check, state }) => state === "problem" && !check.startsWith("server "))
  return isWrong ? configProblem : serversExit
}

function checkOf({ code, where }: UserError): string {
  if (code === "unset_variable") return "variables"
  return where?.startsWith("--workspace ") ? "workspace" : "configuration"
}

function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return ok("node", version)
  return problem("node", `${version} is too old`, "Install Node 20.19 or later.")
}

/** Nothing is sent: the variables are there and well-formed, or not. */
function checkModelAccess(env: NodeJS.ProcessEnv): readonly Check[] {
  const credentials = attempt("credentials", () => {
    const found = findCredentials(env)
    if (found.kind === "federation" && "file" in found.identityToken)
      accessSync(found.identityToken.file, constants.R_OK)
    return { api_key: "an API key", auth_token: "a token", federation: "workload identity" }[found.kind]
  })
  const endpoint = attempt("endpoint", () => {
    const through = findProxy(env) === null ? "" : ", perhaps through a proxy"
    return `${findEndpoint(null, env)}${through}`
  })
  return [...credentials, ...endpoint]
}

async function checkGit(workspace: string, env: NodeJS.ProcessEnv): Promise<Check> {
  const signal = AbortSignal.timeout(gitTimeoutMs)
  const git = await createGit({ workspace, env: childEnvironment(env, { values: gitSafety }), signal })
  if (git === null)
    return warning("git", "there is no git on the PATH", "Install it: the files that a run changed are found with it.")
  try {
    const answer = await git(["rev-parse", "--is-inside-work-tree"])
    if (answer.kind === "ran" && answer.exitCode === 0) return ok("git", "the workspace is a repository")
    const said = answer.kind === "ran" ? answer.stderr : ""
    return warning(
      "git",
      `the workspace is no usable repository: ${said}`,
      "Check it out with git, if it should be one.",
    )
  } catch (error) {
    return warning("git", textOf(error), "Try git status in the workspace.")
  }
}

async function checkRipgrep(workspace: string, env: NodeJS.ProcessEnv): Promise<Check> {
  try {
    const program = await findRipgrep({ root: workspace, path: env.PATH ?? "" })
    accessSync(program, constants.X_OK)
    return ok("ripgrep", program)
  } catch {
    return warning("ripgrep", "there is no rg, so Grep and Glob will fail", "Install the package ripgrep.")
  }
}

/** What can be said once the configuration is loaded. */
async function checkSession(
  session: ServerSession,
): Promise<{ readonly checks: readonly Check[]; readonly exitCode: number }> {
  const { config } = session
  const files = config.sources.map((file) => ok("configuration", file))
  const pool = await session.connect()
  const servers = pool.states().map(({ name, required, state }) => {
    const found = session.report().servers.find((server) => server.name === name)
    const check = `server ${name}`
    if (state.status === "disabled") return ok(check, `disabled: ${state.why}`)
    if (state.status === "connected") return ok(check, `connected, tools: ${found?.tools ?? 0}`)
    const message = `${state.status}${found?.error ? `: ${found.error}` : ""}`
    return required
      ? problem(check, message, "A run would end with exit code 5: mend the server, or set required = false.")
      : warning(check, message, "A run would go on without it: mend the server, or set required = true.")
  })
  const checks = [
    ...(files.length === 0 ? [ok("configuration", "no file: the defaults count")] : files),
    ...config.warnings.map(({ code, message }) =>
      warning(code === "missing_env_var" ? "variables" : "configuration", message, null),
    ),
    ...checkPrice(session),
    ...checkOutputs(session),
    ...(await checkSandbox(session)),
    ...servers,
    ...checkRules(session, () => openBench(session, pool)),
  ]
  const exitCode = pool.missingRequired().length === 0 ? 0 : reasons.required_server_unavailable.exitCode
  return { checks, exitCode }
}

function checkPrice({ config }: ServerSession): readonly Check[] {
  const { model, fallbackModels, prices, maxCostUsd } = config.agent
  const unknown = [model, ...fallbackModels].filter((id) => priceOf(id, prices) === null)
  if (unknown.length === 0) return [ok("model", model)]
  const message = `the price of ${unknown.join(", ")} is unknown`
  const hint = `Set agent.prices."${unknown[0]}", in dollars per million tokens.`
  return [
    maxCostUsd === null
      ? warning("model", message, hint)
      : problem("model", `max_cost_usd is set, but ${message}`, hint),
  ]
}

function checkOutputs({ config }: ServerSession): readonly Check[] {
  const paths = [...Object.values(config.output), config.mcp.deadLetterFile].filter((path) => path !== null)
  return paths.map((path) => {
    const fault = faultOfOutput(path)
    if (fault === null) return ok("output", path)
    return problem("output", `${path}: ${fault}`, "Give a path in a folder that this user may write to.")
  })
}

/** Nothing to say when Bash is not offered: then nothing is confined. */
async function checkSandbox({ config, workspace, env }: ServerSession): Promise<readonly Check[]> {
  if (!config.tools.builtin.includes("Bash")) return []
  const { sandbox } = config.security
  if (sandbox === "off") return [ok("sandbox", 'off: security.sandbox = "off"')]
  const search = await findSandbox({ path: env.PATH ?? "", workspace, readOnly: [] })
  if (search.kind === "found") return [ok("sandbox", search.program)]
  const judge = sandbox === "require" ? problem : warning
  return [judge("sandbox", `${faultOf(search)}, so commands of Bash have none`, hintFor(search))]
}

/** Nothing is created: the folder that is there, or would hold the first new one, must be ours to write to. */
function faultOfOutput(path: string): string | null {
  try {
    if (isSpecial(path)) return null
    if (lookAt(path)?.isDirectory()) return "it is a folder"
    let folder = dirname(path)
    while (lookAt(folder) === null) folder = dirname(folder)
    if (!lookAt(folder)?.isDirectory()) return `${folder} is not a directory`
    accessSync(folder, constants.W_OK | constants.X_OK)
    return null
  } catch (error) {
    return textOf(error)
  }
}

/** `null` when there is nothing; below a file there is nothing either, which not every Node says alike. */
function lookAt(path: string): Stats | null {
  try {
    return statSync(path)
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) return null
    throw error
  }
}

function checkRules({ config }: ServerSession, open: () => ReturnType<typeof openBench>): readonly Check[] {
  try {
    const { policy, names } = open()
    const dead = policy.deadRules([...names, ...searchToolNames].map((name) => ({ name })))
    const { length: count } = config.permissions.rules
    return [
      ok("rules", count === 0 ? "none: only what needs no rule" : `${count - dead.length} of ${count} match a tool`),
      ...dead.map(({ source, action, tool }) =>
        warning(
          "rules",
          `${source}: the rule ${action} "${tool}" matches no tool`,
          "Compare it with agent-run mcp tools; tools of a server that is not connected are unknown.",
        ),
      ),
    ]
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return problemsOf("rules", error)
  }
}

function attempt(check: string, look: () => string): readonly Check[] {
  try {
    return [ok(check, look())]
  } catch (error) {
    if (error instanceof UserError) return problemsOf(check, error)
    return [problem(check, textOf(error), "Check the variable that names this file.")]
  }
}

/** Several mistakes come as one error, a line each. */
function problemsOf(check: string, { message, hint }: UserError): readonly Check[] {
  return message.split("\n").map((line) => problem(check, line, hint))
}

function ok(check: string, message: string): Check {
  return { check, state: "ok", message, hint: null }
}

function warning(check: string, message: string, hint: string | null): Check {
  return { check, state: "warning", message, hint }
}

function problem(check: string, message: string, hint: string | null): Check {
  return { check, state: "problem", message, hint }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function render(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ check }) => check.length))
  const lines = checks.map(({ check, state, message, hint }) => {
    const text = hint === null ? message : `${message} -> ${hint}`
    return `${state.padEnd(7)}  ${toLogLine(check).padEnd(width)}  ${toLogLine(text, 1000)}`
  })
  return `${lines.join("\n")}\n`
}
