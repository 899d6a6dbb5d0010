import type { FetchLike } from "@modelcontextprotocol/client"
import { isJsonObject } from "../../contract/json.ts"
import { isNetworkError } from "../failure.ts"
import type { Provider } from "./provider.ts"
import { createRefusal, refusalOf } from "./refusal.ts"

type Sdk = typeof import("@modelcontextprotocol/client")

/** A request that the server refused, as far as it matters for another try. */
export interface Challenge {
  readonly response: Response
  /** The token the request carried. */
  readonly token: string | null
}

/** Gets the tokens for one server, for as long as the run lasts. */
export interface Authorizer {
  /** The token to send now; none before the server asked for one. */
  token(fetch: FetchLike): Promise<string | null>
  /** Answer a refusal: true when the request is worth sending again. Throws a refusal when nobody lets us in. */
  answer(challenge: Challenge, fetch: FetchLike): Promise<boolean>
}

/** A token is replaced this long before it expires, or at half of its life if that is later. */
const expiryMarginMs = 30_000

/** An authorizer over the OAuth flow of the protocol client. Whoever needs a token waits for the one flow there is. */
export function createAuthorizer(options: {
  readonly sdk: Sdk
  readonly provider: Provider
  readonly serverUrl: string
  /** Scopes of the configuration, asked for beside those the server names. */
  readonly scope: string | null
  /** How long one request of the flow may take. */
  readonly timeoutMs: number
}): Authorizer {
  const { sdk, provider, serverUrl } = options
  let scope = options.scope ?? undefined
  let resourceMetadataUrl: URL | undefined
  let renewAt = Number.POSITIVE_INFINITY
  let flight: Promise<void> | null = null

  function renew(fetch: FetchLike, forceReauthorization: boolean): Promise<void> {
    flight ??= run(fetch, forceReauthorization).finally(() => {
      flight = null
    })
    return flight
  }

  async function run(fetch: FetchLike, forceReauthorization: boolean): Promise<void> {
    const fetchFn = watchTokenEndpoint(withTimeout(fetch, options.timeoutMs))
    const flow = { serverUrl, fetchFn, ...knownScope(), ...knownMetadata() }
    provider.begin(fetchFn)
    try {
      const result = await sdk.auth(provider, { ...flow, forceReauthorization })
      if (result === "REDIRECT") await finish(flow)
    } catch (error) {
      if (refusalOf(error) !== null || isNetworkError(error)) throw error
      throw createRefusal(`no token could be obtained: ${firstLine(error)}`, null, error)
    }
    const lifetimeMs = (provider.tokens()?.expires_in ?? Number.POSITIVE_INFINITY) * 1000
    renewAt = performance.now() + Math.max(lifetimeMs - expiryMarginMs, lifetimeMs / 2)
  }

  /** The browser is back: redeem its code. What an authorization server says instead may be forged and is not shown. */
  async function finish(flow: Parameters<Sdk["auth"]>[1]): Promise<void> {
    const callback = provider.callback()
    const authorizationCode = callback?.get("code")
    if (!authorizationCode) throw createRefusal("the authorization was not granted")
    const iss = callback?.get("iss") ?? undefined
    const result = await sdk.auth(provider, { ...flow, authorizationCode, ...(iss === undefined ? {} : { iss }) })
    if (result !== "AUTHORIZED") throw createRefusal("the authorization did not lead to a token")
  }

  function knownScope() {
    return scope === undefined ? {} : { scope }
  }

  function knownMetadata() {
    return resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }
  }

  const currentToken = () => provider.tokens()?.access_token ?? null

  return {
    async token(fetch) {
      if (performance.now() > renewAt) {
        renewAt = Number.POSITIVE_INFINITY
        await renew(fetch, false)
      }
      return currentToken()
    },
    async answer({ response, token }, fetch) {
      const challenge = sdk.extractWWWAuthenticateParams(response)
      if (response.status === 401) {
        if (currentToken() !== token) return true
        resourceMetadataUrl = challenge.resourceMetadataUrl ?? resourceMetadataUrl
        scope = sdk.computeScopeUnion(scope, challenge.scope)
        await renew(fetch, false)
        return true
      }
      if (response.status !== 403 || challenge.error !== "insufficient_scope") return false
      if (currentToken() !== token) return true
      const granted = provider.tokens()?.scope
      const wider = sdk.computeScopeUnion(scope, granted, challenge.scope)
      // What was asked for already would be asked for in vain.
      if (!sdk.isStrictScopeSuperset(wider, scope)) return false
      resourceMetadataUrl = challenge.resourceMetadataUrl ?? resourceMetadataUrl
      scope = wider
      await renew(fetch, true)
      return true
    },
  }
}

function withTimeout(fetch: FetchLike, timeoutMs: number): FetchLike {
  return (url, init) => fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) })
}

/** A refused token request ends the flow at once: the client would try again and print what it was told. */
function watchTokenEndpoint(fetch: FetchLike): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init)
    const isTokenRequest = init?.body instanceof URLSearchParams && init.body.has("grant_type")
    if (!isTokenRequest || response.ok) return response
    const { origin, pathname } = new URL(url)
    const endpoint = `${origin}${pathname}`
    // To the client, as to us, trouble there is trouble of the network: it says nothing about the credentials.
    if (response.status >= 500) throw new TypeError(`${endpoint} answered HTTP ${response.status}`)
    const { error, description } = await readOAuthError(response)
    throw createRefusal(`${endpoint} refused to give a token: ${error}${description}`)
  }
}

async function readOAuthError(response: Response): Promise<{ readonly error: string; readonly description: string }> {
  const body: unknown = await response.json().catch(() => null)
  if (!isJsonObject(body) || typeof body.error !== "string") {
    return { error: `HTTP ${response.status}`, description: "" }
  }
  const { error_description: description } = body
  return { error: body.error, description: typeof description === "string" ? ` (${description.slice(0, 200)})` : "" }
}

function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return (message.split("\n")[0] ?? "").slice(0, 300)
}
