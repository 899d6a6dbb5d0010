import { isUtf8 } from "node:buffer"
import { mkdir, writeFile } from "node:fs/promises"
import { join, relative } from "node:path"
import { type Git, type GitAnswer, outputOf } from "./git.ts"
import type { PrivateRepository, Snapshot } from "./private-repository.ts"

/** A file that differs; a binary one has no lines to count. */
export interface ChangedFile {
  readonly path: string
  readonly added: number
  readonly removed: number
}

/** Two snapshots of one workspace. */
export interface Comparison {
  readonly git: Git
  readonly repository: PrivateRepository
  readonly before: Snapshot
  readonly after: Snapshot
}

/** The files that differ, relative to the workspace. */
export async function listChanges(comparison: Comparison): Promise<readonly ChangedFile[]> {
  const output = outputOf(await diff(comparison, { args: ["--numstat", "-z"] }))
  return output.toString("utf8").split("\0").slice(0, -1).map(toChangedFile)
}

/** The difference as a patch that `git apply` takes in the workspace; null when it is larger than `maxBytes`. */
export async function makePatch(comparison: Comparison, maxBytes: number): Promise<string | null> {
  const options = { args: ["--patch", "--binary"], maxBytes }
  const patch = await diff(comparison, options)
  if (patch.kind === "too_large") return null
  if (isUtf8(outputOf(patch))) return patch.stdout.toString("utf8")
  await treatAllAsBinary(comparison.repository)
  const asciiPatch = await diff(comparison, options)
  return asciiPatch.kind === "too_large" ? null : outputOf(asciiPatch).toString("utf8")
}

function diff(
  { git, repository, before, after }: Comparison,
  options: { readonly args: readonly string[]; readonly maxBytes?: number },
): Promise<GitAnswer> {
  const { args, ...limits } = options
  const folder = relative(repository.env.GIT_WORK_TREE, repository.workspace)
  const scope = folder === "" ? [] : [`--relative=${folder}/`]
  const safe = ["diff-tree", "-r", "--no-renames", "--no-ext-diff", "--no-textconv"]
  return git([...safe, ...scope, ...args, before.tree, after.tree], { env: repository.env, ...limits })
}

function toChangedFile(entry: string): ChangedFile {
  const [added = "", removed = "", ...path] = entry.split("\t")
  return { path: path.join("\t"), added: Number.parseInt(added, 10) || 0, removed: Number.parseInt(removed, 10) || 0 }
}

/** Text in another encoding would not survive as a string; a binary patch is plain ASCII and applies exactly. */
async function treatAllAsBinary({ env }: PrivateRepository): Promise<void> {
  await mkdir(join(env.GIT_DIR, "info"), { recursive: true })
  await writeFile(join(env.GIT_DIR, "info/attributes"), "* -diff\n")
}
