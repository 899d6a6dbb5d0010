import type { Config } from "../contract/config.ts"
import type { RunOptions } from "../contract/run-options.ts"
import type { ServerAuth } from "../contract/server-auth.ts"
import type { Redactor } from "../events/redact.ts"
import type { AccessOptions } from "../mcp/auth/access.ts"
import { createNeedsAuthMemory } from "../mcp/auth/needs-auth-memory.ts"

/** What servers that ask for authentication meet in a run: its browser, its memory, and a redactor that learns every token. */
export function accessOf(
  { browser, refreshAuth }: Pick<RunOptions, "browser" | "refreshAuth">,
  { cacheFolder }: Config,
  redactor: Redactor,
): AccessOptions {
  return {
    ...(browser === undefined ? {} : { browser }),
    ...(cacheFolder === null
      ? {}
      : { memory: createNeedsAuthMemory({ folder: cacheFolder, now: Date.now, refresh: refreshAuth ?? false }) }),
    onSecret: (secret) => redactor.add([secret], []),
  }
}

/** The secrets that a configured way to tokens holds. */
export function authSecrets(auth: ServerAuth | null): readonly string[] {
  if (auth === null) return []
  const { grant } = auth
  switch (grant.kind) {
    case "client-credentials": {
      const { proof } = grant
      return proof.kind === "secret"
        ? [proof.secret]
        : Object.values(proof.key).filter((part) => typeof part === "string")
    }
    case "jwt-bearer":
      return [grant.clientSecret, grant.exchange?.clientSecret, identitySecret(grant.identity)].filter(isText)
    case "authorization-code":
      return [grant.clientSecret].filter(isText)
    default:
      return grant satisfies never
  }
}

function identitySecret(identity: Extract<ServerAuth["grant"], { kind: "jwt-bearer" }>["identity"]): string | null {
  if (identity.kind === "token") return identity.token
  return identity.kind === "github" ? identity.requestToken : null
}

function isText(value: string | null | undefined): value is string {
  return typeof value === "string"
}
