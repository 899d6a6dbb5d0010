import type { Reason } from "../contract/reason.ts"

/** What a whole batch may take. */
export interface BatchLimits {
  readonly maxCostUsd: number | null
  readonly timeoutMs: number | null
  /** How many tasks may fail. */
  readonly maxFailures: number | null
  readonly failFast: boolean
}

/** Keeps count of what the tasks of a batch spend together, while they run and when they have ended. */
export interface Spending {
  /** A running task paid for a request. */
  pay(id: string, costUsd: number): void
  /** A task has ended; what it paid is what its report says. */
  end(id: string, costUsd: number): void
  countFailure(id: string): void
  readonly spentUsd: number
  /** Why the batch must end now. */
  reached(): Reason | null
}

/** The spending of one batch. */
export function createSpending(limits: BatchLimits): Spending {
  const running = new Map<string, number>()
  let endedUsd = 0
  let failures = 0
  let lastFailed = ""

  const spent = () => [...running.values()].reduce((sum, cost) => sum + cost, endedUsd)

  return {
    pay: (id, costUsd) => void running.set(id, (running.get(id) ?? 0) + costUsd),
    end(id, costUsd) {
      running.delete(id)
      endedUsd += costUsd
    },
    countFailure(id) {
      failures += 1
      lastFailed = id
    },
    get spentUsd() {
      return spent()
    },
    reached() {
      const { maxCostUsd, maxFailures, failFast } = limits
      if (failFast && failures > 0) return stoppedByFailure(`task ${lastFailed} failed, and the batch fails fast`)
      if (maxFailures !== null && failures > maxFailures) {
        return stoppedByFailure(`${failures} tasks failed, and ${maxFailures} may`)
      }
      if (maxCostUsd === null || spent() < maxCostUsd) return null
      const message = `limit of the batch reached: max_cost_usd = ${maxCostUsd} (used ${Number(spent().toFixed(4))})`
      return { code: "max_cost", message, hint: "Raise --max-cost-usd and start the batch again: it goes on." }
    },
  }
}

/** The reason a batch ends at its time limit. */
export function batchTimeout(timeoutMs: number): Reason {
  const message = `limit of the batch reached: timeout = ${timeoutMs / 1000} s`
  return { code: "timeout", message, hint: "Raise --timeout and start the batch again: it goes on." }
}

function stoppedByFailure(message: string): Reason {
  return { code: "max_failures", message, hint: "Mend what fails and start the batch again: it goes on." }
}
