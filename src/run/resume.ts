import { resolve } from "node:path"
import type { Spent } from "../agent/limits.ts"
import type { LoopOptions } from "../agent/loop.ts"
import { type CollectedAnswers, collectAnswers } from "../approvals/answers.ts"
import { readTranscript, refused } from "../approvals/read-transcript.ts"
import { type RebuiltCall, rebuildRun } from "../approvals/rebuild.ts"
import type { ToolUseBlock } from "../contract/model.ts"
import { planKeyVariable } from "../contract/plan.ts"
import type { Host, ResumeRequest } from "../contract/run-options.ts"
import { UserError } from "../contract/user-error.ts"
import type { Refill } from "../events/refill.ts"
import { foldReport } from "../report/fold.ts"
import { lockFile } from "../util/file-lock.ts"
import type { Scene } from "./scene.ts"

/** A paused run, ready to go on. */
export interface Resumed {
  readonly runId: string
  readonly task: string
  readonly answers: CollectedAnswers
  readonly spent: Spent
  readonly loop: NonNullable<LoopOptions["resumed"]>
}

/** Read a paused run, check all that can be checked, and open its transcript to go on in it. Throws a UserError. */
export function prepareResume(
  request: ResumeRequest,
  around: {
    readonly configDigest: string
    readonly host: Host
    readonly refill: Refill
    readonly scene: Scene
  },
): Resumed {
  const { configDigest, host, refill, scene } = around
  const path = resolve(host.cwd, request.transcript)
  scene.onEnd(lock(path))
  const transcript = readTranscript(path, { configDigest, key: host.env[planKeyVariable] })
  const { events } = transcript
  const run = rebuildRun(events)
  if (run.ended && run.calls.length === 0) throw refused(path, "it has no call that waits: the run is over")
  const { approve = [], reject = [], reason = null } = request
  const answers = collectAnswers(run.calls, { approve, reject, reason })
  const isRejected = (call: RebuiltCall) => answers.answers.get(call.use.id)?.approved === false
  const calls = run.calls.map((call) => (mayRun(call) && !isRejected(call) ? fillIn(call, refill) : call.use))
  scene.resume(path, transcript)
  const { turns, denied, cost_usd, usage } = foldReport(events)
  return {
    runId: run.runId,
    task: run.task,
    answers,
    spent: { turns, denials: denied, costUsd: cost_usd ?? 0, tokens: Object.values(usage).reduce((a, b) => a + b, 0) },
    loop: {
      messages: run.messages,
      turn: run.turn,
      calls,
      settled: run.calls.flatMap(({ use, result }) => (result === null ? [] : [{ use, result }])),
      announced: idsOf(run.calls, (call) => call.announced),
      started: idsOf(run.calls, (call) => call.started),
      answers: answers.answers,
    },
  }
}

function lock(path: string): () => void {
  const release = lockFile(path)
  if (release !== null) return release
  throw refused(path, "another process goes on with it", `If none does, remove ${path}.lock.`)
}

function mayRun({ result, started }: RebuiltCall): boolean {
  return result === null && !started
}

function fillIn({ use, refill: names }: RebuiltCall, refill: Refill): ToolUseBlock {
  const { value, missing } = refill.fill(use.input, names)
  if (missing.length === 0) return { ...use, input: value }
  throw new UserError("unset_variable", `${use.id} needs the value of ${missing.join(", ")}, which is not set here`, {
    where: "--resume:",
    hint: "Set the variable to the value it had when the run paused.",
  })
}

function idsOf(calls: readonly RebuiltCall[], holds: (call: RebuiltCall) => boolean): ReadonlySet<string> {
  return new Set(calls.filter(holds).map((call) => call.use.id))
}
