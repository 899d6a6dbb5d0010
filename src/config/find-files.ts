import { existsSync, realpathSync } from "node:fs"
import { dirname, isAbsolute, join, resolve } from "node:path"
import type { ConfigWarning } from "../contract/config.ts"
import { isInside } from "../util/inside-folder.ts"
import type { LayerFile } from "./read-layer.ts"

/** What decides which configuration files there are. */
export interface FileSearch {
  readonly workspace: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly configFiles: readonly string[]
  readonly bare: boolean
  readonly managed: { readonly path: string; readonly ownerId: number }
}

/** The files that may hold configuration. */
export interface FoundFiles {
  /** Highest scope first, and within a scope the one that wins first. */
  readonly files: readonly LayerFile[]
  /** From the workspace up to the git root: where project files are looked for, nearest first. */
  readonly projectFolders: readonly string[]
  readonly warnings: readonly ConfigWarning[]
}

/** Name every configuration file that counts for this run; most of them may not exist. */
export function findFiles(search: FileSearch): FoundFiles {
  const projectFolders = foldersUpToGitRoot(search.workspace)
  const named = search.configFiles.map((path) => file("local", resolve(search.cwd, path), "--config")).reverse()
  const managed = { ...file("managed", search.managed.path), ownerId: search.managed.ownerId }
  if (search.bare) return { files: withoutRepeats([managed, ...named]), projectFolders: [], warnings: [] }

  const user = findUserFile(search.env, projectFolders.at(-1) ?? search.workspace)
  const files = [
    managed,
    ...named,
    file("local", join(search.workspace, "agent.local.toml")),
    ...(user.path === null ? [] : [file("user", user.path)]),
    ...projectFolders.map((folder) => file("project", join(folder, "agent.toml"))),
  ]
  return { files: withoutRepeats(files), projectFolders, warnings: user.warnings }
}

/** Leave out files that are already in the list, under whatever name. */
export function withoutRepeats(files: readonly LayerFile[], known: readonly LayerFile[] = []): readonly LayerFile[] {
  const seen = new Set(known.map(({ path }) => realPathOf(path)))
  const kept: LayerFile[] = []
  for (const candidate of files) {
    const path = realPathOf(candidate.path)
    if (seen.has(path)) continue
    seen.add(path)
    kept.push(candidate)
  }
  return kept
}

function file(scope: LayerFile["scope"], path: string, namedBy: string | null = null): LayerFile {
  return { scope, path, namedBy }
}

function foldersUpToGitRoot(workspace: string): readonly string[] {
  const folders: string[] = []
  for (let folder = workspace; ; folder = dirname(folder)) {
    folders.push(folder)
    if (existsSync(join(folder, ".git"))) return folders
    if (folder === dirname(folder)) return [workspace]
  }
}

function findUserFile(
  env: FileSearch["env"],
  projectRoot: string,
): { readonly path: string | null; readonly warnings: readonly ConfigWarning[] } {
  const home = env.HOME ? join(env.HOME, ".config") : null
  // The XDG specification: a relative path is invalid and counts as not set.
  const folder = env.XDG_CONFIG_HOME && isAbsolute(env.XDG_CONFIG_HOME) ? env.XDG_CONFIG_HOME : home
  if (folder === null || !isAbsolute(folder)) return { path: null, warnings: [] }
  const path = join(folder, "agent-run", "agent.toml")
  if (!existsSync(path)) return { path: null, warnings: [] }
  const root = realPathOf(projectRoot)
  if (!isInside(projectRoot, path) && !isInside(root, realPathOf(path))) return { path, warnings: [] }
  const message = `${path} is not read: a user configuration inside the workspace is under the control of the repository`
  return { path: null, warnings: [{ code: "user_config_ignored", message }] }
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // A file that is not there is nobody's second name.
    return resolve(path)
  }
}
