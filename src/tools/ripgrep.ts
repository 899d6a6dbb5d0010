import { relative } from "node:path"
import { findProgram } from "../util/find-program.ts"
import { isInside } from "../util/inside-folder.ts"
import { type ProcessEnd, runProcess } from "../util/run-process.ts"
import { createResultFilter, type ResultFilter } from "./result-filter.ts"
import type { Workspace } from "./workspace.ts"

/** One search: ripgrep never follows links, never sees refused files, and is stopped once enough has come. */
interface Search {
  readonly args: readonly string[]
  /** What is searched, if not all of `cwd`. */
  readonly where?: string
  readonly cwd: string
  readonly signal: AbortSignal
  /** Files to leave out, by their path from `cwd`, and what stands behind a name; `null` when all files count. */
  readonly filter: ResultFilter | null
  /** Is what came so far enough? Then the search is stopped. */
  enough(stdout: Buffer): boolean
}

/** What a search gave: everything, or the part that came before it was stopped. */
export interface SearchOutput {
  readonly end: ProcessEnd | { readonly kind: "enough" }
  readonly stdout: Buffer
  readonly stderr: string
}

/** Searches files of the workspace. */
export type Ripgrep = (search: Search) => Promise<SearchOutput>

const timeoutMs = 30_000

/** Use `rg` of the PATH, else the one that is installed with us; looked up at the first search. */
export function createRipgrep(options: { readonly workspace: Workspace; readonly path: string }): Ripgrep {
  let program: Promise<string> | null = null
  return async (search) => {
    program ??= findRipgrep({ root: options.workspace.root, path: options.path })
    const where = search.where === undefined ? [] : ["--", search.where]
    const stdout: Buffer[] = []
    const stderr: Buffer[] = []
    const stop = new AbortController()
    const filter = search.filter === null ? null : createResultFilter(search.filter)
    const take = (shown: Buffer) => {
      stdout.push(shown)
      if (search.enough(shown)) stop.abort()
    }
    const end = await runProcess({
      file: await program,
      args: [
        ...commonArgs,
        ...search.args,
        ...(filter?.args ?? []),
        ...exclusions(options.workspace, search.cwd),
        ...where,
      ],
      cwd: search.cwd,
      env: {},
      timeoutMs,
      signal: AbortSignal.any([search.signal, stop.signal]),
      onStdout(chunk) {
        if (!stop.signal.aborted) take(filter?.push(chunk) ?? chunk)
      },
      onStderr(chunk) {
        if (stderr.length < 16) stderr.push(chunk.subarray(0, 1024))
      },
    })
    if (filter !== null && !stop.signal.aborted) take(filter.rest())
    return {
      end: stop.signal.aborted && !search.signal.aborted ? { kind: "enough" } : end,
      stdout: Buffer.concat(stdout),
      stderr: Buffer.concat(stderr).toString("utf8").trim(),
    }
  }
}

/** Where ripgrep is; nothing inside the workspace is taken. Throws, in words for a person, when there is none. */
export async function findRipgrep(options: { readonly root: string; readonly path: string }): Promise<string> {
  const onPath = await findProgram("rg", { path: options.path, distrusted: options.root })
  if (onPath !== null) return onPath
  try {
    return (await import("@vscode/ripgrep")).rgPath
  } catch {
    throw new Error(
      "ripgrep is not available: there is no rg on the PATH, and none was installed with agent-run. Install the package ripgrep.",
    )
  }
}

const commonArgs = ["--no-config", "--color=never", "--hidden", "--no-require-git", "--sort=path", "--no-messages"]

/** Globs that come last win, and `--iglob` comes after every `--glob`. */
function exclusions(workspace: Workspace, cwd: string): readonly string[] {
  const refused = workspace.unreadable
    .filter((path) => path !== cwd && isInside(cwd, path))
    .map((path) => `--iglob=!/${escapeGlob(relative(cwd, path))}`)
  return ["--iglob=!.git", "--iglob=!.git-credentials", ...refused]
}

function escapeGlob(path: string): string {
  return path.replace(/[\\*?[\]{}!]/g, "\\$&")
}
