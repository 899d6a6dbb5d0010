import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { type LoadedConfig, loadConfig } from "../config/load.ts"
import type { Config } from "../contract/config.ts"
import type { Host, RunOptions } from "../contract/run-options.ts"
import { type StartedProcesses, startProcesses } from "../mcp/life/started-processes.ts"
import { findCredentials, findEndpoint } from "../model/access.ts"
import { configOptionsOf, findWorkspace } from "./find-config.ts"

/** What a run has before the rest of it is loaded: its configuration, and its local servers, which boot meanwhile. */
export interface HeadStart {
  /** Rejects with what is wrong with the configuration. */
  readonly config: Promise<LoadedConfig>
  readonly processes: StartedProcesses
}

/** Read the configuration and start the local servers of a run that is sure to use them. Never throws. */
export async function takeHeadStart(options: RunOptions, host: Host): Promise<HeadStart> {
  const loading = findConfig(options, host)
  const loaded = await loading.catch(() => null)
  const early = loaded !== null && usesServers(options, loaded.config, host)
  const { servers, mcp } = loaded?.config ?? { servers: [], mcp: { localConcurrency: 0 } }
  return { config: loading, processes: startProcesses(early ? servers : [], mcp.localConcurrency) }
}

async function findConfig(options: RunOptions, host: Host): Promise<LoadedConfig> {
  return loadConfig(configOptionsOf(options, host, findWorkspace(options, host)))
}

/** Nothing that is looked at later may still forbid the start: a lock, a hook, an answer that is missing, a sandbox, a key. */
function usesServers(options: RunOptions, config: Config, host: Host): boolean {
  const { task, taskFile, inputs = [], outputSchema, script } = options
  const begins = taskFile === undefined ? Boolean(task?.trim()) : task === undefined && taskFile !== "-"
  const other = options.prompt ?? options.resume ?? options.apply ?? options.locked
  const isThere = (path: string | undefined) => path === undefined || existsSync(resolve(host.cwd, path))
  const complete = [taskFile, outputSchema, script, ...inputs].every(isThere)
  const unconditional = config.hooks.runStart.length === 0 && config.security.sandbox !== "require"
  return begins && complete && other === undefined && unconditional && hasModel(options, host)
}

function hasModel(options: RunOptions, host: Host): boolean {
  if (options.script !== undefined || typeof options.model === "object") return true
  try {
    findEndpoint(options.baseUrl ?? null, host.env)
    return findCredentials(host.env).kind !== undefined
  } catch {
    // The run itself says what is missing.
    return false
  }
}
