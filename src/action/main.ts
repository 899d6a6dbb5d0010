import { existsSync } from "node:fs"
import { appendFile, mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { listenForStop } from "../commands/stop-signals.ts"
import { writeOut } from "../commands/write-out.ts"
import { outputFiles } from "../contract/output.ts"
import { reasons } from "../contract/reason.ts"
import type { Report } from "../contract/report.ts"
import type { Host, RunOptions } from "../contract/run-options.ts"
import { UserError } from "../contract/user-error.ts"
import { neutraliseCommands, toLogLine } from "../report/escape.ts"
import { refuseRun, run } from "../run.ts"
import { createConsoleSink } from "../sinks/console.ts"
import { annotationsOf } from "./annotations.ts"
import { readContext } from "./context.ts"
import { guardActors } from "./guard.ts"
import { type ActionInputs, readInputs, readOutDir, readSecrets, type SecretInputs } from "./inputs.ts"
import { maskCommands } from "./mask.ts"
import { outputsOf, renderOutputs } from "./outputs.ts"
import { renderStepSummary } from "./summary.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** The front door of the Action: inputs, guard, run, then everything a workflow can read of it; ends the process with the exit code. */
export async function main(host: NodeJS.Process): Promise<void> {
  const secrets = readSecrets(host.env)
  await writeOut(host.stdout, maskCommands(secrets))
  const exitCode = await perform(host, secrets).catch(async (error: unknown) => {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
    await writeOut(host.stderr, `agent-run: ${toLogLine(message, 2000)}\n`)
    return reasons.internal_error.exitCode
  })
  // Something the run does not own must not keep the step alive.
  host.exit(exitCode)
}

async function perform(host: NodeJS.Process, secrets: SecretInputs): Promise<number> {
  const env: Environment = { ...host.env, ...(secrets.apiKey === null ? {} : { ANTHROPIC_API_KEY: secrets.apiKey }) }
  const outDir = readOutDir(env, host.cwd()) ?? (await mkdtemp(join(env.RUNNER_TEMP || tmpdir(), "agent-run-")))
  const { report, stepSummary, plan, transcript } = await runStep({ host, env, secrets, outDir })

  const problems: string[] = []
  const append = async (variable: "GITHUB_OUTPUT" | "GITHUB_STEP_SUMMARY", render: () => string) => {
    const path = env[variable]
    if (!path) return
    const write = async () => appendFile(path, render())
    await write().catch((error: Error) => problems.push(`cannot write ${variable}: ${error.message}`))
  }
  const paths = {
    report: join(outDir, outputFiles.report),
    transcript: transcript ?? join(outDir, outputFiles.transcript),
    plan: plan !== null && existsSync(plan) ? plan : "",
    outDir,
  }
  await append("GITHUB_OUTPUT", () => renderOutputs(outputsOf(report, paths)))
  if (stepSummary) await append("GITHUB_STEP_SUMMARY", () => renderStepSummary(report))

  const answer = report.exit_code === 0 ? [neutraliseCommands(report.answer ?? "")] : []
  const lines = [...answer, ...annotationsOf(report)]
  await writeOut(host.stdout, lines.map((line) => `${line}\n`).join(""))
  for (const problem of problems) await writeOut(host.stderr, `agent-run: ${toLogLine(problem)}\n`)
  return report.exit_code || (problems.length > 0 ? reasons.output_incomplete.exitCode : 0)
}

interface StepEnd {
  readonly report: Report
  readonly stepSummary: boolean
  /** Where the plan is to be, if one was asked for. */
  readonly plan: string | null
  /** Of the run that went on; null when it is where the other files are. */
  readonly transcript: string | null
}

async function runStep(step: {
  readonly host: NodeJS.Process
  readonly env: Environment
  readonly secrets: SecretInputs
  readonly outDir: string
}): Promise<StepEnd> {
  const { host, env, secrets, outDir } = step
  using stop = listenForStop(host)
  const surroundingsFor = (verbosity: ActionInputs["verbosity"]) => {
    const console = createConsoleSink({ write: (text) => host.stderr.write(text), verbosity, color: false })
    return { outDir, sinks: [console], signal: stop.signal } satisfies RunOptions
  }
  const log = (line: string) => host.stderr.write(`${line}\n`)
  const runHost: Host = { env, cwd: host.cwd(), stdin: host.stdin, log }

  let inputs: ActionInputs | null = null
  try {
    if (host.platform === "win32")
      throw new UserError("usage_error", "agent-run runs on Linux and macOS runners; on Windows use WSL")
    inputs = readInputs(env, host.cwd())
    const { allowedBots } = inputs
    await guardActors({ context: readContext(env), ...secrets, allowedBots, env, signal: stop.signal })
  } catch (error) {
    if (error instanceof UserError) {
      const report = await refuseRun(error, surroundingsFor("normal"), runHost)
      return { report, stepSummary: inputs?.stepSummary ?? true, plan: null, transcript: null }
    }
    // A job that is cancelled while the guard asks ends as a run does that is stopped before its first turn.
    if (!stop.signal.aborted) throw error
  }
  const {
    run: options = {},
    workingDirectory: cwd = host.cwd(),
    stepSummary = true,
    verbosity = "normal",
  } = inputs ?? {}
  const report = await run({ ...options, ...surroundingsFor(verbosity) }, { ...runHost, cwd })
  const place = (path: string | undefined) => (path === undefined ? null : resolve(cwd, path))
  return { report, stepSummary, plan: place(options.plan), transcript: place(options.resume?.transcript) }
}
