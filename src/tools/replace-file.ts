import { randomBytes } from "node:crypto"
import { type FileHandle, lstat, mkdir, open, rename, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { Workspace, WorkspacePath } from "./workspace.ts"

/** Where a file may be written, and the mode of what is there now; null when nothing is. */
export interface WriteTarget {
  readonly path: WorkspacePath
  readonly mode: number | null
}

/** Check that a file may be created or replaced, or throw what to tell the model. */
export async function findWriteTarget(workspace: Workspace, name: string): Promise<WriteTarget> {
  const guarded = workspace.guardWrite(name)
  if (!guarded.ok) throw new Error(guarded.refusal)
  const stats = await lstat(guarded.path.absolute).catch(() => null)
  if (stats?.isDirectory()) throw new Error(`${name} is a folder.`)
  if (stats !== null && !stats.isFile()) throw new Error(`Refused: ${name} is no regular file.`)
  return { path: guarded.path, mode: stats === null ? null : stats.mode & 0o7777 }
}

/** Write by temporary file and rename: no link is followed, no reader sees a part, and the place is checked again first. */
export async function replaceFile(workspace: Workspace, target: WriteTarget, contents: string): Promise<void> {
  const { absolute } = target.path
  refuseMoved(workspace, target.path)
  await mkdir(dirname(absolute), { recursive: true })
  refuseMoved(workspace, target.path)
  const temporary = join(dirname(absolute), `.agent-run-${randomBytes(8).toString("hex")}.tmp`)
  try {
    await writeNew(temporary, target.mode, contents)
    refuseMoved(workspace, target.path)
    await rename(temporary, absolute)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

function refuseMoved(workspace: Workspace, path: WorkspacePath): void {
  const again = workspace.guardWrite(path.absolute)
  if (again.ok && again.path.absolute === path.absolute) return
  throw new Error(`Refused: ${path.relative} changed its place while it was written; nothing was changed.`)
}

async function writeNew(path: string, mode: number | null, contents: string): Promise<void> {
  const handle: FileHandle = await open(path, "wx", 0o666)
  try {
    await handle.writeFile(contents)
    if (mode !== null) await handle.chmod(mode)
  } finally {
    await handle.close()
  }
}
