import { readyGuard } from "./group-guard.ts"
import { endGroup, trackGroup } from "./process-groups.ts"

/** How a child process ended. */
export type ProcessEnd =
  | { readonly kind: "exited"; readonly exitCode: number }
  | { readonly kind: "killed"; readonly by: string }
  | { readonly kind: "timeout" }
  | { readonly kind: "aborted" }

/** What to run and how far it may go. */
export interface ProcessOptions {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  /** The complete environment; nothing of ours is added. */
  readonly env: Readonly<Record<string, string>>
  /** What the program reads on its standard input, to its end. Default: nothing. */
  readonly stdin?: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
  onStdout(chunk: Buffer): void
  onStderr(chunk: Buffer): void
}

/** Run a program in a process group of its own. When this resolves, nothing of the group is left. */
export async function runProcess(options: ProcessOptions): Promise<ProcessEnd> {
  if (options.signal.aborted) return { kind: "aborted" }
  const { execa } = await import("execa")
  readyGuard()
  const subprocess = execa(options.file, options.args, {
    cwd: options.cwd,
    env: options.env,
    extendEnv: false,
    ...(options.stdin === undefined ? { stdin: "ignore" } : { input: options.stdin }),
    buffer: false,
    reject: false,
    detached: true,
    cleanup: false,
  })
  const groupId = subprocess.pid
  if (groupId === undefined) throw new Error((await subprocess).shortMessage ?? `${options.file} could not be started`)
  trackGroup(groupId)
  subprocess.stdout.on("data", options.onStdout)
  subprocess.stderr.on("data", options.onStderr)
  const closed = new Promise<void>((resolve) => subprocess.once("close", () => resolve()))
  const exited = new Promise<ProcessEnd>((resolve) =>
    subprocess.once("exit", (exitCode, signal) =>
      resolve(exitCode === null ? { kind: "killed", by: signal ?? "a signal" } : { kind: "exited", exitCode }),
    ),
  )
  const end = await firstEnd(exited, options)
  await endGroup(groupId, { graceMs: end.kind === "exited" ? 50 : 0, patienceMs: 500 })
  await within(closed, 500)
  // A process that left the group may still hold the pipes; it must not hold us.
  subprocess.stdout.destroy()
  subprocess.stderr.destroy()
  return end
}

async function firstEnd(exited: Promise<ProcessEnd>, options: ProcessOptions): Promise<ProcessEnd> {
  const settled = new AbortController()
  const stopped = new Promise<ProcessEnd>((resolve) => {
    const timer = setTimeout(() => resolve({ kind: "timeout" }), options.timeoutMs)
    settled.signal.addEventListener("abort", () => clearTimeout(timer))
    options.signal.addEventListener("abort", () => resolve({ kind: "aborted" }), { signal: settled.signal })
    if (options.signal.aborted) resolve({ kind: "aborted" })
  })
  try {
    return await Promise.race([exited, stopped])
  } finally {
    settled.abort()
  }
}

async function within(done: Promise<void>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs)
  })
  await Promise.race([done, limit])
  clearTimeout(timer)
}
