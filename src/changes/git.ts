import { type ExecFileException, execFile } from "node:child_process"
import { findProgram } from "../util/find-program.ts"

/** What one git command gave. */
export type GitAnswer =
  | { readonly kind: "ran"; readonly exitCode: number; readonly stdout: Buffer; readonly stderr: string }
  | { readonly kind: "too_large" }

/** Run git in the workspace. Throws, in words for a person, when time is up or git cannot run. */
export type Git = (
  args: readonly string[],
  options?: {
    readonly env?: Readonly<Record<string, string>>
    readonly input?: string | Buffer
    readonly maxBytes?: number
  },
) => Promise<GitAnswer>

/** The output of a git command that must succeed; throws what git said otherwise. */
export function outputOf(answer: GitAnswer): Buffer {
  if (answer.kind === "too_large") throw new Error("git said more than we can hold")
  if (answer.exitCode !== 0) throw new Error(answer.stderr)
  return answer.stdout
}

/** A list of all files of a large repository fits in here. */
const defaultMaxBytes = 256 * 1024 * 1024

/** Find git and tie it to a workspace, an environment and a signal; null when there is no git. */
export async function createGit(options: {
  readonly workspace: string
  readonly env: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}): Promise<Git | null> {
  const program = await findProgram("git", { path: options.env.PATH ?? "", distrusted: options.workspace })
  if (program === null) return null
  return (args, { env = {}, input = "", maxBytes = defaultMaxBytes } = {}) =>
    new Promise((resolve, reject) => {
      const settings = {
        cwd: options.workspace,
        env: { ...options.env, ...ownConfigOnly, ...env },
        encoding: "buffer",
        maxBuffer: maxBytes,
        signal: options.signal,
        killSignal: "SIGKILL",
      } as const
      const child = execFile(program, args, settings, (error, stdout, stderr) => {
        if (options.signal.aborted) return reject(new Error("it took too long or the run was stopped"))
        if (error?.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") return resolve({ kind: "too_large" })
        const exitCode = exitCodeOf(error)
        if (exitCode === null) return reject(new Error(`git ${args[0]} did not run: ${error?.message}`))
        resolve({ kind: "ran", exitCode, stdout, stderr: stderr.toString("utf8").trim() })
      })
      child.stdin?.on("error", () => {
        // git may end without reading its input; its exit code says what happened.
      })
      child.stdin?.end(input)
    })
}

/** No configuration but the private one: filters, drivers and helpers of a user or a repository are not run. */
const ownConfigOnly = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1", GIT_OPTIONAL_LOCKS: "0", LC_ALL: "C" }

function exitCodeOf(error: ExecFileException | null): number | null {
  if (error === null) return 0
  return typeof error.code === "number" ? error.code : null
}
