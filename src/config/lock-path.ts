import { basename, join } from "node:path"
import type { Layer } from "./layer.ts"

/** Where agent.lock is or would be: beside the project's agent.toml that is nearest to the workspace, else in the workspace. */
export function lockPathOf(layers: readonly Layer[], workspace: string): string {
  const nearest = layers.find(
    ({ scope, file }) => scope === "project" && file !== null && basename(file.path) === "agent.toml",
  )
  return join(nearest?.folder ?? workspace, "agent.lock")
}
