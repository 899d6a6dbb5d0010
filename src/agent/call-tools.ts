import type { Emit, RunEventOf } from "../contract/event.ts"
import { isJsonObject, type JsonObject } from "../contract/json.ts"
import type { ToolUseBlock } from "../contract/model.ts"
import { errorResult, type ResultBlock, type Tool, type ToolResult } from "../contract/tool.ts"
import { createLimiter } from "../util/limiter.ts"
import {
  type Approvals,
  askNow,
  cannotWait,
  type EarlierCalls,
  interrupted,
  markStarted,
  rejection,
} from "./approval.ts"

type DecisionRecord = NonNullable<RunEventOf<"tool.call">["decision"]>

/** What the rules say of a call; `refusal` is what the model is told when the call may not run. */
export interface Judgement {
  readonly decision: DecisionRecord
  readonly refusal: string | null
  /** The rules that would allow the call, when adding rules is all it takes. */
  readonly allowWith?: string
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
  /** Who is asked about calls that need a person; absent: they are refused. */
  readonly approvals?: Approvals
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
  /** What is known of these calls when the run was resumed among them. */
  readonly earlier?: EarlierCalls
}

const sideBySide = 8

/**
 * Run the calls of one turn: read-only ones side by side, the others in order. Every call gets exactly one answer, but for
 * those that wait: the ones that a person must approve, and whatever after them does more than read.
 */
export async function callTools(uses: readonly ToolUseBlock[], run: CallRun): Promise<readonly SettledCall[]> {
  const limit = createLimiter(sideBySide)
  const settled: (SettledCall | Promise<SettledCall>)[] = []
  const waiting: ToolUseBlock[] = []
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
    const prepared = waiting.length === 0 ? prepareCall(use, run) : holdBack(prepareCall(use, run))
    if (prepared.kind === "wait") {
      waiting.push(use)
      continue
    }
    if (prepared.kind === "answer") {
      settled.push(note(conclude({ use, result: prepared.result }, 0, run)))
      continue
    }
    const work = limit(() => runCall(use, prepared, run)).then(note)
    settled.push(work)
    if (!prepared.tool.hints.readOnly) await work
  }
  await Promise.all(settled)
  if (halted || run.signal.aborted) settled.push(...waiting.map((use) => conclude({ use, result: notRun }, 0, run)))
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
  /** Does a person have to be asked first? */
  readonly asks: boolean
  /** What becomes of it when calls before it wait. */
  readonly behindOthers: "run" | "wait" | "refuse"
}

type PreparedCall = RunnableCall | { readonly kind: "answer"; readonly result: ToolResult } | { readonly kind: "wait" }

function mayOverlap(use: ToolUseBlock, desk: CallDesk): boolean {
  const found = desk.lookup(use.name)
  return found.kind !== "offered" || found.tool.hints.readOnly
}

function prepareCall(use: ToolUseBlock, run: CallRun): PreparedCall {
  if (run.earlier?.started.has(use.id)) return { kind: "answer", result: interrupted }
  const found = run.desk.lookup(use.name)
  if (found.kind === "unknown") {
    announce(use, { decision: null }, run)
    return { kind: "answer", result: errorResult("unknown_tool", found.message) }
  }
  if (found.kind === "hidden") {
    announce(use, found.judgement, run)
    return { kind: "answer", result: errorResult("denied", found.judgement.refusal ?? "This tool is not available.") }
  }
  const input = isJsonObject(use.input) ? use.input : null
  const { decision, refusal, allowWith } = run.desk.judge(found.tool, input ?? {})
  const { approvals } = run.desk
  const refill = approvals === undefined ? [] : approvals.secretsIn(input ?? {})
  const refused = refusal !== null && (decision.action !== "ask" || approvals === undefined || input === null)
  announce(use, { decision, ...(refused && allowWith !== undefined && { allowWith }), refill: refill ?? [] }, run)
  if (refused) return { kind: "answer", result: errorResult("denied", refusal) }
  if (input === null)
    return { kind: "answer", result: errorResult("invalid_input", "The input must be a JSON object.") }
  const reads = approvals === undefined || approvals.isReadOnly(found.tool, input)
  const behindOthers = reads ? "run" : refill === null ? "refuse" : "wait"
  const identity = { callId: use.id, turn: run.turn, tool: found.tool, input, decision }
  const call: RunnableCall = { kind: "run", ...identity, asks: false, behindOthers }
  if (decision.action !== "ask" || refusal === null || approvals === undefined) return call
  const answer = run.earlier?.answers.get(use.id)
  if (answer) return answer.approved ? call : { kind: "answer", result: rejection(use.name, answer.reason) }
  if (approvals.ask !== undefined) return { ...call, asks: true }
  if (refill === null) return { kind: "answer", result: cannotWait }
  run.emit({ type: "approval.request", ...identify(use, run), input, decision })
  return { kind: "wait" }
}

/** Nothing but reading happens after a call that waits. */
function holdBack(prepared: PreparedCall): PreparedCall {
  if (prepared.kind !== "run" || prepared.behindOthers === "run") return prepared
  return prepared.behindOthers === "wait" ? { kind: "wait" } : { kind: "answer", result: cannotWait }
}

async function runCall(use: ToolUseBlock, call: RunnableCall, run: CallRun): Promise<SettledCall> {
  const startedAt = performance.now()
  const result = await execute(use, call, run)
  return conclude({ use, result }, Math.round(performance.now() - startedAt), run)
}

async function execute(use: ToolUseBlock, call: RunnableCall, run: CallRun): Promise<ToolResult> {
  const { approvals } = run.desk
  const cleared = await run.desk.before(call, run)
  if (cleared.kind === "answer") return cleared.result
  const { input, notes } = cleared
  if (call.asks && approvals?.ask) {
    const rejected = await askNow({ ...identify(use, run), input, decision: call.decision }, approvals.ask, run)
    if (rejected) return rejected
  }
  if (!call.tool.hints.readOnly) await run.desk.beforeWrite()
  if (run.signal.aborted) return notRun
  const unrecorded = approvals ? await markStarted(identify(use, run), approvals, run.emit) : null
  if (unrecorded) return unrecorded
  const result = run.desk.bound(await call.tool.execute(input, { signal: run.signal, callId: call.callId }))
  return run.desk.after({ ...call, input }, { result, notes }, run)
}

const notRun = errorResult("not_run", "Not run: the run is stopping.")

function skipCall(use: ToolUseBlock, run: Pick<CallRun, "desk" | "emit" | "turn" | "earlier">): SettledCall {
  const found = run.desk.lookup(use.name)
  const offered = found.kind === "offered" && isJsonObject(use.input)
  announce(use, { decision: offered ? run.desk.judge(found.tool, use.input).decision : null }, run)
  return conclude({ use, result: notRun }, 0, run)
}

function announce(
  use: ToolUseBlock,
  judged: Pick<Judgement, "allowWith"> & {
    readonly decision: DecisionRecord | null
    readonly refill?: readonly string[]
  },
  run: Pick<CallRun, "desk" | "emit" | "turn" | "earlier">,
): void {
  if (run.earlier?.announced.has(use.id)) return
  const { decision, allowWith, refill = [] } = judged
  const more = {
    ...(allowWith !== undefined && { allow_with: allowWith }),
    ...(refill.length > 0 && { refill: [...refill] }),
  }
  const wraps = wrappedCall(use, run)
  run.emit({ type: "tool.call", ...identify(use, run), input: use.input, ...wraps, decision, ...more })
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
    content: result.content.map((block) => recordBlock(block, run.desk)),
    ...(result.structured === undefined ? {} : { structured: result.structured }),
  })
  return call
}

const longestImage = 1_500_000

/** A run that may pause keeps its images, up to a bound: the conversation is told again from the transcript. */
function recordBlock(block: ResultBlock, desk: CallDesk): RunEventOf<"tool.result">["content"][number] {
  if (block.type !== "image") return block
  const { mediaType: media_type, data } = block
  const bytes = Buffer.byteLength(data, "base64")
  const kept = desk.approvals !== undefined && data.length <= longestImage
  return { type: "image", media_type, bytes, ...(kept ? { data } : {}) }
}

function identify(use: ToolUseBlock, run: Pick<CallRun, "desk" | "turn">) {
  const found = run.desk.lookup(use.name)
  const origin = found.kind === "offered" ? (found.tool.wraps?.tool ?? found.tool).origin : null
  return { turn: run.turn, call_id: use.id, tool: use.name, server: origin?.kind === "mcp" ? origin.server : null }
}

function stateOf(result: ToolResult): RunEventOf<"tool.result">["state"] {
  if (!result.isError) return result.queuedAs === undefined ? "output" : "queued"
  if (result.errorCode === "denied") return "denied"
  return result.errorCode === "not_run" ? "not_run" : "error"
}
