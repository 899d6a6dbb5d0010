import type { Approvals } from "../agent/approval.ts"
import { askByCommand } from "../approvals/ask-command.ts"
import type { Config } from "../contract/config.ts"
import type { Refill } from "../events/refill.ts"
import type { Scene } from "./scene.ts"

/** Put the rooms together that a call passes when a person has to approve it; nothing when such calls are denied. */
export function createApprovals(
  config: Config,
  rooms: {
    readonly isReadOnly: Approvals["isReadOnly"]
    readonly refill: Refill
    readonly scene: Scene
    readonly workspace: string
    readonly resumed: boolean
  },
): { readonly approvals?: Approvals } {
  const { onAsk } = config.permissions
  const { isReadOnly, refill, scene, workspace } = rooms
  const shared = { isReadOnly, secretsIn: refill.namesIn }
  switch (onAsk.kind) {
    case "deny":
      return {}
    case "pause":
      return { approvals: { ...shared, ...(rooms.resumed && { sync: scene.sync }) } }
    case "command":
      return {
        approvals: {
          ...shared,
          ask: (request, signal) =>
            askByCommand(onAsk, scene.redactor.redact({ schema_version: 1, ...request, workspace }), {
              cwd: workspace,
              signal,
            }),
        },
      }
    default:
      return onAsk satisfies never
  }
}
