import { formatCount } from "./format.ts"

const maxRows = 50

/** A titled list of Markdown lines, bounded; empty when there are none. */
export function renderList(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return ""
  return [`#### ${title}`, "", ...lines.slice(0, maxRows), ...renderRest(lines.length)].join("\n")
}

/** A titled table, bounded; empty when it has no rows. */
export function renderTable(title: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ""
  const lines = [head, head.map(() => "---"), ...rows.slice(0, maxRows)].map((cells) => `| ${cells.join(" | ")} |`)
  return [`#### ${title}`, "", ...lines, ...renderRest(rows.length)].join("\n")
}

function renderRest(count: number): readonly string[] {
  return count <= maxRows ? [] : ["", `${formatCount(count - maxRows)} more are in the report.`]
}
