import { parse } from "smol-toml"

/** One part of a dotted key, and where it starts. */
interface KeyPart {
  readonly name: string
  readonly offset: number
}

/** A dotted key as it was found: its parts, and where the text goes on. */
export interface DottedKey {
  readonly parts: readonly KeyPart[]
  readonly end: number
}

/** Read a dotted key at an offset: bare, quoted and literal parts. No parts when there is no key; never throws. */
export function readDottedKey(text: string, start: number, maxParts: number): DottedKey {
  const parts: KeyPart[] = []
  let offset = skipSpaces(text, start)
  while (parts.length < maxParts) {
    const part = readPart(text, offset)
    if (part === null) return { parts, end: offset }
    parts.push({ name: part.name, offset })
    offset = skipSpaces(text, part.end)
    if (text[offset] !== ".") return { parts, end: offset }
    offset = skipSpaces(text, offset + 1)
  }
  return { parts, end: offset }
}

/** The offset after spaces and tabs. */
export function skipSpaces(text: string, start: number): number {
  let offset = start
  while (text[offset] === " " || text[offset] === "\t") offset++
  return offset
}

/** The offset after a string that opens at `start`, of any of the four kinds; the end of the text when it never closes. */
export function skipString(text: string, start: number): number {
  const quote = text.charAt(start)
  const escapes = quote === '"'
  if (text.startsWith(quote.repeat(3), start)) return skipMultiline(text, start + 3, { quote, escapes })
  for (let offset = start + 1; offset < text.length; offset++) {
    if (text[offset] === "\\" && escapes) offset++
    else if (text[offset] === quote) return offset + 1
    else if (text[offset] === "\n") return offset
  }
  return text.length
}

function skipMultiline(
  text: string,
  start: number,
  kind: { readonly quote: string; readonly escapes: boolean },
): number {
  const closing = kind.quote.repeat(3)
  for (let offset = start; offset < text.length; offset++) {
    if (text[offset] === "\\" && kind.escapes) offset++
    else if (text.startsWith(closing, offset)) {
      let end = offset + 3
      // Up to two more quotes belong to the string: """a""""" is a"".
      while (end < offset + 5 && text[end] === kind.quote) end++
      return end
    }
  }
  return text.length
}

function readPart(text: string, start: number): { readonly name: string; readonly end: number } | null {
  const first = text[start]
  if (first === '"' || first === "'") {
    const end = skipString(text, start)
    const name = decodeString(text.slice(start, end))
    return name === null ? null : { name, end }
  }
  let end = start
  while (end < text.length && /[A-Za-z0-9_-]/.test(text.charAt(end))) end++
  return end === start ? null : { name: text.slice(start, end), end }
}

function decodeString(quoted: string): string | null {
  if (!quoted.includes("\\")) return quoted.slice(1, -1)
  if (quoted.startsWith("'")) return quoted.slice(1, -1)
  try {
    const { decoded } = parse(`decoded = ${quoted}`)
    return typeof decoded === "string" ? decoded : null
  } catch {
    // Not a valid string: the TOML parser, which runs on the same text, says so with its place.
    return null
  }
}
