import type { Finding } from "../contract/finding.ts"
import type { Report } from "../contract/report.ts"
import { toSarif } from "./sarif.ts"

/** What the agent reported, as CI systems show it. */
export function findingsOf(report: Report): readonly Finding[] {
  return report.findings.map(({ file, line, level, rule, message }) => ({
    rule,
    level,
    message,
    subject: `${file}:${line}`,
    place: { file, line },
  }))
}

/** What the agent reported, as SARIF; without any finding it is a log without results. */
export function renderSarif(report: Report): string {
  const rules = Object.fromEntries(report.findings.map(({ rule }) => [rule, `Found by an agent: ${rule}`]))
  return toSarif(findingsOf(report), { version: report.run.version, rules, exitCode: report.exit_code })
}
