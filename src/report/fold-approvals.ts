import type { RunEventOf } from "../contract/event.ts"
import type { Report } from "../contract/report.ts"

type Approval = Report["approvals"][number]

/** The approvals of a report: what was asked, and what was answered. */
export interface ApprovalFold {
  request(event: RunEventOf<"approval.request">): void
  answer(event: RunEventOf<"approval.answer">): void
  all(): Approval[]
}

/** Gather approvals from events. */
export function createApprovalFold(): ApprovalFold {
  const approvals = new Map<string, Approval>()
  return {
    request({ call_id: id, turn, tool, server, input, decision }) {
      approvals.set(id, { id, turn, tool, server, input, decision, state: "pending", answer: null, reason: null })
    },
    answer({ call_id, approved, answer, reason }) {
      const asked = approvals.get(call_id)
      if (asked) approvals.set(call_id, { ...asked, state: approved ? "approved" : "rejected", answer, reason })
    },
    all: () => [...approvals.values()],
  }
}
