import { digestOf } from "../config/digest.ts"
import { loadConfig } from "../config/load.ts"
import { outputPathsOfFlags } from "../config/output-paths.ts"
import type { ReadGoverning } from "../config/trust/trust.ts"
import type { Config } from "../contract/config.ts"
import type { Host, RunOptions } from "../contract/run-options.ts"
import { createRefill, type Refill } from "../events/refill.ts"
import { createPolicy, type Policy } from "../permissions/policy.ts"
import type { Workspace } from "../tools/workspace.ts"
import { configOptionsOf, findWorkspace, flagsOf } from "./find-config.ts"
import type { HeadStart } from "./head-start.ts"
import { chooseJob, type Job, outputFilesOf } from "./job.ts"
import { configSecrets } from "./prepare.ts"
import { type Confinement, confinementOf, searchSandbox } from "./sandbox.ts"
import type { Scene } from "./scene.ts"
import { findPlace } from "./tools.ts"

/** Everything about a run that is known before anything of it is started. */
export interface PreparedRun {
  readonly options: RunOptions
  readonly host: Host
  readonly workspace: string
  readonly config: Config
  readonly configDigest: string
  /** Reads what else governs the run, such as agent.lock. */
  readonly read: ReadGoverning
  /** Files that the run writes; they are no change of the workspace and off limits to tools. */
  readonly outputs: readonly string[]
  readonly place: Workspace
  readonly policy: Policy
  readonly confinement: Confinement
  readonly refill: Refill
  readonly job: Job
  readonly headStart: HeadStart | null
}

/** Read and check everything that a person gave us. Throws a UserError before anything is spent. */
export async function prepareRun(
  options: RunOptions,
  host: Host,
  { scene, headStart }: { readonly scene: Scene; readonly headStart: HeadStart | null },
): Promise<PreparedRun> {
  scene.openOutputs(outputPathsOfFlags(flagsOf(options), host.cwd))
  const workspace = findWorkspace(options, host)
  const loaded = await (headStart?.config ?? loadConfig(configOptionsOf(options, host, workspace)))
  const { config, read } = loaded
  const configDigest = digestOf(loaded.effective)
  const secrets = configSecrets(config, host)
  scene.redactor.add(secrets, config.security.redact)
  scene.openOutputs(config.output)
  const outputs = outputFilesOf(options, config, host)
  const place = findPlace(workspace, config, outputs, host)
  const policy = createPolicy(config.permissions)
  const refill = createRefill(secrets, scene.redactor)
  // It is tried while the rest is prepared.
  const searching = searchSandbox(config, { policy, host, workspace, outputs })
  const job = await chooseJob(options, { config, configDigest, host, place, refill, scene })
  const confinement = confinementOf(config, await searching)
  scene.sealOutputs()
  return {
    ...{ options, host, workspace, config, configDigest, read, outputs, place, policy, confinement },
    ...{ refill, job, headStart },
  }
}

/** The first events: what is run, what was answered since it paused, and what a person should know. */
export function announceRun(run: PreparedRun, scene: Scene): void {
  const { workspace, config, configDigest, confinement, job } = run
  const { title, model, resumed } = job
  scene.start({
    task: title,
    model: model?.id ?? "",
    workspace,
    config_sources: [...config.sources],
    sandbox: confinement.name,
    config_digest: configDigest,
    ...(config.starts.length > 0 && { starts: [...config.starts] }),
    ...(resumed && { run_id: resumed.runId, resumed: true }),
  })
  for (const answer of resumed?.answers.fresh ?? []) scene.emit(answer)
  for (const warning of [...config.warnings, ...confinement.warnings]) scene.emit({ type: "warning", ...warning })
}
