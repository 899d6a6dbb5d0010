/** The end of what a program wrote, however much that was. */
export interface OutputTail {
  push(chunk: Buffer): void
  /** The last bytes as text. */
  last(bytes: number): string
}

/** Remember the last bytes of an output and forget the rest. */
export function createOutputTail(limitBytes: number): OutputTail {
  const chunks: Buffer[] = []
  let length = 0
  return {
    push(chunk) {
      chunks.push(chunk)
      length += chunk.length
      while (length - (chunks[0]?.length ?? 0) >= limitBytes) length -= chunks.shift()?.length ?? 0
    },
    last(bytes) {
      const all = Buffer.concat(chunks)
      const cut = all.subarray(Math.max(0, all.length - bytes))
      return cut.toString("utf8").replace(/^\uFFFD+/, "")
    },
  }
}
