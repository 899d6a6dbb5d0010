import type { RunOptions } from "../contract/run-options.ts"
import { UserError } from "../contract/user-error.ts"
import { takeHeadStart } from "../run/head-start.ts"
import { parseDuration } from "../util/duration.ts"
import { toConfigRunOptions } from "./config-options.ts"
import type { OptionValues, runOptions } from "./options.ts"
import { toHost } from "./run-host.ts"
import { listenForStop } from "./stop-signals.ts"

type Values = OptionValues<typeof runOptions>

/** `agent-run run`: its local servers are started first, and boot while everything else is loaded. */
export async function runCommand(values: Values, host: NodeJS.Process): Promise<number> {
  using stop = listenForStop(host)
  const options = { ...toRunOptions(values), signal: stop.signal }
  const headStart = await takeHeadStart(options, toHost(host))
  const { runWithOutput } = await import("./run-with-output.ts")
  return await runWithOutput({ options, values, headStart }, host)
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
