import { execFileSync } from "node:child_process"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { type Files, writeFiles } from "./scratch-folder.ts"

const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com"]

/** Make a folder the checkout of a pull request: the base commit has some files, the request changes them. Returns the base. */
export async function commitPullRequest(folder: string, base: Files, request: Files): Promise<string> {
  git(folder, ["init", "--quiet", "--initial-branch=main"])
  await writeFiles(folder, base)
  commitAll(folder, "base")
  const sha = git(folder, ["rev-parse", "HEAD"]).trim()
  for (const name of Object.keys(base)) await rm(join(folder, name), { force: true })
  await writeFiles(folder, request)
  commitAll(folder, "request")
  return sha
}

/** Run git in a folder, with no configuration but the repository's. */
export function git(folder: string, args: readonly string[]): string {
  const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" }
  return execFileSync("git", [...args], { cwd: folder, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
}

function commitAll(folder: string, message: string): void {
  git(folder, ["add", "--all"])
  git(folder, [...identity, "commit", "--quiet", "--allow-empty", "--message", message])
}
