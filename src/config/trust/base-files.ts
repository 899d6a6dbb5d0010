import { UserError } from "../../contract/user-error.ts"
import { childEnvironment, gitSafety } from "../../util/child-environment.ts"
import { findProgram } from "../../util/find-program.ts"
import { runProcess } from "../../util/run-process.ts"
import type { BaseRevision } from "./base-revision.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** What the base commit has at a path. */
export type BaseFile =
  | { readonly kind: "bytes"; readonly bytes: Buffer }
  | { readonly kind: "missing" }
  | { readonly kind: "unusable"; readonly why: string }

/** Reads files of the base commit, by their path from the root of the repository. */
export type ReadBaseFile = (path: string, maxBytes: number) => Promise<BaseFile>

const localTimeoutMs = 20_000
const fetchTimeoutMs = 120_000

/** Make sure that the base commit is here, fetching it alone if need be. Throws a UserError when it cannot be had. */
export async function openBase(options: {
  readonly root: string
  readonly base: BaseRevision
  readonly env: Environment
}): Promise<ReadBaseFile> {
  const { root, base, env } = options
  const { revision } = base
  if (revision === null) throw unavailable(base, "the CI system does not say which commit that is")
  const program = await findProgram("git", { path: env.PATH ?? "", distrusted: root })
  if (program === null) throw unavailable(base, "there is no git on the PATH")
  const git = (args: readonly string[], more: GitOptions = {}) => runGit({ program, args, root, env, ...more })

  const isHere = async () => (await git(["cat-file", "-e", `${revision}^{commit}`])).exitCode === 0
  const fetchBase = async (values: Readonly<Record<string, string>>) => {
    const args = ["fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "origin", base.fetch]
    return (await git(args, { timeoutMs: fetchTimeoutMs, values })).stderr
  }
  if (!(await isHere())) {
    // What the clone has of credentials comes first: together with ours GitHub refuses both.
    let problem = await fetchBase({})
    const credentials = credentialsOf(env)
    if (credentials !== null && !(await isHere())) problem = await fetchBase(credentials)
    if (!(await isHere())) throw unavailable(base, problem || "it is not in the clone and cannot be fetched")
  }

  return async (path, maxBytes) => {
    const listed = await git(["ls-tree", "-z", "--full-tree", revision, "--", path])
    if (listed.exitCode !== 0) throw unavailable(base, listed.stderr)
    const entry = /^(\d+) (\w+) ([0-9a-f]+)\t([^\0]*)\0$/.exec(listed.stdout.toString("utf8"))
    if (entry === null || entry[4] !== path) return { kind: "missing" }
    const [, mode, , object = ""] = entry
    if (mode !== "100644" && mode !== "100755")
      return { kind: "unusable", why: "is not a regular file in the base commit" }
    const blob = await git(["cat-file", "blob", object], { maxBytes })
    if (blob.exitCode !== 0) throw unavailable(base, blob.stderr)
    if (blob.stdout.length > maxBytes) return { kind: "unusable", why: `is larger than ${maxBytes / 1024} KiB` }
    return { kind: "bytes", bytes: blob.stdout }
  }
}

interface GitOptions {
  readonly timeoutMs?: number
  readonly maxBytes?: number
  readonly values?: Readonly<Record<string, string>>
}

async function runGit(
  options: GitOptions & {
    readonly program: string
    readonly args: readonly string[]
    readonly root: string
    readonly env: Environment
  },
): Promise<{ readonly exitCode: number; readonly stdout: Buffer; readonly stderr: string }> {
  const { program, args, root, env, timeoutMs = localTimeoutMs, maxBytes = 65_536, values = {} } = options
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  let size = 0
  const end = await runProcess({
    file: program,
    args,
    cwd: root,
    env: childEnvironment(env, { values: { ...gitSafety, LC_ALL: "C", ...values } }),
    timeoutMs,
    signal: new AbortController().signal,
    onStdout(chunk) {
      if (size <= maxBytes) stdout.push(chunk)
      size += chunk.length
    },
    onStderr(chunk) {
      if (stderr.length < 4) stderr.push(chunk.subarray(0, 1024))
    },
  })
  const said = Buffer.concat(stderr).toString("utf8").trim()
  if (end.kind === "exited") return { exitCode: end.exitCode, stdout: Buffer.concat(stdout), stderr: said }
  return { exitCode: -1, stdout: Buffer.alloc(0), stderr: said || `git ${args[0]} did not end (${end.kind})` }
}

/** The Action's token, for this one fetch: a checkout with `persist-credentials: false` leaves none behind. */
function credentialsOf(env: Environment): Readonly<Record<string, string>> | null {
  const token = env["INPUT_GITHUB-TOKEN"]
  const server = env.GITHUB_SERVER_URL
  if (!token || !server?.startsWith("https://")) return null
  const count = Number(gitSafety.GIT_CONFIG_COUNT)
  const basic = Buffer.from(`x-access-token:${token}`).toString("base64")
  return {
    GIT_CONFIG_COUNT: String(count + 1),
    [`GIT_CONFIG_KEY_${count}`]: `http.${server.replace(/\/+$/, "")}/.extraheader`,
    [`GIT_CONFIG_VALUE_${count}`]: `AUTHORIZATION: basic ${basic}`,
  }
}

function unavailable({ because, revision }: BaseRevision, why: string): UserError {
  const commit = revision === null ? "the base commit" : `the base commit ${revision}`
  return new UserError("config_error", `${because} is governed by ${commit}, which cannot be read: ${why}`, {
    hint: "Check out the whole history (fetch-depth: 0), or pass --bare with a --config outside the work tree.",
  })
}
