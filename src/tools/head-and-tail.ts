import { StringDecoder } from "node:string_decoder"
import { leftOutNote, toValidText } from "./bound-text.ts"

/** Keeps the first and the last bytes of a stream that may never end. */
export interface HeadAndTail {
  push(chunk: Uint8Array): void
  /** What was kept, as valid text, with a note where something is missing. */
  text(): string
}

/** Keep half of `maxBytes` from the beginning and half from the end; memory stays the same however much comes. */
export function createHeadAndTail(maxBytes: number): HeadAndTail {
  const half = Math.max(1, Math.floor(maxBytes / 2))
  const head = Buffer.alloc(half)
  const tail = Buffer.alloc(half * 2)
  let headLength = 0
  let tailLength = 0
  let total = 0

  function pushTail(chunk: Uint8Array): void {
    const kept = chunk.subarray(Math.max(0, chunk.length - half))
    if (tailLength + kept.length > tail.length) {
      tail.copyWithin(0, tailLength - half, tailLength)
      tailLength = half
    }
    tail.set(kept, tailLength)
    tailLength += kept.length
  }

  return {
    push(chunk) {
      total += chunk.length
      const forHead = chunk.subarray(0, half - headLength)
      head.set(forHead, headLength)
      headLength += forHead.length
      pushTail(chunk.subarray(forHead.length))
    },
    text() {
      const first = head.subarray(0, headLength)
      const last = tail.subarray(Math.max(0, tailLength - half), tailLength)
      const leftOut = total - first.length - last.length
      if (leftOut === 0) return toValidText(Buffer.concat([first, last]).toString("utf8"))
      const note = leftOutNote(leftOut, "bytes")
      return toValidText(`${new StringDecoder("utf8").write(first)}${note}${withoutTorn(last).toString("utf8")}`)
    },
  }
}

/** Drop the rest of a character whose beginning was left out. */
function withoutTorn(bytes: Buffer): Buffer {
  const start = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80)
  return start > 0 && start < 4 ? bytes.subarray(start) : bytes
}
