import { randomBytes } from "node:crypto"
import { closeSync, lstatSync, openSync, rmSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { writeFileAtomic } from "../util/atomic-file.ts"
import { createFolders, isSpecial, unwritable } from "./output-path.ts"

/** Make sure that an output can be written, before anything is spent on producing it; its folders are created. */
export function prepareOutputFile(path: string): void {
  try {
    if (isSpecial(path)) return
    createFolders(dirname(path))
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) throw new Error("it is a folder")
    const probe = `${path}.${randomBytes(6).toString("hex")}.tmp`
    closeSync(openSync(probe, "wx", 0o600))
    rmSync(probe)
  } catch (cause) {
    throw unwritable(path, cause)
  }
}

/**
 * Write an output whole or not at all, readable by its owner only. A link to a file is replaced, not followed: it may come
 * from the tree that the agent works on.
 */
export async function writeOutput(path: string, contents: string): Promise<void> {
  if (isSpecial(path)) return writeFile(path, contents)
  return writeFileAtomic(path, contents)
}
