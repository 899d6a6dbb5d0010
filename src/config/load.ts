import type { Config, ConfigWarning } from "../contract/config.ts"
import { buildServer } from "./build-server.ts"
import { findCacheFolder } from "./cache-folder.ts"
import { chooseServers } from "./choose-servers.ts"
import { customToolsOf } from "./custom-tools.ts"
import { type EffectiveValue, effectiveValuesOf } from "./effective.ts"
import { variableOf } from "./expand.ts"
import { type FlagOverrides, flagLayers } from "./flags.ts"
import { gatherServers } from "./gather-servers.ts"
import { hooksOf, programFiles } from "./hooks.ts"
import { lockPathOf } from "./lock-path.ts"
import { addUp, listsThatAddUp, type MergedConfig } from "./merge.ts"
import { dynamicLayers, environmentLayers, setLayers } from "./option-layers.ts"
import { findOutputs, pathsOf } from "./output-paths.ts"
import { type Problem, throwProblems } from "./problem.ts"
import { readLayers } from "./read-layers.ts"
import { readPrompts } from "./read-prompts.ts"
import { rulesOf, rulesOfOptions } from "./rules.ts"
import { serverPolicyOf } from "./server-policy.ts"
import { toAgentSettings, toExpectSettings, toMcpSettings, toPermissionSettings, toToolSettings } from "./translate.ts"
import { createTrust, type ReadGoverning } from "./trust/trust.ts"
import { programsOfWorkTree } from "./trust/work-tree-programs.ts"

/** Everything that decides what the configuration of a run is. */
export interface ConfigOptions {
  /** Absolute. */
  readonly workspace: string
  /** Absolute; `--config` and paths of options are relative to it. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** `--config`; later wins. */
  readonly configFiles: readonly string[]
  /** `--set key=value`; later wins. */
  readonly set: readonly string[]
  readonly bare: boolean
  readonly allow: readonly string[]
  readonly deny: readonly string[]
  readonly broad: boolean
  /** `--mcp-server NAME=URL` or `NAME=COMMAND…`. */
  readonly mcpServers: readonly string[]
  readonly only: readonly string[]
  readonly without: readonly string[]
  readonly flags: FlagOverrides
  /** Default: `/etc/agent-run/managed.toml`, which must belong to root. */
  readonly managedFile?: string
  readonly managedOwnerId?: number
}

/** The configuration of a run, and where each of its values comes from. */
export interface LoadedConfig {
  readonly config: Config
  /** For people: secrets are masked, variables are not expanded. */
  readonly effective: readonly EffectiveValue[]
  /** Reads what else governs the run, such as agent.lock, from where the configuration came. */
  readonly read: ReadGoverning
}

/** Read, check, merge and expand the configuration of a run. Throws a UserError that names every mistake and its place. */
export async function loadConfig(options: ConfigOptions): Promise<LoadedConfig> {
  const { workspace, env, flags, cwd } = options
  const { managedFile = "/etc/agent-run/managed.toml", managedOwnerId = 0 } = options
  const trust = await createTrust(options)
  const { layers, merged, warnings } = await readLayers(
    { ...options, read: trust.read, managed: { path: managedFile, ownerId: managedOwnerId } },
    [
      ...flagLayers(flags, cwd),
      ...setLayers(options.set, cwd),
      ...environmentLayers(env, cwd),
      ...dynamicLayers(options.mcpServers, cwd),
    ],
  )
  const { values } = merged

  const gathered = gatherServers(layers)
  const choice = chooseServers(gathered.servers, serverPolicyOf(layers, merged, options), options)
  throwProblems([...gathered.problems, ...choice.problems])

  const prompts = await readPrompts(merged, trust.read)
  const problems: Problem[] = [
    ...prompts.problems,
    ...defaultWithoutBroad(merged, options.broad),
    ...nobodyToAsk(merged),
  ]
  const serverWarnings: ConfigWarning[] = []
  const around = { workspace, cwd, env, problems, warnings: serverWarnings }
  const servers = choice.chosen.map((server) => buildServer(server, around))
  throwProblems(problems, hintFor(problems))

  const optionRules = rulesOfOptions(options)
  const outputs = findOutputs(layers)
  const hooks = hooksOf(layers, env)
  const cache = findCacheFolder(options)
  const programs = programFiles(hooks, values.permissions.ask_command ?? [], workspace)
  throwProblems(await trust.check(programs))
  const started = { servers: choice.chosen, hooks, askCommand: askCommandOf(merged) }
  const config: Config = {
    agent: toAgentSettings(values, prompts),
    mcp: toMcpSettings(merged),
    servers,
    disabledServers: choice.disabled,
    security: { redact: stringsOf("redact"), redactEnv: stringsOf("redactEnv"), sandbox: values.security.sandbox },
    permissions: toPermissionSettings(merged, [...optionRules, ...rulesOf(layers)], env),
    tools: toToolSettings(values, env, customToolsOf(layers)),
    hooks,
    expect: toExpectSettings(values),
    output: pathsOf(outputs),
    cacheFolder: cache.path,
    findings: values.output.findings,
    sources: layers.flatMap((layer) => layer.file?.shown ?? (layer.scope === "cloud" ? layer.sourceOf([]) : [])),
    files: [...layers.flatMap(({ file }) => (file === null ? [] : [file.path])), ...programs],
    starts: trust.ofWorkTree ? await programsOfWorkTree(started, layers, workspace) : [],
    lockFile: lockPathOf(layers, workspace),
    warnings: [
      ...trust.warnings,
      ...warnings,
      ...gathered.warnings,
      ...choice.warnings,
      ...serverWarnings,
      // Only remote servers leave something in the cache.
      ...(servers.some((server) => "url" in server) ? cache.warnings : []),
      ...missingBashVariables(merged, env),
    ],
  }
  const effectiveRules = optionRules.map(({ source, ...value }) => ({ value, source }))
  const effective = effectiveValuesOf({
    layers,
    merged,
    servers: gathered.servers,
    outputs,
    optionRules: effectiveRules,
  })
  return { config, effective, read: trust.read }

  function stringsOf(list: "redact" | "redactEnv"): readonly string[] {
    return [...new Set(addUp(layers, listsThatAddUp[list]).map(({ value }) => String(value)))]
  }
}

function askCommandOf({ values, settings }: MergedConfig) {
  const { on_ask, ask_command } = values.permissions
  const setting = settings.get("permissions.ask_command")
  if (on_ask !== "command" || ask_command === undefined || setting === undefined) return null
  return { words: ask_command, source: setting.layer.sourceOf(setting.path) }
}

function defaultWithoutBroad({ values, settings }: MergedConfig, broadOption: boolean): readonly Problem[] {
  if (values.permissions.default !== "allow" || values.permissions.broad || broadOption) return []
  const setting = settings.get("permissions.default")
  const where = setting?.layer.placeOf(setting.path) ?? ""
  const message =
    'permissions.default: "allow" lets every call through that no rule denies; say so with broad = true in [permissions]'
  return [{ code: "config_error", where, message }]
}

function nobodyToAsk({ values, settings }: MergedConfig): readonly Problem[] {
  if (values.permissions.on_ask !== "command" || values.permissions.ask_command !== undefined) return []
  const setting = settings.get("permissions.on_ask")
  const where = setting?.layer.placeOf(setting.path) ?? ""
  return [{ code: "config_error", where, message: 'permissions.on_ask: "command" needs ask_command' }]
}

function hintFor(problems: readonly Problem[]): string | undefined {
  if (!problems.every(({ code }) => code === "unset_variable")) return undefined
  return "Set it in the environment of agent-run, write ${NAME:-default}, or leave the server out with --without."
}

function missingBashVariables({ values, settings }: MergedConfig, env: ConfigOptions["env"]): readonly ConfigWarning[] {
  const setting = settings.get("tools.bash.env_vars")
  const place = setting?.layer.placeOf(setting.path) ?? ""
  return values.tools.bash.env_vars
    .filter((name) => variableOf(env, name) === undefined)
    .map((name) => ({
      code: "missing_env_var",
      message: `${place} tools.bash.env_vars: the variable ${name} is not set`,
    }))
}
