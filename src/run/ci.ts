import type { RunEventOf } from "../contract/event.ts"
import { toLink } from "../report/escape.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** The CI system that a run is a job of. */
export type Ci = NonNullable<RunEventOf<"run.start">["ci"]>

/** Find the CI system by the variables it documents, for links only: nothing else depends on it. */
export function detectCi(env: Environment): Ci | null {
  if (env.GITHUB_ACTIONS === "true") return { name: "GitHub Actions", url: toAddress(gitHubRun(env)) }
  if (env.GITLAB_CI === "true") return { name: "GitLab", url: toAddress(env.CI_JOB_URL) }
  if (env.CIRCLECI === "true") return { name: "CircleCI", url: toAddress(env.CIRCLE_BUILD_URL) }
  if (env.BUILDKITE === "true") return { name: "Buildkite", url: toAddress(buildkiteJob(env)) }
  // Jenkins has no switch of its own, so the address of the build has to be there beside that of the server.
  if (env.JENKINS_URL && env.BUILD_URL) return { name: "Jenkins", url: toAddress(env.BUILD_URL) }
  return null
}

function gitHubRun(env: Environment): string | undefined {
  const {
    GITHUB_SERVER_URL: server,
    GITHUB_REPOSITORY: repository,
    GITHUB_RUN_ID: id,
    GITHUB_RUN_ATTEMPT: attempt,
  } = env
  if (!server || !repository || !id) return undefined
  return `${server}/${repository}/actions/runs/${id}${attempt ? `/attempts/${attempt}` : ""}`
}

function buildkiteJob(env: Environment): string | undefined {
  const { BUILDKITE_BUILD_URL: build, BUILDKITE_JOB_ID: job } = env
  return build && job ? `${build}#${job}` : build
}

/** A clean https address without credentials, or nothing. */
function toAddress(text: string | undefined): string | null {
  if (text === undefined || !URL.canParse(text)) return null
  const url = new URL(text)
  if (url.username !== "" || url.password !== "") return null
  const encoded = url.href.replaceAll(/[()[\]|!'*$^{}\\]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)
  return toLink(encoded)
}
