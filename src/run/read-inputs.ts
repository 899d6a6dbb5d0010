import { constants } from "node:fs"
import { open } from "node:fs/promises"
import { resolve } from "node:path"
import type { Input } from "../agent/inputs.ts"
import { sanitise } from "../agent/sanitise.ts"
import { UserError } from "../contract/user-error.ts"
import { createHeadAndTail } from "../tools/head-and-tail.ts"

const keptBytes = 256 * 1024
/** What is left out must be sanitised too, or a comment could begin in it; far more than anybody sends is not worth it. */
const readBytes = 16 * keptBytes
const noteBytes = 200

/** Read the files of `--input`: sanitised, and bounded by leaving out the middle. Throws a UserError for one that cannot be read. */
export function readInputs(paths: readonly string[], cwd: string): Promise<readonly Input[]> {
  return Promise.all(paths.map(async (name) => ({ name, text: bound(sanitise(await read(name, cwd))) })))
}

async function read(name: string, cwd: string): Promise<string> {
  const where = `--input ${name}:`
  try {
    // A pipe must not block: it is refused below.
    await using file = await open(resolve(cwd, name), constants.O_RDONLY | constants.O_NONBLOCK)
    if (!(await file.stat()).isFile()) throw new UserError("usage_error", "is not a regular file", { where })
    const kept = createHeadAndTail(readBytes)
    const buffer = Buffer.alloc(64 * 1024)
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0)
      if (bytesRead === 0) return kept.text()
      kept.push(buffer.subarray(0, bytesRead))
    }
  } catch (cause) {
    if (cause instanceof UserError) throw cause
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new UserError("usage_error", `cannot be read: ${why}`, { where, cause })
  }
}

function bound(text: string): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= keptBytes) return text
  const kept = createHeadAndTail(keptBytes - noteBytes)
  kept.push(bytes)
  return kept.text()
}
