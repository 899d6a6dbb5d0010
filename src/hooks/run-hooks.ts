import type { Hook, HookSettings } from "../contract/config.ts"
import type { Emit } from "../contract/event.ts"
import type { JsonObject } from "../contract/json.ts"
import { exitCodeOf, type Outcome, statusOf } from "../contract/outcome.ts"
import type { Reason } from "../contract/reason.ts"
import { askHook } from "./ask-hook.ts"

/** What hooks at the start of a run said: why it must not go on, and notes for the model. */
interface RunHooksAnswer {
  readonly blocked: Reason | null
  readonly notes: readonly string[]
}

/** What hooks around a run are made from. */
export interface RunHookOptions {
  readonly settings: Pick<HookSettings, "runStart" | "runEnd">
  readonly workspace: string
  readonly emit: Emit
}

/** Hooks at both ends of a run. */
export interface RunHooks {
  start(facts: { readonly task: string; readonly model: string }, signal: AbortSignal): Promise<RunHooksAnswer>
  /** The outcome that counts: a block turns an answer into an end, and nothing turns an end into an answer. */
  end(outcome: Outcome, signal: AbortSignal): Promise<Outcome>
}

/** A run that was stopped has to end soon, also when its hooks do not. */
const endWhenStoppedMs = 2000

/** The hooks around one run. */
export function createRunHooks({ settings, workspace, emit }: RunHookOptions): RunHooks {
  async function tell(moment: Moment, hooks: readonly Hook[], signal: AbortSignal): Promise<RunHooksAnswer> {
    const notes: string[] = []
    for (const hook of hooks) {
      const { answer, aborted, durationMs } = await askHook(hook, moment, { cwd: workspace, signal })
      const block = answer.input === null ? answer.block : "the hook failed: only pre_tool_use may answer with an input"
      emit({
        type: "hook",
        hook: hook.source,
        event: moment.event,
        tool: null,
        call_id: null,
        outcome: block === null ? "passed" : "blocked",
        duration_ms: durationMs,
        reason: block,
        note: answer.note,
      })
      if (aborted) return { blocked: null, notes }
      if (block !== null) return { blocked: reasonOf(moment, hook, block), notes }
      if (answer.note !== null) notes.push(answer.note)
    }
    return { blocked: null, notes }
  }

  return {
    start: (facts, signal) => tell({ event: "run_start", workspace, ...facts }, settings.runStart, signal),
    async end(outcome, signal) {
      const { answer } = outcome
      const reason = outcome.kind === "ended" ? outcome.reason : null
      const facts = { status: statusOf(outcome), exit_code: exitCodeOf(outcome), reason, answer }
      const within = signal.aborted ? AbortSignal.timeout(endWhenStoppedMs) : signal
      const { blocked } = await tell({ event: "run_end", workspace, ...facts }, settings.runEnd, within)
      return blocked === null || outcome.kind === "ended" ? outcome : { kind: "ended", reason: blocked, answer }
    },
  }
}

type Moment = JsonObject & { readonly event: "run_start" | "run_end" }

function reasonOf({ event }: Moment, { source }: Hook, block: string): Reason {
  return {
    code: "hook_blocked",
    message: `the ${event} hook (${source}) blocks the run: ${block}`,
    hint: "Change what the hook objects to, or the hook.",
  }
}
