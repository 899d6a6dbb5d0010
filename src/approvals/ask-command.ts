import { isJsonObject, type JsonObject } from "../contract/json.ts"
import { type ProcessEnd, runProcess } from "../util/run-process.ts"
import { toWellFormed } from "../util/well-formed.ts"
import type { Approval } from "./answers.ts"

/** The program that answers in a person's place. */
export interface AskCommand {
  readonly command: readonly string[]
  readonly timeoutMs: number
  readonly env: Readonly<Record<string, string>>
}

const maxAnswerBytes = 64 * 1024
const maxReasonChars = 2000

/** Give a program a request as JSON and read its answer. Never throws: whatever is no clear yes is a no. */
export async function askByCommand(
  asked: AskCommand,
  request: JsonObject,
  around: { readonly cwd: string; readonly signal: AbortSignal },
): Promise<Approval> {
  const [file = "", ...args] = asked.command
  const chunks: Buffer[] = []
  let bytes = 0
  const tooMuch = new AbortController()
  try {
    const end = await runProcess({
      file,
      args,
      cwd: around.cwd,
      env: asked.env,
      stdin: `${JSON.stringify(request)}\n`,
      timeoutMs: asked.timeoutMs,
      signal: AbortSignal.any([around.signal, tooMuch.signal]),
      onStdout(chunk) {
        bytes += chunk.length
        if (bytes > maxAnswerBytes) tooMuch.abort()
        else chunks.push(chunk)
      },
      onStderr() {},
    })
    if (end.kind !== "exited" || end.exitCode !== 0) return rejected(describe(end))
    return readAnswer(toWellFormed(Buffer.concat(chunks).toString("utf8")))
  } catch (error) {
    return rejected(`could not be started: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function readAnswer(text: string): Approval {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    return rejected("did not answer with JSON")
  }
  if (!isJsonObject(answer) || typeof answer.approve !== "boolean")
    return rejected('did not answer {"approve": true} or false')
  const reason = typeof answer.reason === "string" ? answer.reason.slice(0, maxReasonChars) : null
  return { approved: answer.approve, reason }
}

function rejected(why: string): Approval {
  return { approved: false, reason: `ask_command ${why}` }
}

function describe(end: ProcessEnd): string {
  switch (end.kind) {
    case "exited":
      return `ended with exit code ${end.exitCode}`
    case "killed":
      return `was ended by ${end.by}`
    case "timeout":
      return "gave no answer in time"
    case "aborted":
      return "was stopped"
    default:
      return end satisfies never
  }
}
