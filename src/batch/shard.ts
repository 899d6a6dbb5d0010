import type { Shard } from "../contract/batch.ts"
import { UserError } from "../contract/user-error.ts"

/** Where CI systems say which part of a job this is; `first` is what they call the first one. */
const systems = [
  { name: "AGENT_RUN_SHARD", index: "AGENT_RUN_SHARD_INDEX", total: "AGENT_RUN_SHARD_TOTAL", first: 0 },
  { name: "GitLab", index: "CI_NODE_INDEX", total: "CI_NODE_TOTAL", first: 1 },
  { name: "CircleCI", index: "CIRCLE_NODE_INDEX", total: "CIRCLE_NODE_TOTAL", first: 0 },
  { name: "Buildkite", index: "BUILDKITE_PARALLEL_JOB", total: "BUILDKITE_PARALLEL_JOB_COUNT", first: 0 },
  { name: "Kubernetes", index: "JOB_COMPLETION_INDEX", total: "AGENT_RUN_SHARD_TOTAL", first: 0 },
] as const

/** Read `--shard`: `2/16`, the first being 1, or `auto`. Throws a UserError for everything else. */
export function readShard(text: string, env: Readonly<Record<string, string | undefined>>): Shard {
  if (text === "auto") return findShard(env)
  const [, index, total] = /^(\d{1,7})\/(\d{1,7})$/.exec(text.trim()) ?? []
  if (index === undefined || total === undefined) throw wrong(`"${text}" is neither I/N nor auto`)
  return checked({ index: Number(index), total: Number(total) }, `"${text}"`)
}

function findShard(env: Readonly<Record<string, string | undefined>>): Shard {
  const system = systems.find(({ index }) => env[index]?.trim())
  if (system === undefined) {
    const hint = `It is read from one of ${systems.map(({ index, total }) => `${index} and ${total}`).join(", ")}.`
    throw wrong("auto finds no variable that says which shard this is", hint)
  }
  const index = numberIn(env, system.index)
  const total = numberIn(env, system.total)
  const said = `${system.index}=${env[system.index]} and ${system.total}=${env[system.total]}`
  return checked({ index: index - system.first + 1, total }, said)
}

function numberIn(env: Readonly<Record<string, string | undefined>>, name: string): number {
  const text = env[name]?.trim() ?? ""
  if (text === "") throw wrong(`auto needs the variable ${name}`, "Set it to the number of shards.")
  if (!/^\d{1,7}$/.test(text)) throw wrong(`the variable ${name} is no whole number: "${text}"`)
  return Number(text)
}

function checked(shard: Shard, said: string): Shard {
  if (shard.total >= 1 && shard.index >= 1 && shard.index <= shard.total) return shard
  throw wrong(`${said}: there is no shard ${shard.index} of ${shard.total}`)
}

function wrong(message: string, hint = "Write 1/4 for the first of four shards, or auto in a CI job."): UserError {
  return new UserError("usage_error", message, { where: "--shard:", hint })
}
