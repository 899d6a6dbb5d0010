import { readFileSync } from "node:fs"

type Environment = Readonly<Record<string, string | undefined>>

/** What the runner says of the event that started the workflow. */
export interface EventContext {
  readonly eventName: string
  /** Everybody who had a hand in the event: who started this run, and the one that this run follows. Empty when that is not known. */
  readonly actors: readonly string[]
  /** `owner/name`. */
  readonly repository: string
  readonly apiUrl: string
}

/** Read the event from the variables and the file of the runner. */
export function readContext(env: Environment): EventContext {
  const eventName = env.GITHUB_EVENT_NAME ?? ""
  const followed = eventName === "workflow_run" ? followedActors(readEvent(env)) : []
  const known = eventName !== "workflow_run" || followed.length > 0
  return {
    eventName,
    actors: known ? [...new Set([env.GITHUB_ACTOR ?? "", ...followed])].filter((actor) => actor !== "") : [],
    repository: env.GITHUB_REPOSITORY ?? "",
    apiUrl: (env.GITHUB_API_URL || "https://api.github.com").replace(/\/+$/, ""),
  }
}

/** `workflow_run` runs in the name of the repository, whoever started the workflow that it follows. */
function followedActors(event: unknown): readonly string[] {
  const run = fieldOf(event, "workflow_run")
  const logins = ["actor", "triggering_actor"].map((role) => fieldOf(fieldOf(run, role), "login"))
  return logins.filter((login) => typeof login === "string")
}

function readEvent(env: Environment): unknown {
  try {
    return JSON.parse(readFileSync(env.GITHUB_EVENT_PATH ?? "", "utf8"))
  } catch {
    // Without the file nobody is known, and the guard lets nobody pass.
    return null
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined
}
