import { randomBytes } from "node:crypto"
import { open, rename, rm } from "node:fs/promises"

/** Write a file so that readers see the old or the new contents, never a part; private to the owner by default. */
export async function writeFileAtomic(path: string, contents: string | Uint8Array, mode = 0o600): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`
  try {
    const handle = await open(temporary, "wx", mode)
    try {
      await handle.writeFile(contents)
    } finally {
      await handle.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
