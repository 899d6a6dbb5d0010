import { format } from "node:util"
import { BaseAnthropic } from "@anthropic-ai/sdk/client"
import { identityTokenFromFile, identityTokenFromValue } from "@anthropic-ai/sdk/lib/credentials/identity-token"
import { oidcFederationProvider } from "@anthropic-ai/sdk/lib/credentials/oidc-federation"
import { Stream } from "@anthropic-ai/sdk/streaming"
import { isJsonObject } from "../contract/json.ts"
import type { ProxyVariables } from "../util/proxy-variables.ts"
import type { Credentials } from "./access.ts"
import { createProxyFetch } from "./proxy.ts"
import type { Watch } from "./watch.ts"

/** One event of a stream, before anything is read into it. */
export interface ServerEvent {
  readonly event: string | null
  readonly data: string
}

/** The Messages API, one HTTP exchange at a time: no retries, no redirects, no timeouts but the watch's. */
export interface ApiClient {
  /** Open the connection, so that the first request finds it open. Never throws. */
  connect(signal: AbortSignal): Promise<void>
  /** Send a request. Throws what the SDK throws, which for an error response is an error with `status`. */
  open(body: Uint8Array, watch: Watch): Promise<Response>
  events(response: Response): AsyncIterable<ServerEvent>
  /** How many tokens a request would have, as the API counts them. Throws what the SDK throws. */
  countTokens(request: object, signal: AbortSignal): Promise<number>
}

/** Make the client. This file is the border to the SDK and the only one that loads it. */
export async function createApiClient(options: {
  readonly endpoint: string
  readonly credentials: Credentials
  readonly proxy: ProxyVariables | null
  /** Set for gateways that want `x-api-key` and an older version. */
  readonly apiVersion: string | undefined
  readonly requestMs: number
  readonly log: (line: string) => void
}): Promise<ApiClient> {
  const httpFetch = options.proxy === null ? globalThis.fetch : await createProxyFetch(options.proxy)
  const carefulFetch: typeof fetch = (input, init) => httpFetch(input, { ...init, redirect: "manual" })
  const log = (...values: unknown[]) => options.log(format(...values))
  const client = new BaseAnthropic({
    ...toSdkCredentials(options.credentials, { endpoint: options.endpoint, fetch: carefulFetch }),
    baseURL: options.endpoint,
    fetch: carefulFetch,
    maxRetries: 0,
    timeout: options.requestMs,
    openTelemetry: false,
    logger: { error: log, warn: log, info: log, debug: log },
    defaultHeaders: versionHeaders(options.apiVersion, options.credentials),
  })

  return {
    async connect(signal) {
      // Without credentials, and whatever comes back: all that counts is the connection, which stays open for a while.
      await carefulFetch(options.endpoint, { method: "HEAD", signal }).catch(() => null)
    },
    open(body, watch) {
      const watched: typeof fetch = async (input, init) => watchBytes(await carefulFetch(input, init), watch)
      return client
        .withOptions({ fetch: watched })
        .post("/v1/messages", {
          body,
          headers: { "content-type": "application/json" },
          stream: true,
          signal: watch.signal,
        })
        .asResponse()
    },
    events: (response) => Stream.rawEvents(response),
    async countTokens(request, signal) {
      const answer: unknown = await client.post("/v1/messages/count_tokens", { body: request, signal })
      const tokens = isJsonObject(answer) ? answer.input_tokens : undefined
      if (typeof tokens === "number") return tokens
      throw new Error("the API answered a count without a number")
    },
  }
}

function toSdkCredentials(credentials: Credentials, api: { readonly endpoint: string; readonly fetch: typeof fetch }) {
  switch (credentials.kind) {
    case "api_key":
      return { apiKey: credentials.value, authToken: null }
    case "auth_token":
      return { apiKey: null, authToken: credentials.value }
    case "federation": {
      const { identityToken, ruleId, organizationId, serviceAccountId, workspaceId } = credentials
      const provider = oidcFederationProvider({
        identityTokenProvider:
          "file" in identityToken
            ? identityTokenFromFile(identityToken.file)
            : identityTokenFromValue(identityToken.value),
        federationRuleId: ruleId,
        organizationId,
        serviceAccountId,
        workspaceId,
        baseURL: api.endpoint,
        fetch: api.fetch,
      })
      return { credentials: provider }
    }
    default:
      throw new Error(`unknown credentials ${JSON.stringify(credentials satisfies never)}`)
  }
}

function versionHeaders(apiVersion: string | undefined, credentials: Credentials): Record<string, string | null> {
  if (apiVersion === undefined) return {}
  if (credentials.kind !== "api_key") return { "anthropic-version": apiVersion }
  return { "anthropic-version": apiVersion, "x-api-key": credentials.value, authorization: null }
}

/** Pings never leave the SDK's parser and error bodies are read inside it: both are seen here, as bytes. */
function watchBytes(response: Response, watch: Watch): Response {
  watch.sawBytes()
  const observer = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      watch.sawBytes()
      controller.enqueue(chunk)
    },
  })
  const { status, statusText, headers } = response
  return new Response(response.body?.pipeThrough(observer) ?? null, { status, statusText, headers })
}
