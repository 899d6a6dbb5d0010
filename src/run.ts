import { existsSync } from "node:fs"
import { applyCalls } from "./agent/apply.ts"
import { approvalNeeded } from "./agent/approval.ts"
import { createLimits } from "./agent/limits.ts"
import { type LoopOptions, runLoop } from "./agent/loop.ts"
import { createApplyDesk } from "./agent/plan-desk.ts"
import { composeSystemPrompt } from "./agent/prompt.ts"
import { createChanges } from "./changes/snapshot.ts"
import { loadConfig } from "./config/load.ts"
import { outputPathsOfFlags } from "./config/output-paths.ts"
import { ended, type Outcome } from "./contract/outcome.ts"
import type { Reason } from "./contract/reason.ts"
import type { Report } from "./contract/report.ts"
import type { Host, RunOptions } from "./contract/run-options.ts"
import { UserError } from "./contract/user-error.ts"
import { createRefill } from "./events/refill.ts"
import { checkEnd } from "./expect/end-checks.ts"
import { createRunHooks } from "./hooks/run-hooks.ts"
import { createPool, type Pool } from "./mcp/pool.ts"
import { createPolicy } from "./permissions/policy.ts"
import { createReadOnlyJudge } from "./permissions/read-only.ts"
import { accessOf } from "./run/access.ts"
import { createApprovals } from "./run/approvals.ts"
import { createDesk, type DeskRooms } from "./run/desk.ts"
import { chooseJob, expectedOf, outputFilesOf } from "./run/job.ts"
import { watchLock } from "./run/lock.ts"
import { createPlanningDesk, planFileOf, readOnlySettingsOf } from "./run/plan.ts"
import { configOptionsOf, configSecrets, findWorkspace, flagsOf } from "./run/prepare.ts"
import { createSampler } from "./run/sampler.ts"
import { type RunEnd, type Scene, setScene } from "./run/scene.ts"
import { createStop, stopReason } from "./run/stop.ts"
import { createSubAgents } from "./run/sub-agent.ts"
import { collectTools, findPlace } from "./run/tools.ts"
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
  const { config, digest } = await loadConfig(configOptionsOf(options, host, workspace))
  const secrets = configSecrets(config, host)
  scene.redactor.add(secrets, config.security.redact)
  scene.openOutputs(config.output)
  const outputs = outputFilesOf(options, config, host)
  const place = findPlace(workspace, config, outputs, host)
  const policy = createPolicy(config.permissions)
  const refill = createRefill(secrets, scene.redactor)
  const job = await chooseJob(options, { config, configDigest: digest, host, place, refill, scene })
  const { title, model, resumed } = job
  scene.sealOutputs()

  scene.start({
    task: title,
    model: model?.id ?? "",
    workspace,
    config_sources: [...config.sources],
    sandbox: "off",
    config_digest: digest,
    ...(resumed && { run_id: resumed.runId, resumed: true }),
  })
  for (const answer of resumed?.answers.fresh ?? []) scene.emit(answer)
  for (const warning of config.warnings) scene.emit({ type: "warning", ...warning })
  using stop = createStop({ outer: options.signal, timeoutMs: config.agent.timeoutMs, ...scene })

  const { systemPrompt, instructions, maxOutputTokens } = config.agent
  const { maxDenials, onDenied } = config.permissions
  const limits = createLimits({ ...config.agent, maxDenials }, scene.elapsedMs, scene.emit, resumed?.spent)
  const sample = createSampler({ model, limits, maxOutputTokens, emit: scene.emit, signal: stop.signal })
  const hooks = createRunHooks({ settings: config.hooks, workspace, emit: scene.emit })
  const { servers } = job
  const { disabledServers: disabled, mcp: settings } = config
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
  const locked = options.locked ?? (job.kind === "apply" && existsSync(config.lockFile))
  const lock = await watchLock({ path: config.lockFile, locked, servers, pool, emit: scene.emit })
  const mustEnd = () => missingRequired(pool) ?? lock.check()
  const env = childEnvironment(host.env, { values: gitSafety })
  const changes = createChanges({ workspace, env, exclude: outputs })
  let counts = { offered: 0, deferred: 0 }

  async function work(): Promise<Outcome> {
    const unanswered = resumed?.answers.open.length ?? 0
    if (unanswered > 0) return ended(approvalNeeded(unanswered))
    const unknown = lock.check()
    if (unknown) return ended(unknown)
    const begun = await hooks.start({ task: title, model: model?.id ?? "" }, stop.signal)
    if (stop.signal.aborted) return ended(stop.signal.reason)
    if (begun.blocked) return ended(begun.blocked)
    await pool.start(stop.signal)
    await pool.settle(stop.signal)
    if (stop.signal.aborted) return ended(stop.signal.reason)
    const unfit = mustEnd()
    if (unfit) return ended(unfit)

    const subAgents = createSubAgents(() => ({ loop, rooms, prompt }))
    const agent = config.tools.agent && job.kind === "task" && job.plan === null ? subAgents.tool : null
    const tools = collectTools({
      options,
      host,
      place,
      config,
      policy,
      pool,
      agent,
      model: model ?? {},
      emit: scene.emit,
    })
    counts = tools.counts
    const rooms: DeskRooms = { tools, policy, changes, workspace, config }
    const desk = createDesk(rooms)
    const around = { emit: scene.emit, signal: stop.signal }
    if (job.kind === "apply") return applyCalls({ ...job, desk: createApplyDesk(desk), mustEnd, ...around })

    const isReadOnly = createReadOnlyJudge(readOnlySettingsOf(config))
    const approving = createApprovals(config, { isReadOnly, refill, scene, workspace, resumed: resumed !== null })
    const planning = job.plan !== null
    const { catalogue } = tools
    const serverInstructions = pool.instructions()
    const words = { systemPrompt, instructions, serverInstructions, catalogue, answerSchema: null }
    const prompt = { workspace, planning, ...words }
    const loop: LoopOptions = {
      task: [await job.compose(pool, stop.signal), ...begun.notes].join("\n\n"),
      system: composeSystemPrompt({ ...prompt, answerSchema: job.answerSchema?.schema ?? null }),
      model: job.model,
      answerSchema: job.answerSchema,
      definitions: () => tools.toolbox().definitions,
      desk: planning
        ? createPlanningDesk(desk, { place, refill, isReadOnly, emit: scene.emit })
        : { ...desk, ...approving },
      ...(resumed && { resumed: resumed.loop }),
      limits,
      maxOutputTokens,
      onDenied,
      ready: async () => {
        await pool.settle(stop.signal)
        return stop.signal.aborted ? stop.signal.reason : loop.mustEnd()
      },
      mustEnd: () => mustEnd() ?? subAgents.mustEnd(),
      ...around,
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
    settings: expectedOf(job, config.expect),
    missingRequired: lost,
  })
  const concluded = await hooks.end(checked.outcome, stop.signal)
  const file = planFileOf(job, concluded, { configDigest: digest, redactor: scene.redactor, host })
  return { ...checked, outcome: concluded, tools: counts, filesChanged: [...files], patch, file }
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
  return {
    outcome: ended(reason),
    tools: { offered: 0, deferred: 0 },
    expectations: [],
    filesChanged: [],
    patch: "",
    file: null,
  }
}
