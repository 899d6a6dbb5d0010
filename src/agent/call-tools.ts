import type { Emit, RunEventOf } from "../contract/event.ts"
import { isJsonObject, type JsonObject } from "../contract/json.ts"
import type { ToolUseBlock } from "../contract/model.ts"
import { errorResult, type Tool, type ToolResult } from "../contract/tool.ts"
import { createLimiter } from "../util/limiter.ts"

type DecisionRecord = NonNullable<RunEventOf<"tool.call">["decision"]>

/** What the rules say of a call; `refusal` is what the model is told when the call may not run. */
export interface Judgement {
  readonly decision: DecisionRecord
  readonly refusal: string | null
}

/** What a name means: a tool on offer, one that a rule or a setting hides, or nothing. */
export type Lookup =
  | { readonly kind: "offered"; readonly tool: Tool }
  | { readonly kind: "hidden"; readonly judgement: Judgement }
  | { readonly kind: "unknown"; readonly message: string }

/** The rooms that a call passes through, as far as this one needs them. */
export interface CallDesk {
  lookup(name: string): Lookup
  judge(tool: Tool, input: JsonObject): Judgement
  /** Called before every call that may change the workspace. */
  beforeWrite(): Promise<void>
  bound(result: ToolResult): ToolResult
  /** What stands between an allowed call and its execution: another input, or an answer instead of it. */
  before(call: AllowedCall, around: CallSurroundings): Promise<Clearance>
  /** What becomes of a result before the model sees it, with the notes made before the call. */
  after(call: AllowedCall, done: DoneCall, around: CallSurroundings): Promise<ToolResult>
}

/** A call that may run. */
export interface AllowedCall {
  readonly callId: string
  readonly turn: number
  readonly tool: Tool
  readonly input: JsonObject
  readonly decision: DecisionRecord
}

interface DoneCall {
  readonly result: ToolResult
  readonly notes: readonly string[]
}

/** Go on with this input and tell the model these notes, or answer at once. */
export type Clearance =
  | { readonly kind: "run"; readonly input: JsonObject; readonly notes: readonly string[] }
  | { readonly kind: "answer"; readonly result: ToolResult }

type CallSurroundings = Pick<CallRun, "emit" | "signal">

/** A call with its one answer. */
export interface SettledCall {
  readonly use: ToolUseBlock
  readonly result: ToolResult
}

interface CallRun {
  readonly desk: CallDesk
  readonly emit: Emit
  readonly signal: AbortSignal
  readonly turn: number
  /** Stop starting calls once this says so; the rest is answered "not run". */
  readonly halted: (settled: SettledCall) => boolean
}

const sideBySide = 8

/** Run the calls of one turn: read-only ones side by side, the others in order. Every call gets exactly one answer. */
export async function callTools(uses: readonly ToolUseBlock[], run: CallRun): Promise<readonly SettledCall[]> {
  const limit = createLimiter(sideBySide)
  const settled: (SettledCall | Promise<SettledCall>)[] = []
  let halted = false
  const note = (call: SettledCall) => {
    halted ||= run.halted(call)
    return call
  }
  for (const use of uses) {
    if (!mayOverlap(use, run.desk)) await Promise.all(settled)
    if (halted || run.signal.aborted) {
      settled.push(skipCall(use, run))
      continue
    }
    const prepared = prepareCall(use, run)
    if (prepared.kind === "answer") {
      settled.push(note(conclude({ use, result: prepared.result }, 0, run)))
      continue
    }
    const work = limit(() => runCall(use, prepared, run)).then(note)
    settled.push(work)
    if (!prepared.tool.hints.readOnly) await work
  }
  return Promise.all(settled)
}

/** Answer calls that will not run because the run is stopping. */
export function skipCalls(
  uses: readonly ToolUseBlock[],
  run: Pick<CallRun, "desk" | "emit" | "turn">,
): readonly SettledCall[] {
  return uses.map((use) => skipCall(use, run))
}

interface RunnableCall extends AllowedCall {
  readonly kind: "run"
}

type PreparedCall = RunnableCall | { readonly kind: "answer"; readonly result: ToolResult }

function mayOverlap(use: ToolUseBlock, desk: CallDesk): boolean {
  const found = desk.lookup(use.name)
  return found.kind !== "offered" || found.tool.hints.readOnly
}

function prepareCall(use: ToolUseBlock, run: CallRun): PreparedCall {
  const found = run.desk.lookup(use.name)
  if (found.kind === "unknown") {
    announce(use, null, run)
    return { kind: "answer", result: errorResult("unknown_tool", found.message) }
  }
  if (found.kind === "hidden") {
    announce(use, found.judgement.decision, run)
    return { kind: "answer", result: errorResult("denied", found.judgement.refusal ?? "This tool is not available.") }
  }
  const input = isJsonObject(use.input) ? use.input : null
  const judgement = run.desk.judge(found.tool, input ?? {})
  announce(use, judgement.decision, run)
  if (judgement.refusal !== null) return { kind: "answer", result: errorResult("denied", judgement.refusal) }
  if (input === null)
    return { kind: "answer", result: errorResult("invalid_input", "The input must be a JSON object.") }
  const { decision } = judgement
  return { kind: "run", callId: use.id, turn: run.turn, tool: found.tool, input, decision }
}

async function runCall(use: ToolUseBlock, call: RunnableCall, run: CallRun): Promise<SettledCall> {
  const startedAt = performance.now()
  const result = await execute(call, run)
  return conclude({ use, result }, Math.round(performance.now() - startedAt), run)
}

async function execute(call: AllowedCall, run: CallRun): Promise<ToolResult> {
  const cleared = await run.desk.before(call, run)
  if (cleared.kind === "answer") return cleared.result
  if (!call.tool.hints.readOnly) await run.desk.beforeWrite()
  if (run.signal.aborted) return notRun
  const { input, notes } = cleared
  const result = run.desk.bound(await call.tool.execute(input, { signal: run.signal, callId: call.callId }))
  return run.desk.after({ ...call, input }, { result, notes }, run)
}

const notRun = errorResult("not_run", "Not run: the run is stopping.")

function skipCall(use: ToolUseBlock, run: Pick<CallRun, "desk" | "emit" | "turn">): SettledCall {
  const found = run.desk.lookup(use.name)
  const offered = found.kind === "offered" && isJsonObject(use.input)
  announce(use, offered ? run.desk.judge(found.tool, use.input).decision : null, run)
  return conclude({ use, result: notRun }, 0, run)
}

function announce(
  use: ToolUseBlock,
  decision: DecisionRecord | null,
  run: Pick<CallRun, "desk" | "emit" | "turn">,
): void {
  run.emit({ type: "tool.call", ...identify(use, run), input: use.input, ...wrappedCall(use, run), decision })
}

/** What a custom tool makes of a call: the arguments that the model did not give are part of what happened. */
function wrappedCall(use: ToolUseBlock, run: Pick<CallRun, "desk">): Pick<RunEventOf<"tool.call">, "wraps"> {
  const found = run.desk.lookup(use.name)
  const wraps = found.kind === "offered" ? found.tool.wraps : undefined
  if (wraps === undefined) return {}
  const input = wraps.complete(isJsonObject(use.input) ? use.input : {})
  return { wraps: { tool: wraps.tool.name, input } }
}

function conclude(call: SettledCall, durationMs: number, run: Pick<CallRun, "desk" | "emit" | "turn">): SettledCall {
  const { result } = call
  run.emit({
    type: "tool.result",
    ...identify(call.use, run),
    state: stateOf(result),
    ok: !result.isError,
    duration_ms: durationMs,
    error_code: result.isError ? (result.errorCode ?? "tool_error") : null,
    content: result.content.map((block) =>
      block.type === "image"
        ? { type: "image", media_type: block.mediaType, bytes: Buffer.byteLength(block.data, "base64") }
        : block,
    ),
    ...(result.structured === undefined ? {} : { structured: result.structured }),
  })
  return call
}

function identify(use: ToolUseBlock, run: Pick<CallRun, "desk" | "turn">) {
  const found = run.desk.lookup(use.name)
  const origin = found.kind === "offered" ? (found.tool.wraps?.tool ?? found.tool).origin : null
  return { turn: run.turn, call_id: use.id, tool: use.name, server: origin?.kind === "mcp" ? origin.server : null }
}

function stateOf(result: ToolResult): RunEventOf<"tool.result">["state"] {
  if (!result.isError) return "output"
  if (result.errorCode === "denied") return "denied"
  return result.errorCode === "not_run" ? "not_run" : "error"
}
