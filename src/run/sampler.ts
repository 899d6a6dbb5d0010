import type { Limits } from "../agent/limits.ts"
import type { Emit } from "../contract/event.ts"
import type { Model, Sample } from "../contract/model.ts"

/** What sampling draws on. */
export interface SamplerOptions {
  /** None where a plan is applied. */
  readonly model: Model | null
  readonly limits: Limits
  readonly maxOutputTokens: number
  readonly emit: Emit
  /** Ends the run. */
  readonly signal: AbortSignal
}

/** The way of servers to the model of the run: what it costs counts against the limits, and stops with the run. */
export function createSampler({ model, limits, maxOutputTokens, emit, signal }: SamplerOptions): Sample {
  return async (request, callSignal) => {
    if (model === null || !limits.canSpend()) {
      const message = model === null ? "this run has no model" : "nothing is left of the cost or token limit of the run"
      return { kind: "failure", code: "max_tokens", message, hint: null, partialText: null }
    }
    const answer = await model.ask(
      { ...request, tools: [], maxOutputTokens: Math.min(request.maxOutputTokens, maxOutputTokens) },
      { signal: AbortSignal.any([signal, callSignal]), emit },
    )
    if (answer.kind === "reply") limits.spendAside(answer)
    return answer
  }
}
