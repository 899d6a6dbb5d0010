import { readFileSync } from "node:fs"

type Environment = Readonly<Record<string, string | undefined>>

/** The commit that governs a run on a pull request: what was there before the request. */
export interface BaseRevision {
  /** What CI system and event say that this is a pull request. */
  readonly because: string
  /** How git knows the commit, or null when the CI system does not say. */
  readonly revision: string | null
  /** What to fetch when the commit is not in the clone. */
  readonly fetch: string
}

/** Is this run about something that strangers may have written? Then the base commit says how it is done; else null. */
export function findBaseRevision(env: Environment): BaseRevision | null {
  if (env.GITHUB_ACTIONS === "true") return onGithub(env)
  if (env.GITLAB_CI && env.CI_MERGE_REQUEST_IID) {
    return commit(
      "a GitLab merge request",
      env.CI_MERGE_REQUEST_TARGET_BRANCH_SHA || env.CI_MERGE_REQUEST_DIFF_BASE_SHA,
    )
  }
  return env.CHANGE_ID ? onJenkins(env) : null
}

function onGithub(env: Environment): BaseRevision | null {
  const event = env.GITHUB_EVENT_NAME ?? ""
  const because = `the event ${event}`
  if (event.startsWith("pull_request")) return commit(because, baseOfEvent(env.GITHUB_EVENT_PATH ?? ""))
  // These run on the default branch, whatever the step checked out.
  return event === "issue_comment" || event === "workflow_run" ? commit(because, env.GITHUB_SHA) : null
}

function baseOfEvent(path: string): unknown {
  try {
    const event: unknown = JSON.parse(readFileSync(path, "utf8"))
    return ["pull_request", "base", "sha"].reduce(fieldOf, event)
  } catch {
    // Without the event nobody knows the base, and nothing is read.
    return null
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined
}

function onJenkins(env: Environment): BaseRevision {
  const branch = env.CHANGE_TARGET ?? ""
  const known = /^[\w][\w./+-]*$/.test(branch) && !branch.includes("..")
  const tracked = `refs/remotes/origin/${branch}`
  return {
    because: "a change request in Jenkins",
    revision: known ? tracked : null,
    fetch: `+refs/heads/${branch}:${tracked}`,
  }
}

function commit(because: string, sha: unknown): BaseRevision {
  const revision = typeof sha === "string" && /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(sha) ? sha : null
  return { because, revision, fetch: revision ?? "" }
}
