import { basename } from "node:path"
import { pathToFileURL } from "node:url"
import type { Emit, RunEventOf } from "../../contract/event.ts"
import type { JsonObject } from "../../contract/json.ts"
import type { ModelAnswer, Sample } from "../../contract/model.ts"
import type { ServerConfig } from "../../contract/server.ts"
import { cutText } from "../cut-text.ts"
import { startDeadline } from "../deadline.ts"
import { createAllowance } from "./allowance.ts"
import { boundJson } from "./bound-json.ts"
import { answerElicitation } from "./elicitation.ts"
import { createSampling } from "./sampling.ts"
import { createServerLog } from "./server-log.ts"

/** What a server's requests are answered from. */
export interface RequestSources {
  /** The only root there is. */
  readonly workspace: string
  /** The way to the model of the run; `null` where there is none, as in commands that only look at servers. */
  readonly sample: Sample | null
}

/** The answer to a request of a server: a result, or a JSON-RPC error. */
export type RequestAnswer =
  | { readonly ok: true; readonly result: JsonObject }
  | { readonly ok: false; readonly code: number; readonly message: string }

/** Where one server's requests and notifications arrive, over all its connections. Nothing here asks anybody, or hangs. */
export interface ServerDesk {
  /** What we say we can do: only what the configuration switched on. */
  readonly capabilities: JsonObject
  answer(method: string, params: JsonObject, signal: AbortSignal): Promise<RequestAnswer>
  log(params: JsonObject): void
  /** No more events from here on; what was left out so far, in words. */
  close(): readonly string[]
}

type Note = Omit<
  RunEventOf<"server.request">,
  "type" | "schema_version" | "seq" | "at" | "server" | "method" | "request"
>
type Answered = { readonly answer: RequestAnswer; readonly note: Partial<Note> & Pick<Note, "outcome"> }

const maxMethodLength = 200
const methodNotFound = -32601
/** For a request that was understood and is not wanted. */
const rejected = -1
const flood = { burst: 100, perSecond: 5 }

/** The desk of one server. */
export function createServerDesk(config: ServerConfig, sources: RequestSources | null, emit: Emit): ServerDesk {
  const allowance = createAllowance(flood)
  const logs = createServerLog(config.name, emit)
  const workspace = config.roots ? (sources?.workspace ?? null) : null
  const sample = sources?.sample ?? null
  const sampling = config.sampling === null || sample === null ? null : createSampling(config.sampling, sample)
  let open = true

  async function decide(method: string, params: JsonObject, signal: AbortSignal): Promise<Answered> {
    if (method === "roots/list" && workspace !== null) {
      const roots = [{ uri: pathToFileURL(workspace).href, name: basename(workspace) }]
      return { answer: { ok: true, result: { roots } }, note: { outcome: "answered" } }
    }
    if (method === "elicitation/create") {
      const { result, detail } = answerElicitation(params, config.elicitation)
      const outcome = result.action === "accept" ? "answered" : "declined"
      return { answer: { ok: true, result: { ...result } }, note: { outcome, detail } }
    }
    if (method === "sampling/createMessage" && config.sampling !== null && sampling === null) {
      const message = "there is no model here"
      return { answer: { ok: false, code: rejected, message }, note: { outcome: "refused", detail: message } }
    }
    if (method === "sampling/createMessage" && sampling !== null) {
      const sampled = await sampling(params, signal)
      const spent = spentBy(sampled.reply)
      if (sampled.kind === "reply") {
        return { answer: { ok: true, result: sampled.result }, note: { outcome: "answered", ...spent } }
      }
      const { code, message } = sampled
      return { answer: { ok: false, code, message }, note: { outcome: "refused", detail: message, ...spent } }
    }
    const detail = switches.get(method) ?? null
    return {
      answer: { ok: false, code: methodNotFound, message: "Method not found" },
      note: { outcome: "refused", detail },
    }
  }

  return {
    capabilities: {
      ...(workspace === null ? {} : { roots: {} }),
      ...(config.sampling === null ? {} : { sampling: {} }),
      // A policy that declines everything is no ability to ask: servers that know it find another way.
      ...(config.elicitation === "decline" ? {} : { elicitation: { form: {} } }),
    },
    async answer(method, params, signal) {
      const deadline = startDeadline(config.toolTimeoutMs, signal)
      try {
        const { answer, note } = await decide(method, params, deadline.signal)
        if (open && (note.usage != null || allowance.take())) {
          emit({
            type: "server.request",
            server: config.name,
            method: cutText(method, maxMethodLength),
            detail: null,
            request: boundJson(params),
            response: answer.ok ? boundJson(answer.result) : null,
            model: null,
            usage: null,
            cost_usd: null,
            ...note,
          })
        }
        return answer
      } finally {
        deadline.stop()
      }
    },
    log(params) {
      if (open) logs.take(params)
    },
    close() {
      open = false
      const counts = [
        [logs.leftOut(), "log messages"],
        [allowance.refused(), "requests"],
      ] as const
      return counts.flatMap(([count, what]) =>
        count === 0 ? [] : [`sent too many ${what}; ${count} are not in the transcript`],
      )
    },
  }
}

/** What a person can change about a refusal. */
const switches: ReadonlyMap<string, string> = new Map([
  ["roots/list", "roots = false"],
  ["sampling/createMessage", "sampling = false"],
])

function spentBy(
  reply: (ModelAnswer & { kind: "reply" }) | null,
): Pick<Note, "model" | "usage" | "cost_usd"> | undefined {
  if (reply === null) return undefined
  const { inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens } = reply.usage
  return {
    model: reply.model,
    usage: {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      cache_read_input_tokens: cacheReadInputTokens,
      cache_creation_input_tokens: cacheCreationInputTokens,
    },
    cost_usd: reply.costUsd,
  }
}
