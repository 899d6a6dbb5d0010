import type { RemoteServerConfig } from "../../contract/server.ts"
import type { BrowserAuthorization } from "../../contract/server-auth.ts"
import { loadSdk } from "../session.ts"
import { type Authorizer, createAuthorizer } from "./authorizer.ts"
import type { NeedsAuthMemory } from "./needs-auth-memory.ts"
import { createBrowserProvider, createUnattendedProvider, type Provider } from "./provider.ts"

/** Something that must not be seen. */
export interface Secret {
  readonly name: string
  readonly value: string
}

/** What a run offers to servers that want to know who is asking. */
export interface AccessOptions {
  /** Without one, whatever needs a browser is needs-auth. */
  readonly browser?: BrowserAuthorization
  /** Told every token before it is used, so that it can be masked. */
  readonly onSecret?: (secret: Secret) => void
  /** Which servers needed authentication a while ago. */
  readonly memory?: NeedsAuthMemory
}

/** The way into remote servers, shared by all connections of a run. */
export interface Access {
  readonly memory: NeedsAuthMemory | null
  readonly onSecret: (secret: Secret) => void
  /** Who gets the tokens for a server; `null` when nobody may: its own headers speak for it, or there is no way. */
  authorizerOf(config: RemoteServerConfig): Promise<Authorizer | null>
}

/** The access of one run. A server keeps its authorizer, and so its token, over reconnects. */
export function createAccess({ browser, onSecret, memory }: AccessOptions): Access {
  const authorizers = new Map<string, Promise<Authorizer | null>>()

  async function create(config: RemoteServerConfig): Promise<Authorizer | null> {
    if (Object.keys(config.headers).some((header) => header.toLowerCase() === "authorization")) return null
    const sdk = await loadSdk()
    const provider = providerOf(config, sdk)
    if (provider === null) return null
    const { url, auth, startupTimeoutMs } = config
    return createAuthorizer({
      sdk,
      provider,
      serverUrl: url.replace(/^ws/i, "http"),
      scope: auth?.scope ?? null,
      timeoutMs: startupTimeoutMs,
    })
  }

  function providerOf({ auth, name }: RemoteServerConfig, sdk: Awaited<ReturnType<typeof loadSdk>>): Provider | null {
    const options = {
      sdk,
      onSecret: (secret: Secret) => onSecret?.({ name: `${name}.${secret.name}`, value: secret.value }),
    }
    if (auth !== null && auth.grant.kind !== "authorization-code") {
      return createUnattendedProvider(auth, auth.grant, options)
    }
    return browser === undefined ? null : createBrowserProvider(auth, browser, options)
  }

  return {
    memory: memory ?? null,
    onSecret: (secret) => onSecret?.(secret),
    authorizerOf(config) {
      const known = authorizers.get(config.name) ?? create(config)
      authorizers.set(config.name, known)
      return known
    },
  }
}
