import type { Emit, RunEventOf } from "../contract/event.ts"
import type { JsonObject } from "../contract/json.ts"
import { errorResult, type Tool, type ToolResult, textResult } from "../contract/tool.ts"
import type { CallDesk, Judgement } from "./call-tools.ts"

/** What plan mode needs to know of a call that it does not run. */
export interface PlanRooms {
  isReadOnly(tool: Tool, input: JsonObject): boolean
  /** What a file edit would do; throws what to tell the model when it could not be done. */
  preview(tool: Tool, input: JsonObject): Promise<RunEventOf<"plan.call">["edit"]>
  /** The secrets in an input by name; `null` when a file could not hold it so that it can be put back. */
  secretsIn(input: JsonObject): readonly string[] | null
  readonly emit: Emit
}

/** The desk of plan mode: allowed calls that only read run, everything else that is not denied is queued. */
export function createPlanDesk(desk: CallDesk, rooms: PlanRooms): CallDesk {
  let queued = 0
  let last: Promise<unknown> = Promise.resolve()

  function runs(tool: Tool, input: JsonObject): boolean {
    return desk.judge(tool, input).decision.action === "allow" && rooms.isReadOnly(tool, input)
  }

  async function queue(tool: Tool, input: JsonObject, callId: string): Promise<ToolResult> {
    const refill = rooms.secretsIn(input)
    if (refill === null) return errorResult("tool_error", unwritable)
    let edit: RunEventOf<"plan.call">["edit"]
    try {
      edit = await rooms.preview(tool, input)
    } catch (error) {
      return errorResult("tool_error", error instanceof Error ? error.message : String(error))
    }
    queued += 1
    const id = `P${queued}`
    const { decision } = desk.judge(tool, input)
    const { origin } = tool.wraps?.tool ?? tool
    const server = origin.kind === "mcp" ? origin.server : null
    const call = { plan_id: id, call_id: callId, tool: tool.name, server, input, refill: [...refill] }
    rooms.emit({ type: "plan.call", ...call, decision, edit })
    return { ...textResult(`Queued as ${id}. ${afterQueue}`), queuedAs: id }
  }

  /** One after the other, so that ids and edits keep the order of the calls. */
  function queueInOrder(tool: Tool, input: JsonObject, callId: string): Promise<ToolResult> {
    const result = last.then(() => queue(tool, input, callId))
    last = result
    return result
  }

  return {
    ...desk,
    lookup(name) {
      const found = desk.lookup(name)
      if (found.kind !== "offered") return found
      const { tool } = found
      return {
        kind: "offered",
        tool: {
          ...tool,
          execute: (input, context) =>
            runs(tool, input) ? tool.execute(input, context) : queueInOrder(tool, input, context.callId),
        },
      }
    },
    judge: (tool, input) => withoutAsking(desk.judge(tool, input)),
    // Hooks are told of a queued call when it is applied.
    before: async (call, around) =>
      runs(call.tool, call.input) ? desk.before(call, around) : { kind: "run", input: call.input, notes: [] },
    after: async (call, done, around) => (runs(call.tool, call.input) ? desk.after(call, done, around) : done.result),
  }
}

/** The desk of `apply`: a reviewed plan is the approval, so only a denial stops a call. */
export function createApplyDesk(desk: CallDesk): CallDesk {
  return { ...desk, judge: (tool, input) => withoutAsking(desk.judge(tool, input)) }
}

const afterQueue =
  "It has not run: it is part of the plan and runs when a person has reviewed the plan and applies it. Go on planning as if it had succeeded."

const unwritable =
  "Not queued: the input holds a secret in a form that a plan cannot keep. Let the program read the secret from its variable instead."

function withoutAsking(judgement: Judgement): Judgement {
  return judgement.decision.action === "ask" ? { ...judgement, refusal: null } : judgement
}
