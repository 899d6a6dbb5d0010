import { resolve } from "node:path"
import type { Config } from "../contract/config.ts"
import type { ToolUseBlock } from "../contract/model.ts"
import { type PlanCall, planKeyVariable } from "../contract/plan.ts"
import type { ApplyRequest, Host } from "../contract/run-options.ts"
import type { ServerConfig } from "../contract/server.ts"
import { builtinToolNames } from "../contract/tool.ts"
import { UserError } from "../contract/user-error.ts"
import type { Refill } from "../events/refill.ts"
import { readPlan, refused, selectCalls } from "../plan/plan-file.ts"
import { digestFile } from "../tools/preview-edit.ts"
import type { Workspace } from "../tools/workspace.ts"

/** A reviewed plan that may be applied now. */
export interface ApplyJob {
  readonly kind: "apply"
  readonly title: string
  readonly model: null
  readonly resumed: null
  readonly calls: readonly ToolUseBlock[]
  readonly keepGoing: boolean
  /** Those that the calls need. */
  readonly servers: readonly ServerConfig[]
}

/** Read a plan and check all that can be checked before anything is started. Throws a UserError. */
export async function prepareApply(
  request: ApplyRequest,
  around: {
    readonly config: Config
    readonly configDigest: string
    readonly host: Host
    readonly place: Workspace
    readonly refill: Refill
  },
): Promise<ApplyJob> {
  const { config, configDigest, host, place, refill } = around
  const path = resolve(host.cwd, request.plan)
  const plan = await readPlan(path, { configDigest, key: host.env[planKeyVariable] })
  const calls = selectCalls(plan, request.only ?? [])
  for (const { edit } of calls) {
    if (edit === null || (await digestFile(place, edit.path)) === edit.before) continue
    throw refused(request.plan, `${edit.path} has changed since the plan was made`, "Make a new plan.")
  }
  return {
    kind: "apply",
    title: plan.task,
    model: null,
    resumed: null,
    calls: calls.map((call) => toUse(call, refill)),
    keepGoing: request.keepGoing ?? false,
    servers: serversFor(calls, config.servers),
  }
}

function toUse({ id, tool, input, refill: names }: PlanCall, refill: Refill): ToolUseBlock {
  const { value, missing } = refill.fill(input, names)
  if (missing.length === 0) return { type: "tool_use", id, name: tool, input: value }
  throw new UserError("unset_variable", `${id} needs the value of ${missing.join(", ")}, which is not set here`, {
    where: "apply:",
    hint: "Set the variable to the value it had when the plan was made.",
  })
}

/** A tool that is neither built in nor of a server may use any of them. */
function serversFor(calls: readonly PlanCall[], servers: readonly ServerConfig[]): readonly ServerConfig[] {
  const builtin: readonly string[] = builtinToolNames
  if (calls.some((call) => call.server === null && !builtin.includes(call.tool))) return servers
  return servers.filter((server) => calls.some((call) => call.server === server.name))
}
