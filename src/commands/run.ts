import { reasons } from "../contract/reason.ts"
import type { Report } from "../contract/report.ts"
import type { RunOptions } from "../contract/run-options.ts"
import { UserError } from "../contract/user-error.ts"
import { toAnnotation } from "../report/annotation.ts"
import { neutraliseCommands } from "../report/escape.ts"
import { toJsonReport } from "../report/json.ts"
import { findingsOf } from "../report/run-findings.ts"
import { run } from "../run.ts"
import { createConsoleSink } from "../sinks/console.ts"
import { createStreamSink } from "../sinks/stream.ts"
import { parseDuration } from "../util/duration.ts"
import { toConfigRunOptions } from "./config-options.ts"
import type { OptionValues, runOptions } from "./options.ts"
import { listenForStop } from "./stop-signals.ts"
import { writeOut } from "./write-out.ts"

type Values = OptionValues<typeof runOptions>

/** `agent-run run`: a run with progress on stderr and the result on stdout. */
export function runCommand(values: Values, host: NodeJS.Process): Promise<number> {
  return runWithOutput(toRunOptions(values), values, host)
}

/** Run with progress on stderr and on stdout what `--output` says. */
export async function runWithOutput(
  options: RunOptions,
  values: Pick<Values, "output" | "quiet" | "verbose">,
  host: NodeJS.Process,
): Promise<number> {
  const output = values.output ?? "text"
  using stop = listenForStop(host)
  const console = createConsoleSink({
    write: (text) => host.stderr.write(text),
    verbosity: values.quiet ? "quiet" : values.verbose ? "verbose" : "normal",
    color: host.stderr.isTTY === true && !host.env.NO_COLOR,
  })
  const sinks = output === "jsonl" ? [console, createStreamSink(host.stdout)] : [console]
  const report = await run(
    { ...options, sinks, signal: stop.signal },
    { env: host.env, cwd: host.cwd(), stdin: host.stdin, log: (line) => host.stderr.write(`${line}\n`) },
  )
  if (host.env.GITHUB_ACTIONS === "true") {
    for (const finding of findingsOf(report)) host.stderr.write(`${toAnnotation(finding)}\n`)
  }
  const problem = await writeOut(host.stdout, resultOf(report, output))
  if (problem === null) return report.exit_code
  host.stderr.write(`agent-run: the result could not be written to stdout: ${problem}\n`)
  return report.exit_code || reasons.output_incomplete.exitCode
}

/** What stdout carries for a report; the event stream has been written as it happened. */
function resultOf(report: Report, output: string): string {
  if (output === "json") return toJsonReport(report)
  return output === "text" && report.exit_code === 0 ? `${neutraliseCommands(report.answer ?? "")}\n` : ""
}

function toRunOptions(values: Values): RunOptions {
  return {
    ...toConfigRunOptions(values),
    locked: values.locked,
    refreshAuth: values["refresh-auth"],
    task: values.task,
    taskFile: values["task-file"],
    prompt: values.prompt,
    promptArgs: values.arg,
    inputs: values.input,
    baseUrl: values["base-url"],
    script: values.script,
    outputSchema: values["output-schema"],
    maxTurns: values["max-turns"],
    maxCostUsd: values["max-cost-usd"],
    maxTokens: values["max-tokens"],
    timeoutMs: toTimeoutMs(values.timeout),
    maxDenials: values["max-denials"],
    plan: values.plan,
    resume: resumeOf(values),
    ...outputsOf(values),
  }
}

function resumeOf({ resume: transcript, approve, reject, reason }: Values): RunOptions["resume"] {
  if (transcript !== undefined) return { transcript, approve, reject, ...(reason === undefined ? {} : { reason }) }
  if (approve.length === 0 && reject.length === 0 && reason === undefined) return undefined
  throw new UserError("usage_error", "--approve, --reject and --reason answer a paused run", {
    hint: "Name its transcript with --resume TRANSCRIPT.",
  })
}

/** The output files, as `run()` calls them. */
export function outputsOf(
  values: Pick<Values, "report" | "transcript" | "summary" | "junit" | "html" | "sarif" | "out-dir">,
) {
  const { report, transcript, summary, junit, html, sarif } = values
  return { report, transcript, summary, junit, html, sarif, outDir: values["out-dir"] }
}

/** `--timeout` in milliseconds. Throws a UserError for what is no duration. */
export function toTimeoutMs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const timeoutMs = parseDuration(text)
  if (timeoutMs === null || timeoutMs <= 0) {
    throw new UserError("usage_error", `"${text}" is no duration`, {
      where: "--timeout:",
      hint: "Write 90s, 10m or 1h30m.",
    })
  }
  return timeoutMs
}
