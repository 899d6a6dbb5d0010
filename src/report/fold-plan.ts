import type { RunEventOf } from "../contract/event.ts"
import type { PlanCall } from "../contract/plan.ts"

/** The plan in a report: queued calls with the words that the model had for each. */
export interface PlanFold {
  hear(event: RunEventOf<"message">): void
  add(event: RunEventOf<"plan.call">): void
  calls(): PlanCall[]
}

/** Gather a plan from events. */
export function createPlanFold(): PlanFold {
  const calls: PlanCall[] = []
  let reasons = new Map<string, string>()
  return {
    hear(event) {
      if (event.role === "assistant") reasons = reasonsIn(event)
    },
    add({ plan_id: id, call_id, tool, server, input, refill, decision, edit }) {
      calls.push({ id, tool, server, input, refill, reason: reasons.get(call_id) ?? null, decision, edit })
    },
    calls: () => [...calls],
  }
}

/** The text before a call is why it is made; calls side by side share it. */
function reasonsIn(event: RunEventOf<"message">): Map<string, string> {
  const reasons = new Map<string, string>()
  let said = ""
  let answered = false
  for (const block of event.content) {
    if (block.type === "text") {
      said = answered ? block.text : [said, block.text].filter((text) => text !== "").join("\n")
      answered = false
    }
    if (block.type === "tool_use") {
      if (said.trim() !== "") reasons.set(block.id, said.trim())
      answered = true
    }
  }
  return reasons
}
