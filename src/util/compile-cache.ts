import { isAbsolute, join, relative } from "node:path"

/**
 * Let node keep what it compiles of us, where it can: the second start on a machine is 15 ms sooner. Never in a folder of
 * the tree that we are started in: what lies there may come from a pull request, and would be run. Imports nothing of
 * ours, because it is called before the first other file of ours is loaded.
 */
export function keepCompiledCode({
  env,
  cwd,
  getBuiltinModule,
}: Pick<NodeJS.Process, "env" | "cwd" | "getBuiltinModule">) {
  const cache = env.XDG_CACHE_HOME || join(env.HOME || ".", ".cache")
  const folder = env.AGENT_RUN_CACHE_DIR || join(cache, "agent-run")
  if (!isAbsolute(folder) || !relative(cwd(), folder).startsWith("..")) return
  const module: object = getBuiltinModule("node:module")
  if ("enableCompileCache" in module && typeof module.enableCompileCache === "function") {
    module.enableCompileCache(join(folder, "compiled"))
  }
}
