import type { FileHandle } from "node:fs/promises"

/** Which lines to read, and when to stop early. */
export interface LineRange {
  /** The first line wanted, counted from 1. */
  readonly offset: number
  readonly limit: number
  readonly maxChars: number
}

/** Some lines of a file. */
export interface LinePage {
  readonly lines: readonly string[]
  /** How many lines were gone through, wanted or not. */
  readonly linesSeen: number
  readonly stop: "end_of_file" | "limit" | "scan_limit"
}

const maxLineChars = 2000
/** Enough for 2,000 characters of any script, so that a torn character at the end is always cut off. */
const maxLineBytes = maxLineChars * 4
const maxScannedBytes = 256 * 1024 * 1024

/** Read a range of lines without ever holding more of the file than that. */
export async function readLines(handle: FileHandle, range: LineRange): Promise<LinePage> {
  const page = createPage(range)
  const buffer = Buffer.allocUnsafe(256 * 1024)
  let position = 0
  while (position < maxScannedBytes) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position)
    if (bytesRead === 0) return page.finish()
    position += bytesRead
    const full = page.add(buffer.subarray(0, bytesRead))
    if (full) return page.result("limit")
  }
  return page.result("scan_limit")
}

function createPage({ offset, limit, maxChars }: LineRange) {
  const lines: string[] = []
  let linesSeen = 0
  let chars = 0
  let line: Buffer[] = []
  let lineBytes = 0

  function isFull(): boolean {
    return lines.length >= limit || (chars >= maxChars && lines.length > 0)
  }

  function extend(bytes: Buffer): void {
    const wanted = linesSeen + 1 >= offset && lineBytes < maxLineBytes
    if (wanted) line.push(Buffer.from(bytes.subarray(0, maxLineBytes - lineBytes)))
    lineBytes += bytes.length
  }

  function endLine(): void {
    linesSeen += 1
    if (linesSeen >= offset) {
      const text = toLine(Buffer.concat(line))
      lines.push(text)
      chars += text.length
    }
    line = []
    lineBytes = 0
  }

  function result(stop: LinePage["stop"]): LinePage {
    return { lines, linesSeen, stop }
  }

  return {
    result,
    /** True when the page is full and something comes after it. */
    add(chunk: Buffer): boolean {
      let start = 0
      while (start < chunk.length) {
        if (isFull()) return true
        const newline = chunk.indexOf(0x0a, start)
        extend(chunk.subarray(start, newline === -1 ? chunk.length : newline))
        if (newline === -1) return false
        endLine()
        start = newline + 1
      }
      return false
    },
    finish(): LinePage {
      if (lineBytes > 0) endLine()
      return result("end_of_file")
    },
  }
}

function toLine(bytes: Buffer): string {
  const text = bytes.toString("utf8").replace(/^\ufeff/, "")
  if (text.length <= maxLineChars) return text.replace(/\r$/, "")
  return `${text.slice(0, maxLineChars).replace(/[\ud800-\udbff]$/, "")}… [line cut]`
}
