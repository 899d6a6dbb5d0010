import { realpathSync } from "node:fs"
import { dirname, isAbsolute, join, resolve } from "node:path"
import type { ConfigWarning } from "../contract/config.ts"
import { isInside } from "../util/inside-folder.ts"

/** Where we may remember things between runs; `null` is nowhere. */
export interface CacheFolder {
  readonly path: string | null
  readonly warnings: readonly ConfigWarning[]
}

/** `AGENT_RUN_CACHE_DIR`, or a folder of ours in the user's cache. Never inside the workspace: its contents are not ours to trust. */
export function findCacheFolder(options: {
  readonly workspace: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}): CacheFolder {
  const { workspace, cwd, env } = options
  const path = env.AGENT_RUN_CACHE_DIR ? resolve(cwd, env.AGENT_RUN_CACHE_DIR) : userCache(env)
  if (path === null) return { path: null, warnings: [] }
  if (!isInside(workspace, path) && !isInside(realPathOf(workspace), realPathOf(path))) return { path, warnings: [] }
  const source = env.AGENT_RUN_CACHE_DIR ? "AGENT_RUN_CACHE_DIR" : "the user's cache"
  const message = `${path} (${source}) is not used: a cache inside the workspace is under the control of the repository`
  return { path: null, warnings: [{ code: "cache_dir_ignored", message }] }
}

function userCache({ XDG_CACHE_HOME: cache, HOME: home }: Readonly<Record<string, string | undefined>>): string | null {
  // The XDG specification: a relative path is invalid and counts as not set.
  if (cache && isAbsolute(cache)) return join(cache, "agent-run")
  return home && isAbsolute(home) ? join(home, ".cache", "agent-run") : null
}

/** The real path of what there is of a path, and the rest as it is written. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(realPathOf(parent), path.slice(parent.length))
  }
}
