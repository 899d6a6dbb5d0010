import { confirmed, denied, type Emit, type RunEventOf } from "../contract/event.ts"
import type { JsonObject } from "../contract/json.ts"
import type { Reason } from "../contract/reason.ts"
import { errorResult, type Tool, type ToolResult } from "../contract/tool.ts"

/** What a person, or a program in their place, said to a call. */
export interface Approval {
  readonly approved: boolean
  readonly reason: string | null
}

type CallIdentity = Pick<RunEventOf<"tool.call">, "turn" | "call_id" | "tool" | "server">
type Request = CallIdentity & Pick<RunEventOf<"approval.request">, "input" | "decision">

/** The way from a call that needs a person to an answer. Without one such calls are refused. */
export interface Approvals {
  /** Ask now; absent: the call waits and the run pauses. */
  readonly ask?: (request: Request, signal: AbortSignal) => Promise<Approval>
  isReadOnly(tool: Tool, input: JsonObject): boolean
  /** The secrets in an input by name; `null` when a transcript could not hold it so that it can be put back. */
  secretsIn(input: JsonObject): readonly string[] | null
  /** Make sure that all events so far survive the end of this process; a text says why they do not. */
  readonly sync?: () => Promise<string | null>
}

/** What an earlier process did about the calls of a turn. */
export interface EarlierCalls {
  readonly announced: ReadonlySet<string>
  readonly started: ReadonlySet<string>
  readonly answers: ReadonlyMap<string, Approval>
}

interface Around {
  readonly emit: Emit
  readonly signal: AbortSignal
}

/** Ask about one call and record request and answer. `null`: approved; otherwise what the model is told. */
export async function askNow(
  request: Request,
  ask: NonNullable<Approvals["ask"]>,
  around: Around,
): Promise<ToolResult | null> {
  around.emit({ type: "approval.request", ...request })
  const { approved, reason } = await ask(request, around.signal)
  const { turn, call_id, tool, server } = request
  const answer = approved ? confirmed : denied
  around.emit({ type: "approval.answer", turn, call_id, tool, server, approved, answer, reason, by: "command" })
  return approved ? null : rejection(request.tool, reason)
}

/** What the model is told about a call that a person rejected. */
export function rejection(tool: string, reason: string | null): ToolResult {
  const why = reason === null ? "" : ` ${reason.trim().replace(/[^.!?]$/, "$&.")}`
  return errorResult("denied", `${denied}${why} ${tool} was not run. Do not make the same call again.`)
}

/** A call whose input no transcript can keep cannot wait for anybody. */
export const cannotWait = errorResult(
  "denied",
  "Denied: the call would have to wait for a person, and its input holds a secret in a form that a transcript cannot keep. Let the program read the secret from its variable instead.",
)

/** What is known of a call that an earlier process started and did not see end. */
export const interrupted = errorResult(
  "aborted",
  "The run was interrupted while this call was running. Whether it had its effect is not known; it was not run again.",
)

/** Say on the disk that a call starts, before it does. `null`, or why it must not. */
export async function markStarted(call: CallIdentity, approvals: Approvals, emit: Emit): Promise<ToolResult | null> {
  if (approvals.sync === undefined) return null
  emit({ type: "tool.started", ...call })
  const problem = await approvals.sync()
  return problem === null ? null : errorResult("not_run", `Not run: the transcript cannot be written: ${problem}`)
}

/** The run pauses until its calls are answered. */
export function approvalNeeded(waiting: number): Reason {
  return {
    code: "approval_needed",
    message: waiting === 1 ? "one call waits for an approval" : `${waiting} calls wait for approvals`,
    hint: "Go on with --resume TRANSCRIPT and --approve ID|all or --reject ID|all; the calls are in the report under approvals.",
  }
}
