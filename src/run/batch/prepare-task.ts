import { readFile, stat } from "node:fs/promises"
import { join, relative } from "node:path"
import { digestOfText, digestOfValue } from "../../batch/digest.ts"
import type { TaskEntry } from "../../batch/task.ts"
import type { EffectiveValue } from "../../config/effective.ts"
import { loadConfig } from "../../config/load.ts"
import type { Host, RunOptions } from "../../contract/run-options.ts"
import { UserError } from "../../contract/user-error.ts"
import { loadAnswerSchema } from "../../expect/answer-schema.ts"
import { createPolicy } from "../../permissions/policy.ts"
import { configOptionsOf, findWorkspace } from "../find-config.ts"
import { chooseModel } from "../prepare.ts"
import { toSetOptions } from "./override-options.ts"
import { batchOutputs } from "./write-batch.ts"

/** A task that is known to be able to start. */
export interface PreparedTask {
  readonly entry: TaskEntry
  readonly options: RunOptions
  /** The same for the same task under the same configuration. */
  readonly digest: string
  /** The folder of its outputs. */
  readonly folder: string
  readonly workspace: string
}

/** What all tasks of a batch are prepared with. */
export interface TaskSurroundings {
  /** The options that all tasks have in common. */
  readonly common: RunOptions
  readonly host: Host
  /** Absolute. */
  readonly outDir: string
  /** Must the cost of every task be known? */
  readonly needsPrice: boolean
}

/** A way to check tasks before any is started. What many tasks have in common is looked at once. */
export function createTaskPreparer({ common, host, outDir, needsPrice }: TaskSurroundings) {
  const configs = new Map<string, Promise<string>>()
  const files = new Map<string, Promise<string>>()

  /** Everything a person can have got wrong is found here. Throws a UserError that names the task. */
  async function prepare(entry: TaskEntry): Promise<PreparedTask> {
    try {
      const options = optionsOf(entry)
      const workspace = findWorkspace(options, host)
      const digest = digestOfValue({
        id: entry.id,
        workspace: relative(findWorkspace({}, host), workspace),
        task: entry.task ?? (await digestOfFile(entry.taskFile)),
        inputs: await Promise.all(entry.inputs.map(digestOfFile)),
        script: await digestOfFile(options.script),
        output_schema: await digestOfFile(options.outputSchema),
        config: await digestOfConfig(options, workspace),
      })
      return { entry, options, digest, folder: folderOf(entry), workspace }
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      throw new UserError(error.code, `task ${entry.id}: ${error.message}`, {
        where: entry.at,
        ...(error.hint === null ? {} : { hint: error.hint }),
        cause: error,
      })
    }
  }

  function optionsOf(entry: TaskEntry): RunOptions {
    return {
      ...common,
      set: [...(common.set ?? []), ...toSetOptions(entry.config)],
      ...(entry.task === undefined ? {} : { task: entry.task }),
      ...(entry.taskFile === undefined ? {} : { taskFile: entry.taskFile }),
      inputs: entry.inputs,
      ...(entry.workspace === undefined ? {} : { workspace: entry.workspace }),
      ...(entry.script === undefined ? {} : { script: entry.script }),
      ...(entry.outputSchema === undefined ? {} : { outputSchema: entry.outputSchema }),
      outDir: folderOf(entry),
      offLimits: [join(outDir, "tasks"), ...batchOutputs.map((name) => join(outDir, name))],
    }
  }

  function folderOf({ id }: TaskEntry): string {
    return join(outDir, "tasks", id)
  }

  function digestOfConfig(options: RunOptions, workspace: string): Promise<string> {
    const key = JSON.stringify([workspace, options.set, options.script, options.outputSchema])
    const known = configs.get(key) ?? checkConfig(options, workspace)
    configs.set(key, known)
    return known
  }

  async function checkConfig(options: RunOptions, workspace: string): Promise<string> {
    const { config, effective } = await loadConfig(configOptionsOf(options, host, workspace))
    createPolicy(config.permissions)
    const model = await chooseModel(options, config, { host, scene: { shared: null } })
    if (needsPrice && !model.priced) {
      throw new UserError("unknown_price", `the batch has a cost limit, but the price of ${model.id} is unknown`, {
        hint: `Set agent.prices."${model.id}" in the configuration.`,
      })
    }
    if (options.outputSchema !== undefined) await loadAnswerSchema(options.outputSchema)
    const { systemPrompt, instructions } = config.agent
    const values = effective.filter(isRelevant).map(({ path, value }) => [path, value])
    return digestOfValue([values, systemPrompt, instructions])
  }

  async function digestOfFile(path: string | undefined): Promise<string | null> {
    if (path === undefined) return null
    const known = files.get(path) ?? readDigest(path)
    files.set(path, known)
    return known
  }

  return prepare
}

/** Limits decide whether a task gets through, not what it is; outputs and concurrency decide nothing about it. */
function isRelevant({ path }: EffectiveValue): boolean {
  return !/^(?:agent\.(?:max_\w+|timeout_sec)|output\.(?!findings)\w+|mcp\.(?:local|remote)_concurrency)$/.test(
    path.join("."),
  )
}

async function readDigest(path: string): Promise<string> {
  try {
    // A pipe must not block.
    if (!(await stat(path)).isFile()) throw new Error("it is not a regular file")
    return digestOfText(await readFile(path))
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new UserError("usage_error", `${path} cannot be read: ${why}`, { cause })
  }
}
