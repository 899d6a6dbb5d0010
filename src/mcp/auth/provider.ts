import { randomBytes } from "node:crypto"
import type {
  FetchLike,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client"
import type { AuthGrant, BrowserAuthorization, ServerAuth } from "../../contract/server-auth.ts"
import { readIdentityToken } from "./identity-token.ts"
import { createRefusal } from "./refusal.ts"

type Sdk = typeof import("@modelcontextprotocol/client")
type UnattendedGrant = Exclude<AuthGrant, { kind: "authorization-code" }>

/** What the OAuth flow of the protocol client works with, and where the browser came back to. */
export interface Provider extends OAuthClientProvider {
  tokens(): StoredOAuthTokens | undefined
  /** Forget what was discovered and answered before: a flow begins, over this fetch. */
  begin(fetch: FetchLike): void
  /** The answer of the authorization server to a browser, if the flow went there. */
  callback(): URLSearchParams | null
}

/** What every provider is given. */
export interface ProviderOptions {
  readonly sdk: Sdk
  readonly onSecret: (secret: { readonly name: string; readonly value: string }) => void
}

/** A provider that needs nobody: credentials of the client, or the identity of the job. */
export function createUnattendedProvider(
  auth: ServerAuth,
  grant: UnattendedGrant,
  { sdk, onSecret }: ProviderOptions,
): Provider {
  const store = createTokenStore(onSecret)
  const discovered = configuredDiscovery(auth)
  let issuer = auth.issuer ?? ""
  let resource = ""
  let fetch: FetchLike | null = null

  async function assertion(scope: string | undefined): Promise<string> {
    if (grant.kind !== "jwt-bearer" || fetch === null) throw new Error("only an identity is asserted, and in a flow")
    const token = await readIdentityToken(grant.identity, issuer, fetch)
    onSecret({ name: "identity_token", value: token })
    if (grant.exchange === null) return token
    const { tokenUrl, clientId, clientSecret } = grant.exchange
    const exchanged = await sdk.requestJwtAuthorizationGrant({
      tokenEndpoint: tokenUrl,
      audience: issuer,
      resource,
      idToken: token,
      clientId,
      ...(clientSecret === null ? {} : { clientSecret }),
      ...(scope === undefined ? {} : { scope }),
      fetchFn: fetch,
    })
    onSecret({ name: "identity_token", value: exchanged.jwtAuthGrant })
    return exchanged.jwtAuthGrant
  }

  return {
    ...store,
    ...clientAuthentication(grant, sdk),
    redirectUrl: undefined,
    clientMetadata: { client_name: "agent-run", redirect_uris: [], ...(auth.scope ? { scope: auth.scope } : {}) },
    clientInformation: () => clientInformationOf(grant, auth.issuer),
    begin(flowFetch) {
      fetch = flowFetch
    },
    callback: () => null,
    redirectToAuthorization: () => undefined,
    discoveryState: () => discovered,
    saveAuthorizationServerUrl(url) {
      issuer = url
    },
    saveResourceUrl(url) {
      resource = url
    },
    async prepareTokenRequest(scope) {
      const request = new URLSearchParams()
      if (grant.kind === "client-credentials") request.set("grant_type", "client_credentials")
      else {
        request.set("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer")
        request.set("assertion", await assertion(scope))
      }
      if (scope) request.set("scope", scope)
      return request
    },
  }
}

/** A provider for a person with a browser; registers this client where nothing else is configured. */
export function createBrowserProvider(
  auth: ServerAuth | null,
  browser: BrowserAuthorization,
  { onSecret }: Pick<ProviderOptions, "onSecret">,
): Provider {
  const clients = new Map<string, StoredOAuthClientInformation>()
  const store = createTokenStore(onSecret)
  const configured = auth === null ? undefined : clientInformationOf(auth.grant, auth.issuer)
  let discovered: OAuthDiscoveryState | undefined
  let answered: URL | null = null
  let state = ""
  const clientMetadata: OAuthClientMetadata = {
    client_name: "agent-run",
    redirect_uris: [browser.redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    ...(auth?.scope ? { scope: auth.scope } : {}),
  }
  const registration: Partial<Provider> = {
    saveClientInformation: (client, context) => void clients.set(context?.issuer ?? "", client),
    ...(browser.clientMetadataUrl === undefined ? {} : { clientMetadataUrl: browser.clientMetadataUrl }),
  }

  return {
    ...store,
    ...(configured === undefined ? registration : {}),
    redirectUrl: browser.redirectUrl,
    clientMetadata,
    clientInformation: (context) => configured ?? clients.get(context?.issuer ?? ""),
    begin() {
      discovered = undefined
      answered = null
    },
    callback() {
      if (answered === null) return null
      if (answered.searchParams.get("state") === state) return answered.searchParams
      throw createRefusal("the browser came back from another authorization than the one that was asked for")
    },
    state() {
      state = randomBytes(16).toString("hex")
      return state
    },
    async redirectToAuthorization(url) {
      answered = await browser.authorize(url)
    },
    discoveryState: () => discovered,
    saveDiscoveryState(found) {
      discovered = found
    },
    invalidateCredentials(what) {
      if (what === "client" || what === "all") clients.clear()
      if (what === "tokens" || what === "all") store.forget()
    },
  }
}

/** Tokens live here and nowhere else: never on disk, and known to the redactor before anyone can print them. */
function createTokenStore(onSecret: ProviderOptions["onSecret"]) {
  let tokens: StoredOAuthTokens | undefined
  let verifier = ""
  return {
    tokens: () => tokens,
    saveTokens(saved: StoredOAuthTokens) {
      tokens = saved
      for (const name of ["access_token", "refresh_token", "id_token"] as const) {
        const value = saved[name]
        if (value !== undefined) onSecret({ name, value })
      }
    },
    forget() {
      tokens = undefined
    },
    saveCodeVerifier(code: string) {
      verifier = code
    },
    codeVerifier: () => verifier,
  }
}

function clientInformationOf(grant: AuthGrant, issuer: string | null): StoredOAuthClientInformation {
  const secret = secretOf(grant)
  return {
    client_id: grant.clientId ?? "",
    ...(secret === null ? {} : { client_secret: secret }),
    ...(issuer === null ? {} : { issuer }),
  }
}

function secretOf(grant: AuthGrant): string | null {
  if (grant.kind !== "client-credentials") return grant.clientSecret
  return grant.proof.kind === "secret" ? grant.proof.secret : null
}

function clientAuthentication(grant: UnattendedGrant, sdk: Sdk): Pick<Provider, "addClientAuthentication"> {
  if (grant.kind === "jwt-bearer") return grant.clientId === null ? { addClientAuthentication: () => undefined } : {}
  if (grant.proof.kind === "secret") return {}
  const { clientId, proof } = grant
  return {
    addClientAuthentication: sdk.createPrivateKeyJwtAuth({
      issuer: clientId,
      subject: clientId,
      privateKey: { ...proof.key },
      alg: proof.algorithm,
    }),
  }
}

/** With a configured token endpoint there is nothing to discover. */
function configuredDiscovery({ tokenUrl, issuer }: ServerAuth): OAuthDiscoveryState | undefined {
  if (tokenUrl === null) return undefined
  const authorizationServerUrl = issuer ?? new URL(tokenUrl).origin
  return {
    authorizationServerUrl,
    authorizationServerMetadata: {
      issuer: authorizationServerUrl,
      authorization_endpoint: tokenUrl,
      token_endpoint: tokenUrl,
      response_types_supported: ["code"],
    },
  }
}
