import { outputPathsOfFlags } from "./config/output-paths.ts"
import { ended } from "./contract/outcome.ts"
import type { Reason } from "./contract/reason.ts"
import type { Report } from "./contract/report.ts"
import type { Host, RunOptions } from "./contract/run-options.ts"
import { UserError } from "./contract/user-error.ts"
import { checkEnd } from "./expect/end-checks.ts"
import { flagsOf } from "./run/find-config.ts"
import type { HeadStart } from "./run/head-start.ts"
import { expectedOf } from "./run/job.ts"
import { openRooms } from "./run/open-rooms.ts"
import { planFileOf } from "./run/plan.ts"
import { announceRun, prepareRun } from "./run/prepare-run.ts"
import { type RunEnd, type Scene, setScene } from "./run/scene.ts"
import type { SharedRooms } from "./run/shared-rooms.ts"
import { createStop, stopReason } from "./run/stop.ts"
import { openTraces, sendTraces } from "./run/traces.ts"
import { work } from "./run/work.ts"

/** What a run need not make for itself. */
interface Given {
  readonly headStart?: HeadStart | null
  readonly shared?: SharedRooms | null
}

/** One run, from its options to its report: the corridor that every room opens onto. Never throws. */
export async function run(
  options: RunOptions,
  host: Host,
  { headStart = null, shared = null }: Given = {},
): Promise<Report> {
  const traces = await openTraces(host)
  const sinks = [...(options.sinks ?? []), ...(traces === null ? [] : [traces])]
  const scene = setScene({ ...options, sinks }, host, shared)
  const end = await perform(options, host, { scene, headStart }).catch((error: unknown) =>
    nothingDone(options.signal?.aborted ? stopReason(options.signal) : reasonOf(error)),
  )
  await headStart?.processes.close()
  const report = await scene.conclude(end)
  await sendTraces(traces, host)
  return report
}

/** End a run that cannot begin, because its command line is wrong; what can be written of it is written. */
export async function refuseRun(error: UserError, options: RunOptions, host: Host): Promise<Report> {
  const scene = setScene(options, host, null)
  scene.openOutputs(outputPathsOfFlags(flagsOf(options), host.cwd))
  return scene.conclude(nothingDone(error.toReason()))
}

/** Prepare, open the rooms, do the work, close them, and look once more at what came out. */
async function perform(
  options: RunOptions,
  host: Host,
  { scene, headStart }: { readonly scene: Scene; readonly headStart: HeadStart | null },
): Promise<RunEnd> {
  const prepared = await prepareRun(options, host, { scene, headStart })
  const { config, configDigest, job } = prepared
  announceRun(prepared, scene)
  using stop = createStop({ outer: options.signal, timeoutMs: config.agent.timeoutMs, ...scene })
  const { signal } = stop
  const rooms = await openRooms(prepared, scene, signal)
  let tools = noTools
  const onTools = (counts: RunEnd["tools"]) => {
    tools = counts
  }

  const outcome = await work(prepared, { rooms, scene, signal, onTools }).catch((error: unknown) =>
    ended(signal.aborted ? signal.reason : reasonOf(error)),
  )
  if (outcome.kind === "answered") await rooms.pool.settle(signal)
  const missingRequired = rooms.missingRequired()
  await rooms.pool.close()
  const { files, patch, warning } = await rooms.changes.finish()
  if (warning !== null) scene.emit({ type: "warning", code: "changes_unknown", message: warning })

  const settings = expectedOf(job, config.expect)
  const checked = checkEnd(outcome, { ...scene.report(), filesChanged: files, settings, missingRequired })
  const concluded = await rooms.hooks.end(checked.outcome, signal)
  const file = planFileOf(job, concluded, { configDigest, redactor: scene.redactor, host })
  return { ...checked, outcome: concluded, tools, filesChanged: [...files], patch, file }
}

function reasonOf(error: unknown): Reason {
  if (error instanceof UserError) return error.toReason()
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return {
    code: "internal_error",
    message,
    hint: "This is a bug in agent-run. Please report it with the message above.",
  }
}

const noTools: RunEnd["tools"] = { offered: 0, deferred: 0 }

function nothingDone(reason: Reason): RunEnd {
  return { outcome: ended(reason), tools: noTools, expectations: [], filesChanged: [], patch: "", file: null }
}
