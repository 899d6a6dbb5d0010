import type { AgentSettings } from "../contract/config.ts"
import type { Emit, RunEventOf } from "../contract/event.ts"
import type { ModelAnswer, Usage } from "../contract/model.ts"
import type { Reason, ReasonCode } from "../contract/reason.ts"

type LimitName = RunEventOf<"limit">["limit"]
type Reply = ModelAnswer & { kind: "reply" }

/** What a run may spend. */
export type LimitSettings = Pick<AgentSettings, "maxTurns" | "maxCostUsd" | "maxTokens" | "timeoutMs"> & {
  readonly maxDenials: number | null
}

/** A limit that ends the run; `room` says whether one more request for a summary still fits. */
export interface ReachedLimit {
  readonly reason: Reason
  readonly room: boolean
}

/** Keeps count of what a run spends, and says when to stop. */
export interface Limits {
  readonly turns: number
  startTurn(): void
  spend(reply: Reply): void
  /** Count a reply that was no turn, so that the size of turns is still judged by turns. */
  spendAside(reply: Reply): void
  /** Is anything left of the cost and token limits? */
  canSpend(): boolean
  countDenial(): void
  /** Checked after the calls of a turn are known and before anything else is asked or run. */
  reached(): ReachedLimit | null
  /** Too many denials; also checked between the calls of one turn. */
  tooManyDenials(): boolean
}

/** What a run that goes on has spent before. */
export interface Spent {
  readonly turns: number
  readonly denials: number
  readonly costUsd: number
  readonly tokens: number
}

const nothingSpent: Spent = { turns: 0, denials: 0, costUsd: 0, tokens: 0 }

/** The limits of one run; `elapsedMs` is a monotonic clock. */
export function createLimits(
  settings: LimitSettings,
  elapsedMs: () => number,
  emit: Emit,
  spent: Spent = nothingSpent,
): Limits {
  let { turns, denials, costUsd, tokens } = spent
  let lastCostUsd = 0
  let lastTokens = 0
  const told = new Set<LimitName>()
  const summaryMs = Math.min(60_000, settings.timeoutMs / 10)

  /** A limit is near when what is left would not hold a turn and a summary, each as dear as the last turn. */
  const near = (used: number, last: number, allowed: number) => used + 2 * last > allowed

  function check(limit: LimitName, use: { used: number; allowed: number; room: boolean }): ReachedLimit {
    if (!told.has(limit)) emit({ type: "limit", limit, allowed: use.allowed, used: use.used })
    told.add(limit)
    return { reason: limitReason(limit, use), room: use.room }
  }

  const tooManyDenials = () => settings.maxDenials !== null && denials > settings.maxDenials

  return {
    get turns() {
      return turns
    },
    startTurn() {
      turns += 1
    },
    spend(reply) {
      lastTokens = totalTokens(reply.usage)
      lastCostUsd = reply.costUsd ?? 0
      tokens += lastTokens
      costUsd += lastCostUsd
    },
    spendAside(reply) {
      tokens += totalTokens(reply.usage)
      costUsd += reply.costUsd ?? 0
    },
    canSpend: () => costUsd < (settings.maxCostUsd ?? Infinity) && tokens < (settings.maxTokens ?? Infinity),
    countDenial() {
      denials += 1
    },
    tooManyDenials,
    reached() {
      const { maxCostUsd, maxTokens, maxDenials } = settings
      if (maxDenials !== null && tooManyDenials())
        return check("max_denials", { used: denials, allowed: maxDenials, room: true })
      if (maxCostUsd !== null && near(costUsd, lastCostUsd, maxCostUsd))
        return check("max_cost_usd", { used: costUsd, allowed: maxCostUsd, room: costUsd + lastCostUsd <= maxCostUsd })
      if (maxTokens !== null && near(tokens, lastTokens, maxTokens))
        return check("max_tokens", { used: tokens, allowed: maxTokens, room: tokens + lastTokens <= maxTokens })
      if (elapsedMs() > settings.timeoutMs - summaryMs)
        return check("timeout", { used: elapsedMs() / 1000, allowed: settings.timeoutMs / 1000, room: true })
      if (turns >= settings.maxTurns) return check("max_turns", { used: turns, allowed: settings.maxTurns, room: true })
      return null
    },
  }
}

/** The same limits, spent together, for a part of the run that is not asked for a summary of its own. */
export function shareLimits(limits: Limits): Limits {
  return {
    get turns() {
      return limits.turns
    },
    startTurn: () => limits.startTurn(),
    spend: (reply) => limits.spend(reply),
    spendAside: (reply) => limits.spendAside(reply),
    canSpend: () => limits.canSpend(),
    countDenial: () => limits.countDenial(),
    tooManyDenials: () => limits.tooManyDenials(),
    reached() {
      const limit = limits.reached()
      return limit === null ? null : { ...limit, room: false }
    },
  }
}

/** Input with everything read from and written to the cache, and output. */
function totalTokens(usage: Usage): number {
  return usage.inputTokens + usage.cacheReadInputTokens + usage.cacheCreationInputTokens + usage.outputTokens
}

const limitCodes = {
  max_turns: "max_turns",
  max_cost_usd: "max_cost",
  max_tokens: "max_tokens",
  timeout: "timeout",
  max_denials: "max_denials",
  repeated_call: "repeated_call",
} as const satisfies Record<LimitName, ReasonCode>

const limitHints = {
  max_turns: "Raise --max-turns, or give a smaller task.",
  max_cost_usd: "Raise --max-cost-usd, or give a smaller task.",
  max_tokens: "Raise --max-tokens, or give a smaller task.",
  timeout: "Raise --timeout, or give a smaller task.",
  max_denials: "Allow what the task needs, or raise --max-denials; the denied calls are in the report.",
  repeated_call: "The transcript shows the call and its results.",
} as const satisfies Record<LimitName, string>

/** The reason a run ends at a limit. */
export function limitReason(limit: LimitName, use: { readonly used: number; readonly allowed: number }): Reason {
  const used = Number(use.used.toFixed(4))
  return {
    code: limitCodes[limit],
    message: `limit reached: ${limit} = ${use.allowed} (used ${used})`,
    hint: limitHints[limit],
  }
}
