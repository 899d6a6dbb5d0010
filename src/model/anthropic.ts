import { setTimeout as pause } from "node:timers/promises"
import type { AgentSettings } from "../contract/config.ts"
import type { Model, ModelAnswer, ModelContext, ModelRequest, Price } from "../contract/model.ts"
import { formatDuration } from "../util/duration.ts"
import { findCredentials, findEndpoint, publicEndpoint } from "./access.ts"
import type { ApiClient } from "./api-client.ts"
import { type AttemptResult, attempt } from "./attempt.ts"
import { aborted, type Fault, tooLarge } from "./fault.ts"
import { createPace, type Pace } from "./pace.ts"
import { costOf, priceOf } from "./price.ts"
import { findProxy } from "./proxy.ts"
import type { StreamedReply } from "./reply.ts"
import { defaultWaits, type ModelWaits, planRetry } from "./retry.ts"
import { encodeRequest, toWireRequest } from "./wire.ts"
import { fromWireContent } from "./wire-tool.ts"

const maxRequestBytes = 32_000_000

interface AnthropicOptions {
  readonly model: string
  readonly fallbackModels: readonly string[]
  readonly effort: AgentSettings["effort"]
  readonly prices: Readonly<Record<string, Price>>
  /** `--base-url`; without it ANTHROPIC_BASE_URL counts. */
  readonly baseUrl: string | null
  readonly env: Readonly<Record<string, string | undefined>>
  readonly waits?: Partial<ModelWaits>
  /** May the API be told the schema of the answer? Default: at its public endpoint. */
  readonly structuredAnswers?: boolean
  /** Shared by all that ask the same API in one process; without it this model has its own. */
  readonly pace?: Pace
  /** For what the SDK has to say; never stdout. */
  readonly log: (line: string) => void
}

/** The real model. Throws a UserError when the environment cannot work; after that every fault is an answer. */
export function createAnthropicModel(options: AnthropicOptions): Model {
  const waits = { ...defaultWaits, ...options.waits }
  const endpoint = findEndpoint(options.baseUrl, options.env)
  const credentials = findCredentials(options.env)
  const proxy = findProxy(options.env)
  const apiVersion = options.env.AGENT_RUN_API_VERSION?.trim() || undefined
  const models = [options.model, ...options.fallbackModels]
  const pace = options.pace ?? createPace({ longestMs: waits.rateLimitBudgetMs })
  let current = 0
  // Other endpoints may not know the parameter; there the prompt alone asks for the schema, and we validate either way.
  let promisesSchemas = options.structuredAnswers ?? endpoint === publicEndpoint

  const openClient = async () => {
    const { createApiClient } = await import("./api-client.ts")
    return createApiClient({ endpoint, credentials, proxy, apiVersion, requestMs: waits.requestMs, log: options.log })
  }

  // Loading the SDK now overlaps the start of the servers; what goes wrong shows at the first request.
  const opening = openClient()
  opening.catch(() => {})

  return {
    id: options.model,
    priced: models.every((model) => priceOf(model, options.prices) !== null),
    takesDeferredTools: endpoint === publicEndpoint,
    async open(signal) {
      const client = await opening.catch(() => null)
      await client?.connect(AbortSignal.any([signal, AbortSignal.timeout(waits.firstByteMs)]))
    },
    async ask(request, context) {
      const client = await opening
      const deadline = performance.now() + waits.requestMs
      for (;;) {
        const model = models[current] ?? options.model
        const result = await askOne({
          client,
          endpoint,
          waits,
          pace,
          deadline,
          model,
          effort: options.effort,
          request: promisesSchemas ? request : { ...request, answerSchema: undefined },
          context,
        })
        if (result.kind === "reply") {
          const content = fromWireContent(result.reply.content, request.tools)
          return toAnswer({ ...result.reply, content }, model, options.prices)
        }
        if (request.answerSchema && promisesSchemas && result.fault.code === "model_request_rejected") {
          promisesSchemas = false
          const error = `${result.fault.message} Going on without the API's own check of the answer schema.`
          context.emit({ type: "retry", what: "model", attempt: result.attempts, delay_ms: 0, error })
          continue
        }

        const next = models[current + 1]
        if (result.fault.code !== "model_overloaded" || next === undefined) return toFailure(result)
        // What the old model thought stays readable or is dropped by the API; going back would cost both caches again.
        current += 1
        const error = `${result.fault.message} Going on with the fallback model ${next} instead of ${model}.`
        context.emit({ type: "retry", what: "model", attempt: result.attempts, delay_ms: 0, error })
      }
    },
  }
}

interface Asking {
  readonly client: ApiClient
  readonly endpoint: string
  readonly waits: ModelWaits
  readonly pace: Pace
  readonly deadline: number
  readonly model: string
  readonly effort: AgentSettings["effort"]
  readonly request: ModelRequest
  readonly context: ModelContext
}

type Asked =
  | Extract<AttemptResult, { kind: "reply" }>
  | (Extract<AttemptResult, { kind: "fault" }> & { readonly attempts: number })

/** One request to one model: attempts until there is a reply or the plan says to give up. Waiting in line counts for nothing. */
async function askOne(asking: Asking): Promise<Asked> {
  const { client, endpoint, waits, pace, model, effort, request, context } = asking
  const { signal, emit } = context
  const body = encodeRequest(toWireRequest(request, { model, effort }))
  if (body.length > maxRequestBytes) {
    return { kind: "fault", fault: tooLarge(body.length), partialText: null, attempts: 0 }
  }
  const start = performance.now()
  const onWait = createWaitNote(emit)
  let inLineMs = 0
  let firstFaultAt: number | undefined
  let unreachable = 0
  let firstByteMs = waits.firstByteMs

  for (let attempts = 1; ; attempts += 1) {
    const enteredAt = performance.now()
    const turn = await pace.enter({ model, bytes: body.length, onWait }, signal)
    if (turn === null) return { kind: "fault", fault: aborted, partialText: null, attempts: attempts - 1 }
    inLineMs += performance.now() - enteredAt
    const deadline = asking.deadline + inLineMs
    const deadlineMs = deadline - performance.now()
    const { heard } = turn
    const result = await attempt({
      client,
      endpoint,
      body,
      signal,
      waits: { ...waits, firstByteMs },
      deadlineMs,
      heard,
    })
    if (result.kind === "reply") {
      turn.leave("worked")
      return result
    }
    const now = performance.now()
    firstFaultAt ??= now - inLineMs
    if (result.fault.retry === "unreachable") unreachable += 1
    const sinceFirstFaultMs = now - inLineMs - firstFaultAt
    const history = { attempts, unreachable, sinceStartMs: now - inLineMs - start, sinceFirstFaultMs }
    const plan = planRetry(result.fault, history, { waits, random: Math.random })
    const delayMs = plan.kind === "retry" ? plan.delayMs : (result.fault.retryAfterMs ?? 0)
    turn.leave(result.fault.rateLimited ? { refusedMs: delayMs } : "failed")
    if (plan.kind === "give_up" || now + plan.delayMs >= deadline) {
      return {
        ...result,
        fault: explainEnd(result.fault, plan.kind === "give_up" ? plan.why : "no time is left"),
        attempts,
      }
    }
    emit({ type: "retry", what: "model", attempt: attempts, delay_ms: plan.delayMs, error: describeFault(result) })
    firstByteMs = plan.firstByteMs
    if (!(await paused(plan.delayMs, signal))) {
      return { kind: "fault", fault: aborted, partialText: result.partialText, attempts }
    }
  }
}

/** Says once that a request waits for the limits of the API, if it is long enough to wonder. */
function createWaitNote(emit: ModelContext["emit"]): (delayMs: number) => void {
  let said = false
  return (delayMs) => {
    if (said || delayMs < 1000) return
    said = true
    const message = `the limits of the model API are used up: this request waits ${formatDuration(delayMs)} with all others of this process`
    emit({ type: "warning", code: "rate_limit", message })
  }
}

/** False when the signal came first. */
async function paused(delayMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    await pause(delayMs, undefined, { signal })
    return true
  } catch {
    // The only error a timer has is that it was aborted.
    return false
  }
}

function explainEnd(fault: Fault, why: string): Fault {
  return { ...fault, message: fault.retry === "never" ? `${fault.message}.` : `${fault.message} (${why}).` }
}

function describeFault({ fault, partialText }: Extract<AttemptResult, { kind: "fault" }>): string {
  if (partialText === null) return `${fault.message}.`
  return `${fault.message}. The partial text (${partialText.length} characters) was discarded.`
}

function toAnswer(reply: StreamedReply, model: string, prices: Readonly<Record<string, Price>>): ModelAnswer {
  const price = priceOf(model, prices)
  return {
    kind: "reply",
    model: reply.model ?? model,
    content: reply.content,
    stopReason: reply.stopReason,
    stopDetails: reply.stopDetails,
    usage: reply.usage,
    costUsd: price === null ? null : costOf(reply.usage, price, reply.oneHourWriteTokens),
  }
}

function toFailure({ fault, partialText }: Extract<AttemptResult, { kind: "fault" }>): ModelAnswer {
  return { kind: "failure", code: fault.code, message: fault.message, hint: fault.hint, partialText }
}
