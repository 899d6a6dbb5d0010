import type { ToolDefinition } from "../contract/model.ts"
import { findCredentials, findEndpoint } from "./access.ts"
import { findProxy } from "./proxy.ts"
import { toWireRequest } from "./wire.ts"

/** What is counted: as much of a request as tools are about. */
export interface Countable {
  readonly system: string
  readonly tools: readonly ToolDefinition[]
}

/** Counts tokens as the API does. Throws what the SDK throws. */
export type TokenCounter = (countable: Countable) => Promise<number>

const countMs = 20_000

/** The token counting of the API: free of charge, but an exchange over the network. */
export async function createTokenCounter(options: {
  readonly model: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
  readonly log: (line: string) => void
}): Promise<TokenCounter> {
  const { model, env, signal, log } = options
  const { createApiClient } = await import("./api-client.ts")
  const client = await createApiClient({
    endpoint: findEndpoint(null, env),
    credentials: findCredentials(env),
    proxy: findProxy(env),
    apiVersion: env.AGENT_RUN_API_VERSION?.trim() || undefined,
    requestMs: countMs,
    log,
  })
  return async ({ system, tools }) => {
    const messages = [{ role: "user", content: [{ type: "text", text: "." }] }] as const
    const request = { system, tools, messages, maxOutputTokens: 1 }
    const { max_tokens, stream, ...countable } = toWireRequest(request, { model, effort: null })
    return client.countTokens(countable, AbortSignal.any([signal, AbortSignal.timeout(countMs)]))
  }
}

/** Is there anything to show to the API? */
export function hasCredentials(env: Readonly<Record<string, string | undefined>>): boolean {
  try {
    findCredentials(env)
    return true
  } catch {
    // No key, or none that can be sent: both mean that nobody can be asked.
    return false
  }
}
