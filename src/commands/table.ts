import { toLogLine } from "../report/escape.ts"

const widestCell = 200

/** Rows as aligned columns for people. Every cell is one line and holds nothing that a terminal or a CI runner obeys. */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[], whenEmpty: string): string {
  if (rows.length === 0) return `${whenEmpty}\n`
  const cells = [head.map((title) => title.toUpperCase()), ...rows].map((row) =>
    row.map((cell) => toLogLine(cell, widestCell)),
  )
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const lines = cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  )
  return `${lines.join("\n")}\n`
}
