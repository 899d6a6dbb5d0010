/** A place in a text, counted from 1 as editors do. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** Where a value stands in a document: names of tables and keys, indexes of lists. */
export type KeyPath = readonly (string | number)[]

/** Deepest nesting a configuration may have; far more than any key needs. */
export const maxDepth = 32

/** Remembers where each key path of one text was first seen. */
export interface PositionTable {
  record(path: KeyPath, offset: number): void
  /** The place of the path, or of the nearest table around it that has one. */
  find(path: KeyPath): Position | null
  at(offset: number): Position
}

/** An empty table of positions for a text. */
export function createPositionTable(text: string): PositionTable {
  const offsets = new Map<string, number>()
  let lineStarts: readonly number[] | null = null

  function at(offset: number): Position {
    lineStarts ??= lineStartsOf(text)
    const line = countNotAfter(lineStarts, offset)
    return { line, column: offset - (lineStarts[line - 1] ?? 0) + 1 }
  }

  return {
    at,
    record(path, offset) {
      const key = JSON.stringify(path)
      if (!offsets.has(key)) offsets.set(key, offset)
    },
    find(path) {
      for (let length = path.length; length > 0; length--) {
        const offset = offsets.get(JSON.stringify(path.slice(0, length)))
        if (offset !== undefined) return at(offset)
      }
      return null
    },
  }
}

function lineStartsOf(text: string): readonly number[] {
  const starts = [0]
  for (let index = text.indexOf("\n"); index !== -1; index = text.indexOf("\n", index + 1)) starts.push(index + 1)
  return starts
}

function countNotAfter(sorted: readonly number[], limit: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? 0) <= limit) low = middle + 1
    else high = middle
  }
  return low
}
