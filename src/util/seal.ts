import { createHash, createHmac } from "node:crypto"

/** Vouches for a text that grows: with a key only its holders can make the same seal. */
export interface Sealer {
  add(text: string): void
  /** The seal of everything so far. */
  seal(): string
}

/** Begin a seal; without a key it shows accidents and careless edits, with one it shows forgeries too. */
export function createSealer(key: string | undefined): Sealer {
  const hash = createHash("sha256")
  return {
    add: (text) => void hash.update(text),
    seal() {
      const digest = hash.copy().digest("hex")
      return key ? `${keyed}${createHmac("sha256", key).update(digest).digest("hex")}` : `${plain}${digest}`
    },
  }
}

/** The seal of one text. */
export function sealOf(text: string, key: string | undefined): string {
  const sealer = createSealer(key)
  sealer.add(text)
  return sealer.seal()
}

/** Why a seal found in a file is not the one it should be; `null` when it is. */
export function sealProblem(found: string, expected: string, keyName: string): string | null {
  if (found === expected) return null
  if (found.startsWith(keyed) && expected.startsWith(plain)) return `it is sealed with a key, and ${keyName} is not set`
  if (found.startsWith(plain) && expected.startsWith(keyed)) return `it is not sealed with the key in ${keyName}`
  return "its contents and its digest do not belong together: it was changed, or sealed with another key"
}

const plain = "sha256:"
const keyed = "hmac-sha256:"
