import { resolve } from "node:path"
import type { Config } from "../contract/config.ts"
import type { Model } from "../contract/model.ts"
import type { Host, RunOptions } from "../contract/run-options.ts"
import { UserError } from "../contract/user-error.ts"
import { secretsOf } from "../events/secret-variables.ts"
import { authSecrets } from "./access.ts"
import type { Scene } from "./scene.ts"

/** Everything in a configuration that must not be seen: secret variables of servers, and all header values. */
export function configSecrets(config: Config, host: Host) {
  const { redactEnv } = config.security
  return [
    ...secretsOf(host.env, redactEnv),
    ...config.servers.flatMap((server) => {
      if (server.transport === "stdio") return secretsOf(server.env, redactEnv)
      if (server.transport === "sdk") return []
      const headers = Object.entries(server.headers).flatMap(([header, value]) => {
        const name = `${server.name}.${header}`
        return [value, value.replace(/^\w+ /, "")].map((part) => ({ name, value: part }))
      })
      return [...headers, ...authSecrets(server.auth).map((value) => ({ name: `${server.name}.auth`, value }))]
    }),
  ]
}

interface ModelSurroundings {
  readonly host: Host
  readonly scene: Pick<Scene, "shared">
}

/** The model of a run: one of your own, a script, or the API. */
export async function chooseModel(options: RunOptions, config: Config, around: ModelSurroundings): Promise<Model> {
  const model = await createModel(options, config, around)
  if (config.agent.maxCostUsd !== null && !model.priced) {
    throw new UserError("unknown_price", `max_cost_usd is set, but the price of ${model.id} is unknown`, {
      hint: `Set agent.prices."${model.id}" = { input = …, output = …, cache_read = …, cache_write = … } in dollars per million tokens.`,
    })
  }
  return model
}

async function createModel(options: RunOptions, config: Config, { host, scene }: ModelSurroundings): Promise<Model> {
  if (typeof options.model === "object") return options.model
  if (options.script !== undefined) {
    const { loadScript } = await import("../model/script.ts")
    return loadScript(resolve(host.cwd, options.script))
  }
  const { createAnthropicModel } = await import("../model/anthropic.ts")
  const { model, fallbackModels, effort, prices } = config.agent
  return createAnthropicModel({
    model,
    fallbackModels,
    effort,
    prices,
    baseUrl: options.baseUrl ?? null,
    env: host.env,
    ...(scene.shared === null ? {} : { pace: scene.shared.pace }),
    log: host.log,
  })
}
