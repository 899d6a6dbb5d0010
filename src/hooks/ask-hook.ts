import type { Hook } from "../contract/config.ts"
import type { JsonObject } from "../contract/json.ts"
import { formatDuration } from "../util/duration.ts"
import { type ProcessEnd, runProcess } from "../util/run-process.ts"
import { toWellFormed } from "../util/well-formed.ts"
import { blocked, type HookAnswer, readAnswer } from "./answer.ts"

/** What a hook said, and how long it took; `aborted` when the run was stopped before it answered. */
export interface AskedHook {
  readonly answer: HookAnswer
  readonly aborted: boolean
  readonly durationMs: number
}

const maxStdoutBytes = 1024 * 1024
const stderrTailBytes = 2000

/** Tell one hook of a moment and wait for its answer. Never throws: a hook that fails blocks. */
export async function askHook(
  hook: Hook,
  moment: JsonObject,
  around: { readonly cwd: string; readonly signal: AbortSignal },
): Promise<AskedHook> {
  const startedAt = performance.now()
  const [file = "", ...args] = hook.command
  const tooMuch = new AbortController()
  const stdout: Buffer[] = []
  let stdoutBytes = 0
  let stderr = Buffer.alloc(0)

  const answer = await runProcess({
    file,
    args,
    cwd: around.cwd,
    env: hook.env,
    stdin: `${JSON.stringify(moment)}\n`,
    timeoutMs: hook.timeoutMs,
    signal: AbortSignal.any([around.signal, tooMuch.signal]),
    onStdout(chunk) {
      stdoutBytes += chunk.length
      if (stdoutBytes > maxStdoutBytes) tooMuch.abort()
      else stdout.push(chunk)
    },
    onStderr(chunk) {
      stderr = Buffer.concat([stderr, chunk]).subarray(-stderrTailBytes)
    },
  }).then(
    (end) => answerOf(end, hook),
    (error: unknown) => blocked(error instanceof Error ? error.message : String(error)),
  )
  return { answer, aborted: around.signal.aborted, durationMs: Math.round(performance.now() - startedAt) }

  function answerOf(end: ProcessEnd, { timeoutMs }: Hook): HookAnswer {
    switch (end.kind) {
      case "exited":
        if (end.exitCode === 0) return readAnswer(toWellFormed(Buffer.concat(stdout).toString("utf8")))
        return blocked(`exit code ${end.exitCode}${lastWords()}`)
      case "killed":
        return blocked(`ended by ${end.by}${lastWords()}`)
      case "timeout":
        return blocked(`no answer within ${formatDuration(timeoutMs)} (timeout_sec)`)
      case "aborted":
        return blocked(tooMuch.signal.aborted ? "it printed more than 1 MiB" : "the run was stopped")
      default:
        return end satisfies never
    }
  }

  function lastWords(): string {
    const text = toWellFormed(stderr.toString("utf8")).trim()
    return text === "" ? "" : `: ${text}`
  }
}
