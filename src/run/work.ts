import { applyCalls } from "../agent/apply.ts"
import { approvalNeeded } from "../agent/approval.ts"
import { type LoopOptions, runLoop } from "../agent/loop.ts"
import { createApplyDesk } from "../agent/plan-desk.ts"
import { composeSystemPrompt } from "../agent/prompt.ts"
import { ended, type Outcome } from "../contract/outcome.ts"
import { createReadOnlyJudge } from "../permissions/read-only.ts"
import { createApprovals } from "./approvals.ts"
import { createDesk, type DeskRooms } from "./desk.ts"
import type { OpenRooms } from "./open-rooms.ts"
import { createPlanningDesk, readOnlySettingsOf } from "./plan.ts"
import type { PreparedRun } from "./prepare-run.ts"
import type { Scene } from "./scene.ts"
import { createSubAgents } from "./sub-agent.ts"
import { type CollectedTools, collectTools } from "./tools.ts"

/** What work needs to know of the run around it. */
export interface Surroundings {
  readonly rooms: OpenRooms
  readonly scene: Scene
  readonly signal: AbortSignal
  readonly onTools: (counts: CollectedTools["counts"]) => void
}

/** Start the servers, collect the tools, and do the job: the loop with a model, or the calls of a plan. */
export async function work(run: PreparedRun, around: Surroundings): Promise<Outcome> {
  const { job } = run
  const { rooms, signal } = around
  const unanswered = job.resumed?.answers.open.length ?? 0
  if (unanswered > 0) return ended(approvalNeeded(unanswered))
  const unlike = rooms.checkLock()
  if (unlike) return ended(unlike)
  const begun = await rooms.hooks.start({ task: job.title, model: job.model?.id ?? "" }, signal)
  if (signal.aborted) return ended(signal.reason)
  if (begun.blocked) return ended(begun.blocked)
  if (job.servers.length > 0) void job.model?.open?.(signal)
  await rooms.pool.start(signal)
  await rooms.pool.settle(signal)
  if (signal.aborted) return ended(signal.reason)
  const unfit = rooms.mustEnd()
  if (unfit) return ended(unfit)
  return doJob(run, around, begun.notes)
}

async function doJob(run: PreparedRun, around: Surroundings, notes: readonly string[]): Promise<Outcome> {
  const { options, host, workspace, config, place, policy, confinement, refill, job } = run
  const { rooms, scene, signal } = around
  const { pool, changes, limits, mustEnd } = rooms
  const { emit } = scene

  const subAgents = createSubAgents(() => ({ loop, rooms: deskRooms, prompt }))
  const agent = config.tools.agent && job.kind === "task" && job.plan === null ? subAgents.tool : null
  const model = job.model ?? {}
  const { sandbox } = confinement
  const tools = collectTools({ options, host, place, config, policy, sandbox, pool, agent, model, emit })
  around.onTools(tools.counts)
  const deskRooms: DeskRooms = { tools, policy, changes, workspace, config }
  const desk = createDesk(deskRooms)
  if (job.kind === "apply") return applyCalls({ ...job, desk: createApplyDesk(desk), mustEnd, emit, signal })

  const isReadOnly = createReadOnlyJudge(readOnlySettingsOf(config))
  const resumed = job.resumed !== null
  const approving = createApprovals(config, { isReadOnly, refill, scene, workspace, resumed })
  const { systemPrompt, instructions, maxOutputTokens } = config.agent
  const planning = job.plan !== null
  const serverInstructions = pool.instructions()
  const words = { systemPrompt, instructions, serverInstructions, catalogue: tools.catalogue, answerSchema: null }
  const prompt = { workspace, planning, ...words }
  const loop: LoopOptions = {
    task: [await job.compose(pool, signal), ...notes].join("\n\n"),
    system: composeSystemPrompt({ ...prompt, answerSchema: job.answerSchema?.schema ?? null }),
    model: job.model,
    answerSchema: job.answerSchema,
    definitions: () => tools.toolbox().definitions,
    desk: planning ? createPlanningDesk(desk, { place, refill, isReadOnly, emit }) : { ...desk, ...approving },
    ...(job.resumed && { resumed: job.resumed.loop }),
    limits,
    maxOutputTokens,
    onDenied: config.permissions.onDenied,
    ready: async () => {
      await pool.settle(signal)
      return signal.aborted ? signal.reason : loop.mustEnd()
    },
    mustEnd: () => mustEnd() ?? subAgents.mustEnd(),
    emit,
    signal,
  }
  return runLoop(loop)
}
