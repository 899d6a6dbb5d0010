import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs"

/** What became of reading a file: its text, nothing there, or why it cannot be used. What was no file of this machine has no stats. */
export type TextFile =
  | { readonly kind: "text"; readonly text: string; readonly stats: Stats | null }
  | { readonly kind: "missing" }
  | { readonly kind: "unusable"; readonly why: string }

/**
 * Read a regular UTF-8 file of bounded size. Never throws for what the file is, and never waits on a pipe. Such files
 * are small and on the way to everything else: reading them at once is sooner done than asking a thread to.
 */
export async function readText(path: string, maxBytes: number): Promise<TextFile> {
  let file: number
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    return describeFailure(error)
  }
  try {
    const stats = fstatSync(file)
    if (!stats.isFile()) return { kind: "unusable", why: "is not a regular file" }
    const bytes = readAtMost(file, maxBytes + 1)
    if (bytes.length > maxBytes) return { kind: "unusable", why: `is larger than ${maxBytes / 1024} KiB` }
    return decodeText(bytes, stats)
  } catch (error) {
    return describeFailure(error)
  } finally {
    closeSync(file)
  }
}

/** The text of bytes, if they are UTF-8. */
export function decodeText(bytes: Buffer, stats: Stats | null): TextFile {
  try {
    return { kind: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), stats }
  } catch (error) {
    return describeFailure(error)
  }
}

function readAtMost(file: number, limit: number): Buffer {
  const chunks: Buffer[] = []
  let total = 0
  while (total < limit) {
    const buffer = Buffer.alloc(Math.min(65_536, limit - total))
    const bytesRead = readSync(file, buffer)
    if (bytesRead === 0) break
    chunks.push(buffer.subarray(0, bytesRead))
    total += bytesRead
  }
  return Buffer.concat(chunks)
}

function describeFailure(error: unknown): TextFile {
  const code = error instanceof Error && "code" in error ? error.code : undefined
  if (code === "ENOENT" || code === "ENOTDIR") return { kind: "missing" }
  if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") return { kind: "unusable", why: "is not UTF-8 text" }
  if (code === "EACCES" || code === "EPERM") return { kind: "unusable", why: "may not be read (permission denied)" }
  return { kind: "unusable", why: `cannot be read: ${error instanceof Error ? error.message : String(error)}` }
}
