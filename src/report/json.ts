import type { BatchReport } from "../contract/batch.ts"
import type { RunEvent } from "../contract/event.ts"
import type { Report } from "../contract/report.ts"

/** An event as one line of a transcript, with its line break. */
export function toJsonLine(event: RunEvent): string {
  return `${escapeForLogs(JSON.stringify(event))}\n`
}

/** A report as a file or stdout holds it. */
export function toJsonReport(report: Report | BatchReport): string {
  return toJsonText(report)
}

/** Any value as JSON for stdout, readable by people, programs and, harmlessly, CI runners. */
export function toJsonText(value: unknown): string {
  return `${escapeForLogs(JSON.stringify(value, null, 2))}\n`
}

/**
 * CI runners read commands from JSON that is printed, too: `##[name]` wherever it stands, and some break lines at more
 * characters than JSON does. Inside JSON both can be spelled differently and still mean the same.
 */
export function escapeForLogs(json: string): string {
  return json
    .replaceAll(/##(?=[\w.-]*\[)/g, "#\\u0023")
    .replaceAll(
      /[\x7f-\x9f\u2028\u2029]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
    )
}
