import type { Finding } from "../contract/finding.ts"
import { toLogLine } from "./escape.ts"

const commands = { error: "error", warning: "warning", note: "notice" } as const
const longestMessage = 2000

/** A finding as one line that a GitHub runner turns into an annotation. Nothing in it can become another command. */
export function toAnnotation(finding: Finding): string {
  const { level, place, subject, message, rule } = finding
  const properties = [
    ...(place === null ? [] : [`file=${escapeProperty(place.file)}`, `line=${place.line}`]),
    `title=${escapeProperty(`${subject} (${rule})`)}`,
  ]
  return `::${commands[level]} ${properties.join(",")}::${escapeData(message)}`
}

function escapeData(text: string): string {
  return toLogLine(text, longestMessage).replaceAll("%", "%25")
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C")
}
