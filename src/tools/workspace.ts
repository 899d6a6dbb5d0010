import { readlinkSync, realpathSync } from "node:fs"
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path"
import type { Subject } from "../contract/tool.ts"
import { UserError } from "../contract/user-error.ts"
import { isInside } from "../util/inside-folder.ts"
import { createOffLimits } from "./off-limits.ts"

/** A path after every link in it was followed. */
export interface WorkspacePath {
  readonly absolute: string
  /** Relative to the workspace, `.` for itself; the absolute path when it leaves the workspace. */
  readonly relative: string
  readonly inside: boolean
}

/** Either the real path to use from here on, or why not, in words for the model. */
type Guarded = { readonly ok: true; readonly path: WorkspacePath } | { readonly ok: false; readonly refusal: string }

/** The tree that file tools may touch. */
export interface Workspace {
  readonly root: string
  /** What must not be read, beside `.git` anywhere: for tools that walk. Absolute. */
  readonly unreadable: readonly string[]
  resolve(path: string): WorkspacePath
  guardRead(path: string): Guarded
  guardWrite(path: string): Guarded
  /** What permission rules look at for a path. */
  subject(path: string): Subject
}

/** Confine file tools to a folder. Answers are true for the moment they are given: open and rename check again. */
export function createWorkspace(
  root: string,
  options: { readonly protectedFiles: readonly string[]; readonly home: string },
): Workspace {
  const realRoot = realRootOf(root)
  const offLimits = createOffLimits({
    root: realRoot,
    home: realNearest(options.home) ?? options.home,
    protectedFiles: options.protectedFiles.flatMap((file) => [file, realNearest(file) ?? file]),
  })

  function resolveIn(path: string): WorkspacePath {
    const lexical = resolve(realRoot, path)
    const absolute = realNearest(lexical)
    if (absolute === null || !isInside(realRoot, absolute)) {
      return { absolute: absolute ?? lexical, relative: absolute ?? lexical, inside: false }
    }
    return { absolute, relative: relative(realRoot, absolute) || ".", inside: true }
  }

  function guard(path: string, refuses: (absolute: string) => string | null): Guarded {
    const resolved = resolveIn(path)
    if (!resolved.inside) return { ok: false, refusal: `Refused: ${path} is outside the workspace.` }
    const why = refuses(resolved.absolute)
    return why === null ? { ok: true, path: resolved } : { ok: false, refusal: `Refused: ${path}: ${why}.` }
  }

  return {
    root: realRoot,
    unreadable: offLimits.unreadable,
    resolve: resolveIn,
    guardRead: (path) => guard(path, offLimits.read),
    guardWrite: (path) => guard(path, offLimits.write),
    subject(path) {
      const resolved = resolveIn(path)
      return { kind: "path", path: resolved.relative, inside: resolved.inside }
    },
  }
}

function realRootOf(root: string): string {
  try {
    return realpathSync.native(root)
  } catch (cause) {
    throw new UserError("usage_error", `the workspace ${root} cannot be opened`, {
      hint: "Name an existing folder.",
      cause,
    })
  }
}

const maxLinks = 40

/** The real path of what exists, joined with what does not yet; null when links loop or a folder is closed to us. */
function realNearest(path: string, linksLeft = maxLinks): string | null {
  if (path.includes("\0") || !isAbsolute(path) || linksLeft === 0) return null
  try {
    return realpathSync.native(path)
  } catch (error) {
    if (!isMissing(error)) return null
  }
  const parent = realNearest(dirname(path), linksLeft)
  if (parent === null) return null
  const real = join(parent, basename(path))
  const target = linkTarget(real)
  return target === null ? real : realNearest(resolve(parent, target), linksLeft - 1)
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")
}

function linkTarget(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch {
    // Not a link, or not there: the path itself is what would be created.
    return null
  }
}
