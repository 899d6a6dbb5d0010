import { isDeepStrictEqual } from "node:util"
import type { Hook, HookPattern, HookSettings } from "../contract/config.ts"
import type { Emit, RunEventOf } from "../contract/event.ts"
import type { JsonObject } from "../contract/json.ts"
import { errorResult, type Tool, type ToolResult } from "../contract/tool.ts"
import { type AskedHook, askHook } from "./ask-hook.ts"

type DecisionRecord = NonNullable<RunEventOf<"tool.call">["decision"]>

/** A call on its way, with what decided it. */
export interface HookedCall {
  readonly callId: string
  readonly turn: number
  readonly tool: Tool
  readonly input: JsonObject
  readonly decision: DecisionRecord
}

/** Where the events of a call go, and when to stop. */
export interface HookSurroundings {
  readonly emit: Emit
  readonly signal: AbortSignal
}

/** What became of a call before it runs: the input to run it with and what the model is told beside its result, or an answer. */
export type Clearance =
  | { readonly kind: "run"; readonly input: JsonObject; readonly notes: readonly string[] }
  | { readonly kind: "answer"; readonly result: ToolResult }

/** Hooks around calls. They can tighten what the rules allow and never loosen it. */
export interface CallHooks {
  before(call: HookedCall, around: HookSurroundings): Promise<Clearance>
  after(
    call: HookedCall,
    done: { readonly result: ToolResult; readonly notes: readonly string[] },
    around: HookSurroundings,
  ): Promise<ToolResult>
}

/** What hooks around calls are made from. */
export interface CallHookOptions {
  readonly settings: Pick<HookSettings, "preToolUse" | "postToolUse">
  readonly workspace: string
  /** Matching as rules do it. */
  readonly matcherOf: (pattern: HookPattern) => (tool: Tool, input: JsonObject) => boolean
  /** Decide a call anew; `refusal` is what the model is told when it may not run. */
  readonly judge: (
    tool: Tool,
    input: JsonObject,
  ) => { readonly decision: DecisionRecord; readonly refusal: string | null }
}

/** The hooks around the calls of a run. */
export function createCallHooks({ settings, workspace, matcherOf, judge }: CallHookOptions): CallHooks {
  const withMatcher = (hook: Hook & HookPattern) => ({ hook, matches: matcherOf(hook) })
  const pre = settings.preToolUse.map(withMatcher)
  const post = settings.postToolUse.map(withMatcher)

  async function before(call: HookedCall, around: HookSurroundings): Promise<Clearance> {
    const notes: string[] = []
    let { input, decision } = call
    for (const { hook, matches } of pre) {
      if (!matches(call.tool, input)) continue
      const moment = { event: "pre_tool_use", ...toldOf({ ...call, decision }, input) }
      const asked = await askHook(hook, moment, { cwd: workspace, signal: around.signal })
      if (asked.aborted) return { kind: "answer", result: notRun }
      const { answer } = asked
      const tell = teller({ hook, event: "pre_tool_use", call, asked, emit: around.emit })
      if (answer.block !== null) {
        tell({ outcome: "blocked", decision: { action: "deny", rule: "hook pre_tool_use", source: hook.source } })
        return { kind: "answer", result: errorResult("denied", refusalOf(call, hook, answer.block)) }
      }
      if (answer.note !== null) notes.push(answer.note)
      if (answer.input === null || isDeepStrictEqual(answer.input, input)) {
        tell({ outcome: "passed" })
        continue
      }
      input = answer.input
      const judged = judge(call.tool, input)
      decision = judged.decision
      tell({ outcome: "changed", input, decision })
      if (judged.refusal !== null) {
        const result = errorResult("denied", `A hook (${hook.source}) changed the input. ${judged.refusal}`)
        return { kind: "answer", result }
      }
    }
    return { kind: "run", input, notes }
  }

  const after: CallHooks["after"] = async (call, done, around) => {
    let current = withNotes(done.result, done.notes)
    for (const { hook, matches } of post) {
      if (around.signal.aborted || !matches(call.tool, call.input)) continue
      const moment = { event: "post_tool_use", ...toldOf(call, call.input), result: toldOfResult(current) }
      const asked = await askHook(hook, moment, { cwd: workspace, signal: around.signal })
      const { answer } = asked
      const block =
        answer.input === null ? answer.block : "the hook failed: it answered with an input, but the call has run"
      const tell = teller({ hook, event: "post_tool_use", call, asked, emit: around.emit })
      tell({ outcome: block === null ? "passed" : "blocked" })
      if (block !== null) {
        current = errorResult(
          "tool_error",
          `The call ran, but its result is withheld by a hook (${hook.source}): ${block}`,
        )
      }
      if (answer.note !== null) current = withNotes(current, [answer.note])
      if (block !== null) return current
    }
    return current
  }

  return { before, after }
}

/** A result with what hooks want the model to know. */
function withNotes(result: ToolResult, notes: readonly string[]): ToolResult {
  if (notes.length === 0) return result
  const added = notes.map((note) => ({ type: "text", text: `[note of a hook] ${note}` }) as const)
  return { ...result, content: [...result.content, ...added] }
}

const notRun = errorResult("not_run", "Not run: the run is stopping.")

function refusalOf({ tool }: HookedCall, { source }: Hook, reason: string): string {
  return [
    `Denied: ${tool.name} was not run. A hook (${source}) blocks it: ${reason}`,
    "The same call will most likely be blocked again: go on without it, or say in your answer what you could not do.",
  ].join("\n")
}

function toldOf({ callId, turn, tool, decision }: HookedCall, input: JsonObject) {
  const { wraps } = tool
  const { origin } = wraps?.tool ?? tool
  const server = origin.kind === "mcp" ? origin.server : null
  const behind = wraps === undefined ? {} : { wraps: { tool: wraps.tool.name, input: wraps.complete(input) } }
  return { call_id: callId, turn, tool: tool.name, server, decision, input, ...behind }
}

function toldOfResult(result: ToolResult) {
  const { content, isError, errorCode = "tool_error", structured } = result
  return {
    ok: !isError,
    error_code: isError ? errorCode : null,
    content: content.map((block) =>
      block.type === "image"
        ? { type: "image", media_type: block.mediaType, bytes: Buffer.byteLength(block.data, "base64") }
        : block,
    ),
    ...(structured === undefined ? {} : { structured }),
  }
}

type Told = Pick<RunEventOf<"hook">, "outcome" | "input" | "decision">

function teller(about: {
  readonly hook: Hook
  readonly event: "pre_tool_use" | "post_tool_use"
  readonly call: HookedCall
  readonly asked: AskedHook
  readonly emit: Emit
}): (told: Told) => void {
  const { hook, event, call, asked, emit } = about
  return (told) =>
    emit({
      type: "hook",
      hook: hook.source,
      event,
      tool: call.tool.name,
      call_id: call.callId,
      duration_ms: asked.durationMs,
      reason: asked.answer.block,
      note: asked.answer.note,
      ...told,
    })
}
