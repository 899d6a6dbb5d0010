const newline = 0x0a

/** Cut a stream of bytes into lines. Never holds more than one line of the allowed length; a longer one ends it all. */
export function createLineSplitter(options: {
  readonly maxLineBytes: number
  readonly onLine: (line: string) => void
  readonly onTooLong: () => void
}): (chunk: Buffer) => void {
  let parts: Buffer[] = []
  let length = 0
  let broken = false

  function keep(part: Buffer): void {
    parts.push(part)
    length += part.length
    if (length <= options.maxLineBytes) return
    broken = true
    parts = []
    options.onTooLong()
  }

  return (chunk) => {
    let start = 0
    while (!broken) {
      const end = chunk.indexOf(newline, start)
      if (end === -1) break
      keep(chunk.subarray(start, end))
      if (broken) return
      const line = Buffer.concat(parts, length).toString("utf8")
      parts = []
      length = 0
      start = end + 1
      options.onLine(line)
    }
    if (!broken && start < chunk.length) keep(chunk.subarray(start))
  }
}
