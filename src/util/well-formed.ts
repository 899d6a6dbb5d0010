declare global {
  interface String {
    /** ES2024; part of every Node that we support. */
    toWellFormed(): string
  }
}

/** Replace halves of surrogate pairs, as a cut leaves them: UTF-8 cannot hold them, and strict JSON parsers refuse them. */
export function toWellFormed(text: string): string {
  return text.toWellFormed()
}
