import { constants, type Stats } from "node:fs"
import { type FileHandle, lstat, open } from "node:fs/promises"
import type { Workspace, WorkspacePath } from "./workspace.ts"

/** An open regular file, known to lie inside the workspace. Whoever opened it closes the handle. */
export interface OpenFile {
  readonly handle: FileHandle
  readonly stats: Stats
  readonly path: WorkspacePath
}

/** Open a file for reading, or throw what to tell the model. A FIFO or a device is never waited for. */
export async function openFile(workspace: Workspace, name: string): Promise<OpenFile> {
  const guarded = workspace.guardRead(name)
  if (!guarded.ok) throw new Error(guarded.refusal)
  const { path } = guarded
  refuseSpecial(await statsOf(path.absolute, name), name)
  const handle = await open(path.absolute, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  try {
    const stats = await handle.stat()
    refuseSpecial(stats, name)
    await refuseMoved(workspace, path, stats)
    return { handle, stats, path }
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function statsOf(path: string, name: string): Promise<Stats> {
  try {
    return await lstat(path)
  } catch (cause) {
    throw new Error(`${name} does not exist.`, { cause })
  }
}

function refuseSpecial(stats: Stats, name: string): void {
  if (stats.isDirectory()) throw new Error(`${name} is a folder; use Glob to list it.`)
  if (!stats.isFile()) throw new Error(`Refused: ${name} is no regular file.`)
}

/** A folder above may have become a link between the check and the open: ask again, now that the file is held. */
async function refuseMoved(workspace: Workspace, path: WorkspacePath, held: Stats): Promise<void> {
  const again = workspace.guardRead(path.absolute)
  const there = again.ok && again.path.absolute === path.absolute ? await lstat(path.absolute) : null
  if (there?.ino !== held.ino || there.dev !== held.dev) {
    throw new Error(`Refused: ${path.relative} changed its place while it was opened.`)
  }
}
