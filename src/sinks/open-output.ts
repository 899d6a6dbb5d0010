import { closeSync, constants, fchmodSync, ftruncateSync, lstatSync, openSync, unlinkSync } from "node:fs"
import { dirname } from "node:path"
import { createFolders, isSpecial, unwritable } from "./output-path.ts"

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_TRUNC, O_WRONLY } = constants

/** Open an output that grows: empty, private to its owner, its folders created. Throws a UserError when that cannot be. */
export function openOutputFile(path: string): number {
  try {
    if (isSpecial(path)) return openSpecial(path)
    createFolders(dirname(path))
    return isLink(path) ? replaceLink(path) : openFile(path)
  } catch (cause) {
    throw unwritable(path, cause)
  }
}

/** Open a file that is there to go on behind its whole lines; what a killed process left after them is cut off. */
export function openAfter(path: string, { bytes }: { readonly bytes: number }): number {
  try {
    const file = openSync(path, O_WRONLY | O_NOFOLLOW)
    ftruncateSync(file, bytes)
    return file
  } catch (cause) {
    throw unwritable(path, cause)
  }
}

/** Opening a pipe that nobody reads would wait for ever; the probe does not wait and is an error then. */
function openSpecial(path: string): number {
  const probe = openSync(path, O_WRONLY | O_NONBLOCK)
  try {
    return openSync(path, O_WRONLY)
  } finally {
    closeSync(probe)
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
}

/** A link may come from the tree that the agent works on and lead anywhere. */
function replaceLink(path: string): number {
  unlinkSync(path)
  return openSync(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
}

function openFile(path: string): number {
  const file = openSync(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600)
  fchmodSync(file, 0o600)
  return file
}
