import { createPositionTable, type KeyPath, maxDepth, type PositionTable } from "../positions.ts"

/** Where everything in a JSON text stands, and the first place where it is not JSON. */
export interface JsonPositions {
  readonly positions: PositionTable
  readonly fault: { readonly offset: number; readonly message: string } | null
}

interface Scan {
  readonly text: string
  readonly positions: PositionTable
  offset: number
}

class Fault extends Error {}

/** Find the place of every key and list element of a JSON text. Never throws: what is wrong with the text is the `fault`. */
export function findJsonPositions(text: string): JsonPositions {
  const scan: Scan = { text, positions: createPositionTable(text), offset: 0 }
  try {
    skipBlank(scan)
    scanValue(scan, [])
    skipBlank(scan)
    if (scan.offset < text.length) fail(scan, "there is more text after the end of the JSON value")
    return { positions: scan.positions, fault: null }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { positions: scan.positions, fault: { offset: scan.offset, message: error.message } }
  }
}

function scanValue(scan: Scan, path: KeyPath): void {
  if (path.length > maxDepth) fail(scan, `nested deeper than ${maxDepth} levels`)
  const first = scan.text[scan.offset]
  if (first === "{") scanObject(scan, path)
  else if (first === "[") scanArray(scan, path)
  else if (first === '"') scanString(scan)
  else scanScalar(scan, first)
}

function scanScalar(scan: Scan, first: string | undefined): void {
  const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
  scalar.lastIndex = scan.offset
  if (!scalar.test(scan.text)) fail(scan, first === undefined ? "the text ends too early" : "expected a JSON value")
  scan.offset = scalar.lastIndex
}

function scanObject(scan: Scan, path: KeyPath): void {
  scanList(scan, "}", () => {
    const start = scan.offset
    if (scan.text[start] !== '"') fail(scan, 'expected a key in double quotes, or "}"')
    const inner = [...path, scanString(scan)]
    scan.positions.record(inner, start)
    skipBlank(scan)
    if (scan.text[scan.offset] !== ":") fail(scan, 'expected ":" after the key')
    scan.offset++
    skipBlank(scan)
    scanValue(scan, inner)
  })
}

function scanArray(scan: Scan, path: KeyPath): void {
  let index = 0
  scanList(scan, "]", () => {
    const inner = [...path, index++]
    scan.positions.record(inner, scan.offset)
    scanValue(scan, inner)
  })
}

function scanList(scan: Scan, closing: "}" | "]", scanElement: () => void): void {
  scan.offset++
  skipBlank(scan)
  if (scan.text[scan.offset] === closing) {
    scan.offset++
    return
  }
  while (true) {
    scanElement()
    skipBlank(scan)
    const next = scan.text[scan.offset]
    if (next !== closing && next !== ",") fail(scan, `expected "," or "${closing}"`)
    scan.offset++
    if (next === closing) return
    skipBlank(scan)
    if (scan.text[scan.offset] === closing) fail(scan, `a comma before "${closing}" is not allowed in JSON`)
  }
}

function scanString(scan: Scan): string {
  const start = scan.offset
  for (let offset = start + 1; offset < scan.text.length; offset++) {
    const character = scan.text.charAt(offset)
    if (character === "\\") offset++
    else if (character < " ") {
      scan.offset = offset
      fail(scan, "a line break or control character inside a string")
    } else if (character === '"') return decodeString(scan, offset + 1)
  }
  return fail(scan, "a string that never ends")
}

function decodeString(scan: Scan, end: number): string {
  const quoted = scan.text.slice(scan.offset, end)
  try {
    const decoded: unknown = JSON.parse(quoted)
    scan.offset = end
    return String(decoded)
  } catch {
    return fail(scan, "a string with an escape that JSON does not know")
  }
}

function skipBlank(scan: Scan): void {
  while (" \t\r\n".includes(scan.text[scan.offset] ?? "x")) scan.offset++
}

function fail(scan: Scan, message: string): never {
  const isComment = /^\/[/*]/.test(scan.text.slice(scan.offset, scan.offset + 2))
  throw new Fault(isComment ? "JSON has no comments" : message)
}
