import { reasons } from "../contract/reason.ts"
import type { Report } from "../contract/report.ts"
import type { RunOptions } from "../contract/run-options.ts"
import { toAnnotation } from "../report/annotation.ts"
import { neutraliseCommands } from "../report/escape.ts"
import { toJsonReport } from "../report/json.ts"
import { findingsOf } from "../report/run-findings.ts"
import type { HeadStart } from "../run/head-start.ts"
import { run } from "../run.ts"
import { createConsoleSink } from "../sinks/console.ts"
import { createStreamSink } from "../sinks/stream.ts"
import type { OptionValues, runOptions } from "./options.ts"
import { toHost } from "./run-host.ts"
import { writeOut } from "./write-out.ts"

/** A run of the command line: what it is told, how it shows itself, and what it has already. */
interface ShownRun {
  readonly options: RunOptions
  readonly values: Pick<OptionValues<typeof runOptions>, "output" | "quiet" | "verbose">
  readonly headStart: HeadStart | null
}

/** Run with progress on stderr and on stdout what `--output` says. */
export async function runWithOutput({ options, values, headStart }: ShownRun, host: NodeJS.Process): Promise<number> {
  const output = values.output ?? "text"
  const console = createConsoleSink({
    write: (text) => host.stderr.write(text),
    verbosity: values.quiet ? "quiet" : values.verbose ? "verbose" : "normal",
    color: host.stderr.isTTY === true && !host.env.NO_COLOR,
  })
  const sinks = output === "jsonl" ? [console, createStreamSink(host.stdout)] : [console]
  const report = await run({ ...options, sinks }, toHost(host), { headStart })
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
