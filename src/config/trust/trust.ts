import { existsSync, readFileSync, realpathSync } from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import type { ConfigWarning } from "../../contract/config.ts"
import { isInside } from "../../util/inside-folder.ts"
import type { Problem } from "../problem.ts"
import { decodeText, readText, type TextFile } from "../text/read-text.ts"
import type { ReadBaseFile } from "./base-files.ts"
import { type BaseRevision, findBaseRevision } from "./base-revision.ts"

/** Reads a file that governs the run, from where it can be trusted. */
export type ReadGoverning = (path: string, maxBytes: number) => Promise<TextFile>

/** Where the files that govern a run come from. */
export interface Trust {
  readonly read: ReadGoverning
  /** Programs that the configuration starts must be as the base commit has them; a problem for each that is not. */
  check(paths: readonly string[]): Promise<readonly Problem[]>
  /** Does the work tree speak for itself? */
  readonly ofWorkTree: boolean
  /** What the work tree says otherwise, and is not heard. */
  readonly warnings: readonly ConfigWarning[]
}

const maxProgramBytes = 16 * 1024 * 1024

/** Files of the work tree are trusted, except on pull requests: there the base commit speaks for them. */
export async function createTrust(options: {
  readonly workspace: string
  readonly env: Readonly<Record<string, string | undefined>>
}): Promise<Trust> {
  const found = findBaseRevision(options.env)
  if (found === null) return { read: readText, check: async () => [], ofWorkTree: true, warnings: [] }
  const base: BaseRevision = found
  const repository = findRepository(options.workspace)
  const root = repository ?? options.workspace
  const warnings: ConfigWarning[] = []
  let opened: Promise<ReadBaseFile> | null = null

  async function readBase(path: string, maxBytes: number): Promise<TextFile | Buffer> {
    if (repository === null) return existsSync(path) ? withoutRepository : { kind: "missing" }
    opened ??= import("./base-files.ts").then(({ openBase }) => openBase({ root, base, env: options.env }))
    const file = await (await opened)(relative(root, path), maxBytes)
    return file.kind === "bytes" ? file.bytes : file
  }

  async function read(path: string, maxBytes: number): Promise<TextFile> {
    const place = placeIn(root, path)
    if (place === null) return readText(path, maxBytes)
    const file = await readBase(place, maxBytes)
    const text = Buffer.isBuffer(file) ? decodeText(file, null) : file
    if (!(await saysTheSame(path, maxBytes, text))) {
      const message = `${relative(root, place)} is read from the base commit, since this is ${base.because}; what the work tree says is ignored`
      warnings.push({ code: "config_from_base", message })
    }
    return text
  }

  async function check(paths: readonly string[]): Promise<readonly Problem[]> {
    const problems: Problem[] = []
    for (const path of paths) {
      const place = placeIn(root, path)
      if (place === null) continue
      const file = await readBase(place, maxProgramBytes)
      if (Buffer.isBuffer(file) && file.equals(readFileSync(path))) continue
      const message = `is not what the base commit has, and this is ${base.because}: it is not started`
      problems.push({ code: "config_error", where: relative(root, place), message })
    }
    return problems
  }

  return { read, check, ofWorkTree: false, warnings }
}

const withoutRepository = {
  kind: "unusable",
  why: "belongs to a pull request and cannot be read from its base commit: the workspace is not a git repository",
} as const

async function saysTheSame(path: string, maxBytes: number, text: TextFile): Promise<boolean> {
  const there = await readText(path, maxBytes)
  if (there.kind !== "text" || text.kind !== "text") return there.kind === text.kind
  return there.text === text.text
}

/** The path inside the work tree, by its name or by what it really is; null when it is outside. */
function placeIn(root: string, path: string): string | null {
  if (isInside(root, path)) return path
  const folder = realPathOr(dirname(path), dirname(path))
  const real = realPathOr(path, join(folder, basename(path)))
  return isInside(root, real) ? real : null
}

function realPathOr(path: string, otherwise: string): string {
  try {
    return realpathSync(path)
  } catch {
    // It is not there; its name is all there is.
    return otherwise
  }
}

/** The folder with `.git` in or above a workspace. */
export function findRepository(workspace: string): string | null {
  for (let folder = workspace; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder
    if (folder === dirname(folder)) return null
  }
}
