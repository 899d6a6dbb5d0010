import type { Emit } from "../contract/event.ts"
import { isJsonObject } from "../contract/json.ts"
import type { ToolUseBlock } from "../contract/model.ts"
import { ended, type Outcome } from "../contract/outcome.ts"
import type { Reason } from "../contract/reason.ts"
import { type CallDesk, callTools, type SettledCall } from "./call-tools.ts"
import { deniedReason } from "./endings.ts"

/** What `apply` needs: the calls of a plan, in order, and the desk they pass. */
export interface ApplyOptions {
  readonly calls: readonly ToolUseBlock[]
  readonly keepGoing: boolean
  readonly desk: CallDesk
  readonly mustEnd: () => Reason | null
  readonly emit: Emit
  /** Aborted with a `Reason`. */
  readonly signal: AbortSignal
}

/** Run the calls of a reviewed plan, one after the other, without a model. If one of them is denied, none runs. */
export async function applyCalls(run: ApplyOptions): Promise<Outcome> {
  const denied = run.calls.find((use) => isRefused(use, run.desk))
  if (denied !== undefined) {
    const call = await perform(denied)
    return ended({ ...deniedReason(call), hint: "No call of the plan was run. Change the rules and make a new plan." })
  }
  const failed: SettledCall[] = []
  let done = 0
  for (const use of run.calls) {
    const blocked = run.mustEnd()
    if (blocked) return ended(blocked)
    const call = await perform(use)
    if (run.signal.aborted) return ended(run.signal.reason)
    done += 1
    if (call.result.isError) failed.push(call)
    if (failed.length > 0 && !run.keepGoing) break
  }
  const [first] = failed
  if (first === undefined) return { kind: "answered", answer: `Applied ${namesOf(run.calls)}.` }
  return ended(failure(first, { failed, notRun: run.calls.slice(done) }))

  async function perform(use: ToolUseBlock): Promise<SettledCall> {
    const [call] = await callTools([use], { ...run, turn: 0, halted: () => false })
    if (call === undefined) throw new Error(`${use.id} got no answer`)
    return call
  }
}

function isRefused(use: ToolUseBlock, desk: CallDesk): boolean {
  const found = desk.lookup(use.name)
  if (found.kind === "hidden") return true
  return found.kind === "offered" && isJsonObject(use.input) && desk.judge(found.tool, use.input).refusal !== null
}

function failure(
  first: SettledCall,
  rest: { readonly failed: readonly SettledCall[]; readonly notRun: readonly ToolUseBlock[] },
): Reason {
  const [block] = first.result.content
  const also = rest.failed.slice(1).map((call) => call.use)
  const message = [
    `${first.use.id} (${first.use.name}) failed: ${block?.type === "text" ? block.text : "no reason given"}`,
    ...(also.length > 0 ? [`so did ${namesOf(also)}`] : []),
    ...(rest.notRun.length > 0 ? [`not run: ${namesOf(rest.notRun)}`] : []),
  ].join("; ")
  const hint = "Mend the cause and apply the rest with --only, or make a new plan."
  return { code: "plan_call_failed", message, hint }
}

function namesOf(uses: readonly ToolUseBlock[]): string {
  return uses.length === 0 ? "nothing: the plan is empty" : uses.map((use) => `${use.id} ${use.name}`).join(", ")
}
