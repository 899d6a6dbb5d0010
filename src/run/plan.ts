import type { CallDesk } from "../agent/call-tools.ts"
import { createPlanDesk } from "../agent/plan-desk.ts"
import type { Config } from "../contract/config.ts"
import type { Emit } from "../contract/event.ts"
import type { JsonObject } from "../contract/json.ts"
import type { Outcome } from "../contract/outcome.ts"
import { planKeyVariable } from "../contract/plan.ts"
import type { Host } from "../contract/run-options.ts"
import type { Tool } from "../contract/tool.ts"
import type { Redactor } from "../events/redact.ts"
import type { Refill } from "../events/refill.ts"
import type { ReadOnlySettings } from "../permissions/read-only.ts"
import { diffLines } from "../plan/line-diff.ts"
import { renderPlan } from "../plan/plan-file.ts"
import { createEditPreview } from "../tools/preview-edit.ts"
import type { Workspace } from "../tools/workspace.ts"
import type { Job } from "./job.ts"
import type { RunEnd } from "./scene.ts"

/** Put the rooms of plan mode together. */
export function createPlanningDesk(
  desk: CallDesk,
  rooms: {
    readonly place: Workspace
    readonly refill: Refill
    readonly isReadOnly: (tool: Tool, input: JsonObject) => boolean
    readonly emit: Emit
  },
): CallDesk {
  const preview = createEditPreview(rooms.place)
  return createPlanDesk(desk, {
    isReadOnly: rooms.isReadOnly,
    emit: rooms.emit,
    secretsIn: rooms.refill.namesIn,
    async preview(tool, input) {
      const { tool: made, input: given } = innermost(tool, input)
      const edit = made.origin.kind === "builtin" ? await preview(made.name, given) : null
      if (edit === null) return null
      return { path: edit.path, before: edit.digest, diff: diffLines(edit.path, edit.before, edit.after) }
    },
  })
}

/** What a custom tool comes down to. */
function innermost(tool: Tool, input: JsonObject): { readonly tool: Tool; readonly input: JsonObject } {
  return tool.wraps === undefined ? { tool, input } : innermost(tool.wraps.tool, tool.wraps.complete(input))
}

/** The file that a planning run leaves when it has come to its end. */
export function planFileOf(
  job: Job,
  outcome: Outcome,
  around: { readonly configDigest: string; readonly redactor: Redactor; readonly host: Host },
): RunEnd["file"] {
  if (job.kind !== "task" || job.plan === null || outcome.kind !== "answered") return null
  const { configDigest, redactor, host } = around
  const origin = { task: redactor.redactText(job.title), configDigest, key: host.env[planKeyVariable] }
  return { path: job.plan, render: (report) => renderPlan(report, origin) }
}

/** What the configuration says about calls that only read. */
export function readOnlySettingsOf(config: Config): ReadOnlySettings {
  const trustedServers = config.servers.filter((server) => server.trustHints).map((server) => server.name)
  return { readOnly: config.permissions.readOnly, trustedServers }
}
