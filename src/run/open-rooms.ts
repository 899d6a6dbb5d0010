import { createLimits, type Limits } from "../agent/limits.ts"
import { type Changes, createChanges } from "../changes/snapshot.ts"
import type { Reason } from "../contract/reason.ts"
import { createRunHooks, type RunHooks } from "../hooks/run-hooks.ts"
import { createPool, type Pool } from "../mcp/pool.ts"
import { childEnvironment, gitSafety } from "../util/child-environment.ts"
import { version } from "../util/version.ts"
import { accessOf } from "./access.ts"
import { readLock, watchLock } from "./lock.ts"
import type { PreparedRun } from "./prepare-run.ts"
import { createSampler } from "./sampler.ts"
import type { Scene } from "./scene.ts"

/** What a run works with; no server is started yet. */
export interface OpenRooms {
  readonly limits: Limits
  readonly hooks: RunHooks
  readonly pool: Pool
  readonly changes: Changes
  /** Why the servers are not what agent.lock says. */
  checkLock(): Reason | null
  /** Why no further request may be made: a required server is gone, or the lock is broken. */
  mustEnd(): Reason | null
  missingRequired(): Reason | null
}

/** Open the rooms of a prepared run. */
export async function openRooms(run: PreparedRun, scene: Scene, signal: AbortSignal): Promise<OpenRooms> {
  const { options, host, workspace, config, read, job, headStart } = run
  const { emit } = scene
  const { maxOutputTokens } = config.agent
  const { maxDenials } = config.permissions
  const limits = createLimits({ ...config.agent, maxDenials }, scene.elapsedMs, emit, job.resumed?.spent)
  const sample = createSampler({ model: job.model, limits, maxOutputTokens, emit, signal })
  const { deadLetterFile } = config.mcp
  const pool = createPool({
    servers: job.servers,
    disabled: config.disabledServers,
    settings: config.mcp,
    emit,
    client: { name: "agent-run", version },
    env: host.env,
    requests: { workspace, sample },
    access: accessOf(options, config, scene.redactor),
    ...(scene.shared === null ? {} : { share: scene.shared.servers }),
    ...(headStart === null ? {} : { processes: headStart.processes }),
    ...(deadLetterFile === null ? {} : { deadLetters: scene.openDeadLetters(deadLetterFile) }),
  })
  const locked = options.locked ?? (job.kind === "apply" && (await readLock(config.lockFile, read)) !== null)
  const lock = await watchLock({ path: config.lockFile, read, locked, servers: job.servers, pool, emit })
  const env = childEnvironment(host.env, { values: gitSafety })
  const missingRequired = () => missingRequiredOf(pool)
  return {
    limits,
    hooks: createRunHooks({ settings: config.hooks, workspace, emit }),
    pool,
    changes: createChanges({ workspace, env, exclude: run.outputs }),
    checkLock: lock.check,
    mustEnd: () => missingRequired() ?? lock.check(),
    missingRequired,
  }
}

function missingRequiredOf(pool: Pool): Reason | null {
  const missing = pool.missingRequired()
  if (missing.length === 0) return null
  return {
    code: "required_server_unavailable",
    message: missing.map(({ name, error }) => `required MCP server "${name}" is not connected: ${error}`).join("; "),
    hint: "Mend the server or its configuration, or set required = false to run without it.",
  }
}
