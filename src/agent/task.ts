import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import { UserError } from "../contract/user-error.ts"

/** Where a task can come from. */
export interface TaskSource {
  readonly task: string | undefined
  readonly taskFile: string | undefined
  /** A prompt of a server, which has its text later. */
  readonly prompt?: string | undefined
  readonly cwd: string
  readonly stdin: NodeJS.ReadableStream
  readonly signal: AbortSignal | undefined
  /** How long standard input may take to its end. */
  readonly stdinMs?: number
}

const maxTaskBytes = 1024 * 1024

/** Read the task from its one source; empty when it is a prompt. Throws a UserError when there is none, more than one, or nothing in it. */
export async function readTask(source: TaskSource): Promise<string> {
  const given = Object.entries({ task: source.task, "task-file": source.taskFile, prompt: source.prompt })
    .filter(([, value]) => value !== undefined)
    .map(([option]) => `--${option}`)
  if (given.length > 1) {
    throw new UserError("usage_error", `${given.length} tasks: ${given.join(" and ")} were given`, {
      hint: "Give one of them.",
    })
  }
  if (source.prompt !== undefined) return ""
  return checkTask(source.task ?? (await readTaskFile(source)))
}

/** The text of a task, unless there is nothing in it or far too much. */
export function checkTask(text: string): string {
  if (text.trim() === "") {
    throw new UserError("usage_error", "the task is empty", { hint: 'Say what to do: agent-run --task "…".' })
  }
  if (Buffer.byteLength(text) > maxTaskBytes) {
    throw new UserError("usage_error", "the task is longer than 1 MiB", {
      hint: "Put the material into files of the workspace.",
    })
  }
  return text
}

async function readTaskFile(source: TaskSource): Promise<string> {
  if (source.taskFile === undefined) {
    throw new UserError("usage_error", "no task", {
      hint: 'Say what to do: agent-run --task "…", --task-file PATH or --prompt SERVER/NAME.',
    })
  }
  if (source.taskFile === "-") return readStdin(source)
  try {
    return await readFile(resolve(source.cwd, source.taskFile), "utf8")
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new UserError("usage_error", `cannot read the task: ${why}`, {
      where: `--task-file ${source.taskFile}:`,
      cause,
    })
  }
}

async function readStdin({ stdin, signal, stdinMs = 30_000 }: TaskSource): Promise<string> {
  let give = (_error: Error) => {}
  const given = new Promise<never>((_, reject) => {
    give = reject
  })
  const stop = () => give(new Error("stopped while standard input was read"))
  const timer = setTimeout(() => give(stdinTooLate(stdinMs)), stdinMs)
  signal?.addEventListener("abort", stop, { once: true })
  if (signal?.aborted) stop()
  try {
    return await Promise.race([readAll(stdin), given])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener("abort", stop)
  }
}

function stdinTooLate(stdinMs: number): UserError {
  return new UserError("usage_error", `standard input did not end within ${stdinMs / 1000} s`, {
    where: "--task-file -:",
    hint: "Pipe the task in, or use --task.",
  })
}

async function readAll(stream: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    const piece = Buffer.from(chunk)
    chunks.push(piece)
    bytes += piece.length
    if (bytes > maxTaskBytes) break
  }
  return Buffer.concat(chunks).toString("utf8")
}
