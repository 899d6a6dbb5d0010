import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { type ChangesOptions, createChanges } from "../../src/changes/snapshot.ts"
import { gitSafety } from "../../src/util/child-environment.ts"
import { type Files, scratchFolder } from "../support/scratch-folder.ts"

/** A folder that is a git repository with one commit. */
export async function scratchRepository(files: Files = {}): Promise<string> {
  const folder = await scratchFolder(files)
  git(folder, "init", "--quiet")
  git(folder, "add", "--all")
  git(folder, "commit", "--quiet", "--allow-empty", "--message", "first")
  return folder
}

/** Run git as its user would, apart from the configuration of this machine. */
export function git(folder: string, ...args: readonly string[]): string {
  const person = {
    GIT_AUTHOR_NAME: "a",
    GIT_AUTHOR_EMAIL: "a@b.c",
    GIT_COMMITTER_NAME: "a",
    GIT_COMMITTER_EMAIL: "a@b.c",
  }
  const env = {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    ...person,
  }
  return execFileSync("git", [...args], { cwd: folder, env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
}

/** The changes that `act` makes in a workspace, and what is left in the folder for temporary files. */
export async function changesOf(workspace: string, act: () => Promise<unknown>, options: Partial<ChangesOptions> = {}) {
  const temporary = await scratchFolder()
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", TMPDIR: temporary, ...gitSafety, ...options.env }
  const changes = createChanges({ workspace, ...options, env })
  await changes.beforeWrite()
  await act()
  await changes.beforeWrite()
  const result = await changes.finish()
  return { ...result, leftBehind: await readdir(temporary) }
}

/** Every file below a folder with a digest of its contents. git renews the time of objects that it finds: that is no change. */
export async function fingerprint(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const lines = entries.map(async (entry) => {
    const path = join(entry.parentPath, entry.name)
    const digest = entry.isFile()
      ? createHash("sha256")
          .update(await readFile(path))
          .digest("hex")
      : "folder"
    return `${path} ${digest}`
  })
  return (await Promise.all(lines)).sort()
}
