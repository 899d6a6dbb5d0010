import { copyFile, mkdir, rm, stat, utimes, writeFile } from "node:fs/promises"
import { join, relative } from "node:path"
import { isInside } from "../util/inside-folder.ts"
import { type Git, outputOf } from "./git.ts"

/** A git directory of our own, with the workspace in its work tree. */
export interface PrivateRepository {
  readonly env: { readonly GIT_DIR: string; readonly GIT_WORK_TREE: string }
  readonly workspace: string
  /** Absolute paths that are no part of the workspace's contents, such as our own output files. */
  readonly exclude: readonly string[]
}

/** The workspace at one moment. */
export interface Snapshot {
  readonly tree: string
  /** What git could not read, in its words. */
  readonly unreadable: string | null
}

/**
 * Set up a private git directory in an empty folder. For speed it borrows objects and a copy of the index from the
 * repository around the workspace, but never its configuration: hooks, filters, diff drivers and fsmonitor do not run,
 * and not a byte of that repository is written. A file that a filter stores in another form (LFS) is compared raw.
 */
export async function createPrivateRepository(
  git: Git,
  options: { readonly folder: string; readonly workspace: string; readonly exclude: readonly string[] },
): Promise<PrivateRepository> {
  const { folder, workspace, exclude } = options
  outputOf(await git(["init", "--quiet", "--bare", "--template=", folder]))
  const alone = { env: { GIT_DIR: folder, GIT_WORK_TREE: workspace }, workspace, exclude: [...exclude, folder] }
  const around = await findRepository(git)
  if (around === null) return alone
  await borrow(folder, around)
  const borrowed = { ...alone, env: { GIT_DIR: folder, GIT_WORK_TREE: around.workTree } }
  if (await isUsable(git, borrowed)) return borrowed
  await rm(join(folder, "index"), { force: true })
  await rm(join(folder, "objects/info/alternates"), { force: true })
  return alone
}

/** Record the workspace as a tree. Files that git ignores are left out, and so are the contents of nested repositories. */
export async function takeSnapshot(git: Git, repository: PrivateRepository): Promise<Snapshot> {
  const { env } = repository
  await forgetNestedRepositories(git, repository)
  const added = await git(["add", "--all", "--ignore-errors", "--", ".", ...exclusions(repository)], { env })
  if (added.kind === "too_large" || added.exitCode > 1) outputOf(added)
  const tree = outputOf(await git(["write-tree", "--missing-ok"], { env }))
  return { tree: tree.toString("latin1").trim(), unreadable: added.kind === "ran" ? unreadableOf(added.stderr) : null }
}

interface Repository {
  readonly workTree: string
  readonly index: string
  readonly objects: string
  readonly exclude: string
}

/** The only command that reads the configuration of a stranger's repository; it runs nothing that is named there. */
async function findRepository(git: Git): Promise<Repository | null> {
  const paths = ["--show-toplevel", "--git-path", "index", "--git-path", "objects", "--git-path", "info/exclude"]
  const answer = await git(["-c", "safe.directory=*", "rev-parse", "--path-format=absolute", ...paths])
  if (answer.kind !== "ran" || answer.exitCode !== 0) return null
  const [workTree, index, objects, exclude, ...more] = answer.stdout.toString("utf8").trimEnd().split("\n")
  if (!workTree || !index || !objects || !exclude || more.length > 0) return null
  return { workTree, index, objects, exclude }
}

async function borrow(folder: string, around: Repository): Promise<void> {
  await mkdir(join(folder, "objects/info"), { recursive: true })
  await mkdir(join(folder, "info"), { recursive: true })
  await writeFile(join(folder, "objects/info/alternates"), `${around.objects}\n`)
  await copyIfThere(around.exclude, join(folder, "info/exclude"))
  await copyIfThere(around.index, join(folder, "index"))
}

/** The copy keeps the time of the original: git tells by it which entries it must not trust. */
async function copyIfThere(from: string, to: string): Promise<void> {
  const stats = await stat(from).catch(() => null)
  if (!stats?.isFile()) return
  await copyFile(from, to)
  const seconds = Math.floor(stats.mtimeMs) / 1000
  await utimes(to, seconds, seconds)
}

/** Not when the index is of a kind we cannot take over, nor when the repository ignores the whole workspace. */
async function isUsable(git: Git, { env }: PrivateRepository): Promise<boolean> {
  const listed = await git(["ls-files", "--stage", "-z"], { env })
  if (listed.kind !== "ran" || listed.exitCode !== 0) return false
  const ignored = await git(["check-ignore", "--quiet", "--", "."], { env })
  return ignored.kind === "ran" && ignored.exitCode !== 0
}

/** For a nested repository that it knows, `git add` runs `git status` inside it, with the configuration found there. */
async function forgetNestedRepositories(git: Git, { env }: PrivateRepository): Promise<void> {
  const listed = outputOf(await git(["ls-files", "--stage", "-z"], { env }))
  const nested = listed
    .toString("latin1")
    .split("\0")
    .filter((entry) => entry.startsWith("160000 "))
    .map((entry) => `${entry.slice(entry.indexOf("\t") + 1)}\0`)
  if (nested.length === 0) return
  const input = Buffer.from(nested.join(""), "latin1")
  outputOf(await git(["update-index", "--force-remove", "-z", "--stdin"], { env, input }))
}

function exclusions({ workspace, exclude }: PrivateRepository): readonly string[] {
  return exclude
    .filter((path) => path !== workspace && isInside(workspace, path))
    .map((path) => `:(exclude,literal)${relative(workspace, path)}`)
}

/** A nested repository without a commit is an error to git and nothing to us. */
function unreadableOf(stderr: string): string | null {
  const errors = stderr.split("\n").filter((line) => line.startsWith("error:"))
  return errors.find((line) => !line.endsWith("does not have a commit checked out")) ?? null
}
