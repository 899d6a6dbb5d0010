import { resolve } from "node:path"
import type { Config, ExpectSettings } from "../contract/config.ts"
import type { Model } from "../contract/model.ts"
import type { Host, RunOptions } from "../contract/run-options.ts"
import type { ServerConfig } from "../contract/server.ts"
import { UserError } from "../contract/user-error.ts"
import type { Refill } from "../events/refill.ts"
import { type AnswerSchema, loadAnswerSchema } from "../expect/answer-schema.ts"
import { prepareOutputFile } from "../sinks/files.ts"
import type { Workspace } from "../tools/workspace.ts"
import { type ApplyJob, prepareApply } from "./apply.ts"
import { chooseModel } from "./prepare.ts"
import { prepareResume, type Resumed } from "./resume.ts"
import type { Scene } from "./scene.ts"
import { findTask, type Task } from "./task.ts"

/** What a run is there for: a task for a model, or the calls of a plan. */
export type Job = TaskJob | ApplyJob

/** A task, and in plan mode the file for what it would do. */
export interface TaskJob {
  readonly kind: "task"
  readonly title: string
  readonly compose: Task["compose"]
  readonly model: Model
  readonly plan: string | null
  readonly servers: readonly ServerConfig[]
  readonly answerSchema: AnswerSchema | null
  /** When it was paused and goes on. */
  readonly resumed: Resumed | null
}

/** Find out what a run is there for. Throws a UserError for everything that is wrong with it. */
export async function chooseJob(
  options: RunOptions,
  around: {
    readonly config: Config
    readonly configDigest: string
    readonly host: Host
    readonly place: Workspace
    readonly refill: Refill
    readonly scene: Scene
  },
): Promise<Job> {
  const { config, host } = around
  if (options.apply !== undefined) {
    refuseTogether(options, "apply", ["task", "taskFile", "prompt", "plan", "resume"])
    return prepareApply(options.apply, around)
  }
  const plan = options.plan === undefined ? null : resolve(host.cwd, options.plan)
  if (plan !== null) prepareOutputFile(plan)
  const { outputSchema } = options
  const answerSchema = outputSchema === undefined ? null : await loadAnswerSchema(resolve(host.cwd, outputSchema))
  const shared = { kind: "task", plan, servers: config.servers, answerSchema } as const
  if (options.resume !== undefined) {
    refuseTogether(options, "resume", ["task", "taskFile", "prompt", "plan"])
    refuseOtherTranscript(options.resume.transcript, options, host)
    const model = await chooseModel(options, config, around)
    const resumed = prepareResume(options.resume, around)
    return { ...shared, title: resumed.task, compose: async () => resumed.task, model, resumed }
  }
  if (plan === null) refuseEndlessPause(config)
  const task = await findTask(options, host)
  return { ...shared, ...task, model: await chooseModel(options, config, around), resumed: null }
}

/** What must hold at the end: a plan changes no file, and applying one is no conversation. */
export function expectedOf(job: Job, expected: ExpectSettings): ExpectSettings {
  if (job.kind === "apply") return { ...expected, toolsCalled: [], filesChanged: [], answerMatches: null }
  return job.plan === null ? expected : { ...expected, filesChanged: [] }
}

/** Every file that the run itself writes: out of reach of the agent, and no change of its work. */
export function outputFilesOf(options: RunOptions, config: Config, host: Host): readonly string[] {
  const plan = options.plan === undefined ? null : resolve(host.cwd, options.plan)
  const resumed = options.resume === undefined ? null : resolve(host.cwd, options.resume.transcript)
  const ours = [...Object.values(config.output), config.mcp.deadLetterFile, plan, resumed]
  return [...ours.filter((path) => path !== null), ...(options.offLimits ?? [])]
}

function refuseOtherTranscript(resumed: string, { transcript }: RunOptions, host: Host): void {
  if (transcript === undefined || resolve(host.cwd, transcript) === resolve(host.cwd, resumed)) return
  throw new UserError("usage_error", "a resumed run goes on in the transcript it is resumed from", {
    where: "--transcript:",
    hint: "Leave --transcript out.",
  })
}

/** A pause without a transcript would be the end. */
function refuseEndlessPause({ permissions, output }: Config): void {
  if (permissions.onAsk.kind !== "pause" || output.transcript !== null) return
  throw new UserError("config_error", 'permissions.on_ask = "pause" needs a transcript to go on from', {
    hint: "Give --transcript FILE or --out-dir DIR.",
  })
}

function refuseTogether(options: RunOptions, option: keyof RunOptions, others: readonly (keyof RunOptions)[]): void {
  const other = others.find((name) => options[name] !== undefined)
  if (other !== undefined) throw new UserError("usage_error", `${option} and ${other} cannot be given together`)
}
