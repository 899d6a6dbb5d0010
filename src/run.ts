import { resolve } from "node:path"
import { createLimits } from "./agent/limits.ts"
import { type LoopOptions, runLoop } from "./agent/loop.ts"
import { composeSystemPrompt } from "./agent/prompt.ts"
import { createChanges } from "./changes/snapshot.ts"
import { loadConfig } from "./config/load.ts"
import { outputPathsOfFlags } from "./config/output-paths.ts"
import { ended, type Outcome } from "./contract/outcome.ts"
import type { Reason } from "./contract/reason.ts"
import type { Report } from "./contract/report.ts"
import type { Host, RunOptions } from "./contract/run-options.ts"
import { UserError } from "./contract/user-error.ts"
import { loadAnswerSchema } from "./expect/answer-schema.ts"
import { checkEnd } from "./expect/end-checks.ts"
import { createRunHooks } from "./hooks/run-hooks.ts"
import { createPool, type Pool } from "./mcp/pool.ts"
import { createPolicy } from "./permissions/policy.ts"
import { accessOf } from "./run/access.ts"
import { createDesk, type DeskRooms } from "./run/desk.ts"
import { watchLock } from "./run/lock.ts"
import { chooseModel, configOptionsOf, configSecrets, findWorkspace, flagsOf } from "./run/prepare.ts"
import { createSampler } from "./run/sampler.ts"
import { type RunEnd, type Scene, setScene } from "./run/scene.ts"
import { createStop, stopReason } from "./run/stop.ts"
import { createSubAgents } from "./run/sub-agent.ts"
import { findTask } from "./run/task.ts"
import { collectTools } from "./run/tools.ts"
import { childEnvironment, gitSafety } from "./util/child-environment.ts"
import { version } from "./util/version.ts"

/** End a run that cannot begin, because its command line is wrong; what can be written of it is written. */
export async function refuseRun(error: UserError, options: RunOptions, host: Host): Promise<Report> {
  const scene = setScene(options, host)
  scene.openOutputs(outputPathsOfFlags(flagsOf(options), host.cwd))
  return scene.conclude(nothingDone(error.toReason()))
}

/** One run, from its options to its report: the corridor that every room opens onto. Never throws. */
export async function run(options: RunOptions, host: Host): Promise<Report> {
  const scene = setScene(options, host)
  const end = await perform(options, host, scene).catch((error: unknown) =>
    nothingDone(options.signal?.aborted ? stopReason(options.signal) : reasonOf(error)),
  )
  return scene.conclude(end)
}

async function perform(options: RunOptions, host: Host, scene: Scene): Promise<RunEnd> {
  scene.openOutputs(outputPathsOfFlags(flagsOf(options), host.cwd))
  const workspace = findWorkspace(options, host)
  const { config } = await loadConfig(configOptionsOf(options, host, workspace))
  scene.redactor.add(configSecrets(config, host), config.security.redact)
  scene.openOutputs(config.output)
  scene.sealOutputs()
  const policy = createPolicy(config.permissions)
  const task = await findTask(options, host)
  const answerSchema =
    options.outputSchema === undefined ? null : await loadAnswerSchema(resolve(host.cwd, options.outputSchema))
  const model = await chooseModel(options, config, host)

  scene.start({ task: task.title, model: model.id, workspace, config_sources: [...config.sources], sandbox: "off" })
  for (const warning of config.warnings) scene.emit({ type: "warning", ...warning })
  using stop = createStop({ outer: options.signal, timeoutMs: config.agent.timeoutMs, ...scene })

  const { systemPrompt, instructions, maxOutputTokens } = config.agent
  const { maxDenials, onDenied } = config.permissions
  const limits = createLimits({ ...config.agent, maxDenials }, scene.elapsedMs, scene.emit)
  const sample = createSampler({ model, limits, maxOutputTokens, emit: scene.emit, signal: stop.signal })
  const hooks = createRunHooks({ settings: config.hooks, workspace, emit: scene.emit })
  const { servers, disabledServers: disabled, mcp: settings } = config
  const { deadLetterFile } = settings
  const pool = createPool({
    servers,
    disabled,
    settings,
    emit: scene.emit,
    client: { name: "agent-run", version },
    env: host.env,
    requests: { workspace, sample },
    access: accessOf(options, config, scene.redactor),
    ...(deadLetterFile === null ? {} : { deadLetters: scene.openDeadLetters(deadLetterFile) }),
  })
  const { locked = false } = options
  const lock = await watchLock({ path: config.lockFile, locked, servers, pool, emit: scene.emit })
  const mustEnd = () => missingRequired(pool) ?? lock.check()
  const exclude = [...Object.values(config.output), deadLetterFile].filter((path) => path !== null)
  const changes = createChanges({ workspace, env: childEnvironment(host.env, { values: gitSafety }), exclude })
  let counts = { offered: 0, deferred: 0 }

  async function work(): Promise<Outcome> {
    const unknown = lock.check()
    if (unknown) return ended(unknown)
    const begun = await hooks.start({ task: task.title, model: model.id }, stop.signal)
    if (stop.signal.aborted) return ended(stop.signal.reason)
    if (begun.blocked) return ended(begun.blocked)
    await pool.start(stop.signal)
    await pool.settle(stop.signal)
    if (stop.signal.aborted) return ended(stop.signal.reason)
    const unfit = mustEnd()
    if (unfit) return ended(unfit)

    const subAgents = createSubAgents(() => ({ loop, rooms, prompt }))
    const agent = config.tools.agent ? subAgents.tool : null
    const tools = collectTools({ options, host, workspace, config, policy, pool, agent, model, emit: scene.emit })
    counts = tools.counts
    const { catalogue } = tools
    const serverInstructions = pool.instructions()
    const prompt = { workspace, systemPrompt, instructions, serverInstructions, catalogue, answerSchema: null }
    const rooms: DeskRooms = { tools, policy, changes, workspace, config }
    const loop: LoopOptions = {
      task: [await task.compose(pool, stop.signal), ...begun.notes].join("\n\n"),
      system: composeSystemPrompt({ ...prompt, answerSchema: answerSchema?.schema ?? null }),
      model,
      answerSchema,
      definitions: () => tools.toolbox().definitions,
      desk: createDesk(rooms),
      limits,
      maxOutputTokens,
      onDenied,
      ready: async () => {
        await pool.settle(stop.signal)
        return stop.signal.aborted ? stop.signal.reason : loop.mustEnd()
      },
      mustEnd: () => mustEnd() ?? subAgents.mustEnd(),
      emit: scene.emit,
      signal: stop.signal,
    }
    return runLoop(loop)
  }

  const outcome = await work().catch((error: unknown) =>
    ended(stop.signal.aborted ? stop.signal.reason : reasonOf(error)),
  )
  if (outcome.kind === "answered") await pool.settle(stop.signal)
  const lost = missingRequired(pool)
  await pool.close()
  const { files, patch, warning } = await changes.finish()
  if (warning !== null) scene.emit({ type: "warning", code: "changes_unknown", message: warning })
  const checked = checkEnd(outcome, {
    ...scene.report(),
    filesChanged: files,
    settings: config.expect,
    missingRequired: lost,
  })
  const concluded = await hooks.end(checked.outcome, stop.signal)
  return { ...checked, outcome: concluded, tools: counts, filesChanged: [...files], patch }
}

function missingRequired(pool: Pool): Reason | null {
  const missing = pool.missingRequired()
  if (missing.length === 0) return null
  return {
    code: "required_server_unavailable",
    message: missing.map(({ name, error }) => `required MCP server "${name}" is not connected: ${error}`).join("; "),
    hint: "Mend the server or its configuration, or set required = false to run without it.",
  }
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

function nothingDone(reason: Reason): RunEnd {
  return { outcome: ended(reason), tools: { offered: 0, deferred: 0 }, expectations: [], filesChanged: [], patch: "" }
}
