import { mkdirSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { UserError } from "../contract/user-error.ts"

/** Devices and pipes, such as /dev/stdout, are written to and never replaced. */
export function isSpecial(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && !found.isFile() && !found.isDirectory()
}

/** Create a folder and those above it. Node's own way of doing so never returns on /proc, where nothing can be created. */
export function createFolders(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  if (dirname(path) !== path) createFolders(dirname(path))
  try {
    mkdirSync(path)
  } catch (error) {
    // Another process may have been faster.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}

/** The user's mistake: an output that cannot be written. */
export function unwritable(path: string, cause: unknown): UserError {
  const problem = cause instanceof Error ? cause.message : String(cause)
  return new UserError("output_unwritable", `cannot be written: ${problem}`, {
    where: `${path}:`,
    hint: "Give a path in a folder that exists or can be created and that this user may write to.",
    cause,
  })
}
