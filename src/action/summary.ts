import type { Report } from "../contract/report.ts"
import { renderSummary } from "../report/markdown.ts"

/** The runner refuses a step summary of more than 1 MiB; other steps' tools may add to ours. */
const maxBytes = 900 * 1024

/** The step summary of a run, bounded; what is cut off ends at a line. */
export function renderStepSummary(report: Report, limit = maxBytes): string {
  const summary = renderSummary(report)
  const bytes = Buffer.from(summary)
  if (bytes.length <= limit) return summary
  const lastLine = bytes.lastIndexOf("\n", limit - 1)
  return bytes.subarray(0, lastLine + 1).toString("utf8")
}
