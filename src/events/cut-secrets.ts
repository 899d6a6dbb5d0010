import { type Secret, shortestSecret } from "./secret-forms.ts"

/**
 * Hide what a cut left of a secret: its first part where a text ends, its last part where one begins. Texts are cut before
 * they get here (long results, the last bytes of a log) and may arrive in pieces. Fewer characters than a secret must
 * have are not recognised.
 */
export function replaceCutSecrets(
  text: string,
  secrets: readonly Secret[],
  placeholder: (name: string) => string,
): string {
  if (!text.includes("…")) return replaceAtEdges(text, secrets, placeholder)
  return text
    .split(cutNote)
    .map((piece) => replaceAtEdges(piece, secrets, placeholder))
    .join("")
}

/** `[… 120 characters left out …]`, `… [cut]`; captured, so that splitting keeps it. */
const cutNote = /(\s?(?:\[… [^\]\n]{1,80} …\]|… \[[\w ]{1,20}\])\s?)/

function replaceAtEdges(piece: string, secrets: readonly Secret[], placeholder: (name: string) => string): string {
  if (piece.length < shortestSecret) return piece
  let result = piece
  for (const { name, value } of secrets) {
    const tail = lengthOfLastPart(result, value)
    if (tail > 0) result = placeholder(name) + result.slice(tail)
    const head = lengthOfFirstPart(result, value)
    if (head > 0) result = result.slice(0, -head) + placeholder(name)
  }
  return result
}

/** How much of the beginning of `text` is the end of `secret`. */
function lengthOfLastPart(text: string, secret: string): number {
  const start = text.slice(0, shortestSecret)
  for (let at = secret.indexOf(start); at !== -1; at = secret.indexOf(start, at + 1)) {
    if (text.startsWith(secret.slice(at))) return secret.length - at
  }
  return 0
}

/** How much of the end of `text` is the beginning of `secret`. */
function lengthOfFirstPart(text: string, secret: string): number {
  const end = text.slice(-shortestSecret)
  for (let at = secret.lastIndexOf(end); at !== -1; at = at === 0 ? -1 : secret.lastIndexOf(end, at - 1)) {
    if (text.endsWith(secret.slice(0, at + shortestSecret))) return at + shortestSecret
  }
  return 0
}
