import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { onTestFinished } from "vitest"

/** The files of a folder, by name. */
export type Files = Readonly<Record<string, string | Uint8Array>>

/** A folder with some files in it that is gone after the test. */
export async function scratchFolder(files: Files = {}): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "agent-run-test-")))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFiles(folder, files)
  return folder
}

/** Write files into a folder, with their parents. */
export async function writeFiles(folder: string, files: Files): Promise<void> {
  for (const [name, contents] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), contents)
  }
}
