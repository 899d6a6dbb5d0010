import { mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, relative, resolve } from "node:path"
import { type ChangedFile, listChanges, makePatch } from "./compare-snapshots.ts"
import { createGit, type Git } from "./git.ts"
import { createPrivateRepository, type PrivateRepository, type Snapshot, takeSnapshot } from "./private-repository.ts"

/** What a run changed in its workspace. */
interface ChangeSet {
  readonly files: readonly ChangedFile[]
  readonly patch: string
  /** Why the list or the patch is incomplete, or null. */
  readonly warning: string | null
}

/** Watches a workspace by two snapshots: before the first call that may write, and at the end. Never throws. */
export interface Changes {
  /** Take the first snapshot; later calls are free. */
  beforeWrite(): Promise<void>
  /** Compare with the first snapshot and clean up; without one nothing was written. */
  finish(): Promise<ChangeSet>
}

/** What is watched, and with which environment git runs. */
export interface ChangesOptions {
  readonly workspace: string
  /** The complete environment of git, with its safety settings. */
  readonly env: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** Absolute paths that do not count, such as the run's own output files. */
  readonly exclude?: readonly string[]
  /** How long each of the two snapshots may take. */
  readonly timeoutMs?: number
  readonly maxPatchBytes?: number
}

/** Watch a workspace with git, whether or not it is a repository, without touching a repository that is there. */
export function createChanges(options: ChangesOptions): Changes {
  let baseline: Promise<Baseline> | null = null
  return {
    async beforeWrite() {
      baseline ??= takeBaseline(options)
      await baseline
    },
    async finish() {
      const taken = await baseline
      baseline = null
      if (taken === null) return nothing
      if (taken.kind === "failed") return { ...nothing, warning: taken.warning }
      try {
        return await compare(taken, options)
      } catch (error) {
        return { ...nothing, warning: notListed(error) }
      } finally {
        await removeFolder(taken.folder)
      }
    },
  }
}

type Baseline =
  | { readonly kind: "failed"; readonly warning: string }
  | {
      readonly kind: "taken"
      readonly folder: string
      readonly repository: PrivateRepository
      readonly before: Snapshot
    }

const nothing: ChangeSet = { files: [], patch: "", warning: null }
const defaultMaxPatchBytes = 10 * 1024 * 1024

async function takeBaseline(options: ChangesOptions): Promise<Baseline> {
  let folder: string | null = null
  try {
    const workspace = await realpath(options.workspace)
    const git = await openGit(options, workspace)
    folder = await realpath(await mkdtemp(join(options.env.TMPDIR ?? tmpdir(), "agent-run-changes-")))
    const exclude = (options.exclude ?? []).map((path) => join(workspace, relative(resolve(options.workspace), path)))
    const repository = await createPrivateRepository(git, { folder, workspace, exclude })
    return { kind: "taken", folder, repository, before: await takeSnapshot(git, repository) }
  } catch (error) {
    if (folder !== null) await removeFolder(folder)
    return { kind: "failed", warning: notListed(error) }
  }
}

async function compare(taken: Baseline & { kind: "taken" }, options: ChangesOptions): Promise<ChangeSet> {
  const { repository, before } = taken
  const git = await openGit(options, repository.workspace)
  const after = await takeSnapshot(git, repository)
  const comparison = { git, repository, before, after }
  const files = await listChanges(comparison)
  const maxPatchBytes = options.maxPatchBytes ?? defaultMaxPatchBytes
  const patch = files.length === 0 ? "" : await makePatch(comparison, maxPatchBytes)
  if (patch === null) {
    return { files, patch: "", warning: `The patch of the changes is larger than ${maxPatchBytes} bytes and left out.` }
  }
  const unreadable = after.unreadable ?? before.unreadable
  return { files, patch, warning: unreadable === null ? null : `Some changes may be missing: ${unreadable}` }
}

async function openGit(options: ChangesOptions, workspace: string): Promise<Git> {
  const timeout = AbortSignal.timeout(options.timeoutMs ?? 20_000)
  const signal = options.signal === undefined ? timeout : AbortSignal.any([options.signal, timeout])
  const git = await createGit({ workspace, env: options.env, signal })
  if (git === null) throw new Error("git was not found on the PATH")
  return git
}

function notListed(error: unknown): string {
  return `The changed files are not listed: ${error instanceof Error ? error.message : String(error)}`
}

async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch(() => {
    // A private folder in the temporary directory that cannot be removed harms nobody.
  })
}
