import { createPositionTable, type KeyPath, maxDepth, type Position, type PositionTable } from "../positions.ts"
import { readDottedKey, skipSpaces, skipString } from "./toml-key.ts"

/** Where everything in a TOML text stands; `tooDeep` is where it nests deeper than we read. */
export interface TomlPositions {
  readonly positions: PositionTable
  readonly tooDeep: Position | null
}

interface Scan {
  readonly text: string
  readonly positions: PositionTable
  /** How many elements each array of tables has so far, by its path. */
  readonly arraysOfTables: Map<string, number>
  offset: number
  tooDeep: Position | null
}

/**
 * Find the place of every key and list element of a TOML text.
 * Meant for valid TOML; on anything else it finds less, and never throws, hangs or overflows the stack.
 */
export function findTomlPositions(text: string): TomlPositions {
  const scan: Scan = {
    text,
    positions: createPositionTable(text),
    arraysOfTables: new Map(),
    offset: text.startsWith("\ufeff") ? 1 : 0,
    tooDeep: null,
  }
  let table: KeyPath = []
  for (skipBlank(scan); scan.offset < text.length; skipBlank(scan)) {
    if (text[scan.offset] === "[") table = scanHeader(scan)
    else scanKeyAndValue(scan, table)
    skipLine(scan)
  }
  return { positions: scan.positions, tooDeep: scan.tooDeep }
}

function scanHeader(scan: Scan): KeyPath {
  const isArray = scan.text.startsWith("[[", scan.offset)
  scan.offset += isArray ? 2 : 1
  const key = readDottedKey(scan.text, scan.offset, maxDepth + 1)
  scan.offset = key.end
  let path: KeyPath = []
  for (const [index, part] of key.parts.entries()) {
    path = [...path, part.name]
    scan.positions.record(path, part.offset)
    const id = JSON.stringify(path)
    const isLast = index === key.parts.length - 1
    if (isLast && isArray) scan.arraysOfTables.set(id, (scan.arraysOfTables.get(id) ?? 0) + 1)
    const count = scan.arraysOfTables.get(id)
    if (count === undefined) continue
    path = [...path, count - 1]
    scan.positions.record(path, part.offset)
  }
  if (path.length > maxDepth) stopTooDeep(scan)
  return path
}

function scanKeyAndValue(scan: Scan, table: KeyPath): void {
  const start = scan.offset
  const key = readDottedKey(scan.text, start, maxDepth + 1)
  scan.offset = key.end
  if (table.length + key.parts.length > maxDepth) {
    stopTooDeep(scan)
    return
  }
  let path = table
  for (const part of key.parts) {
    path = [...path, part.name]
    scan.positions.record(path, part.offset)
  }
  scan.offset = skipSpaces(scan.text, scan.offset)
  if (key.parts.length === 0 || scan.text[scan.offset] !== "=") {
    scan.offset = Math.max(scan.offset, start + 1)
    return
  }
  scan.offset = skipSpaces(scan.text, scan.offset + 1)
  scanValue(scan, path)
}

function scanValue(scan: Scan, path: KeyPath): void {
  switch (scan.text[scan.offset]) {
    case '"':
    case "'":
      scan.offset = skipString(scan.text, scan.offset)
      return
    case "[":
      scanArray(scan, path)
      return
    case "{":
      scanInlineTable(scan, path)
      return
    default:
      while (scan.offset < scan.text.length && !",]}\n#".includes(scan.text.charAt(scan.offset))) scan.offset++
  }
}

function scanArray(scan: Scan, path: KeyPath): void {
  scan.offset++
  let index = 0
  for (skipBlank(scan); scan.offset < scan.text.length; skipBlank(scan)) {
    const start = scan.offset
    if (scan.text[start] === "]") {
      scan.offset++
      return
    }
    if (scan.text[start] === ",") {
      scan.offset++
      continue
    }
    const element = [...path, index++]
    if (element.length > maxDepth) {
      stopTooDeep(scan)
      return
    }
    scan.positions.record(element, start)
    scanValue(scan, element)
    if (scan.offset === start) scan.offset++
  }
}

function scanInlineTable(scan: Scan, path: KeyPath): void {
  scan.offset++
  for (skipBlank(scan); scan.offset < scan.text.length; skipBlank(scan)) {
    if (scan.text[scan.offset] === "}") {
      scan.offset++
      return
    }
    if (scan.text[scan.offset] === ",") scan.offset++
    else scanKeyAndValue(scan, path)
  }
}

function skipBlank(scan: Scan): void {
  for (; scan.offset < scan.text.length; scan.offset++) {
    const character = scan.text.charAt(scan.offset)
    if (character === "#") {
      skipLine(scan)
      scan.offset--
    } else if (!" \t\r\n".includes(character)) return
  }
}

function skipLine(scan: Scan): void {
  const end = scan.text.indexOf("\n", scan.offset)
  scan.offset = end === -1 ? scan.text.length : end
}

function stopTooDeep(scan: Scan): void {
  scan.tooDeep ??= scan.positions.at(Math.min(scan.offset, scan.text.length))
  scan.offset = scan.text.length
}
