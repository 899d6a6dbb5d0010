import type { Finding } from "../contract/finding.ts"
import type { Report } from "../contract/report.ts"
import { toAnnotation } from "../report/annotation.ts"
import { troubledCallsOf } from "../report/call-groups.ts"
import { findingsOf } from "../report/run-findings.ts"

/** GitHub shows ten annotations of a level for a step. */
const maxDenials = 10

/** What people see beside a workflow run: why it is not green, what was denied, and what the agent found. */
export function annotationsOf(report: Report): readonly string[] {
  return [...failuresOf(report), ...denialsOf(report), ...findingsOf(report)].map(toAnnotation)
}

function failuresOf({ reason, status, exit_code }: Report): readonly Finding[] {
  if (reason === null) return []
  const message = reason.hint === null ? reason.message : `${reason.message} ${reason.hint}`
  return [
    { rule: reason.code, level: "error", subject: `agent-run ${status}, exit ${exit_code}`, message, place: null },
  ]
}

function denialsOf(report: Report): readonly Finding[] {
  return troubledCallsOf(report.calls)
    .denied.slice(0, maxDenials)
    .map(({ call, count }) => ({
      rule: "denied",
      level: "warning",
      subject: call.tool,
      message: `denied ${count === 1 ? "once" : `${count} times`}: ${describeDecision(call.decision)}`,
      place: null,
    }))
}

function describeDecision(decision: Report["calls"][number]["decision"]): string {
  return decision === null ? "no decision" : `${decision.rule} in ${decision.source}`
}
