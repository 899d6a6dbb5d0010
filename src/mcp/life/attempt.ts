import type { ServerConfig } from "../../contract/server.ts"
import { formatDuration } from "../../util/duration.ts"
import { type Catalog, discover } from "../discover.ts"
import type { Failure } from "../failure.ts"
import { type OpenOptions, openServer } from "../open-server.ts"
import type { Session } from "../session.ts"
import { wantsCredentials } from "./retry.ts"

/** Why a server could not be connected, and its last words on stderr. */
export interface FailedAttempt {
  readonly failure: Failure
  readonly stderrTail: string | null
}

/** An attempt to connect: the session with all that the server offers, or why there is none. */
export type Attempt =
  | { readonly ok: true; readonly session: Session; readonly catalog: Catalog; readonly connectMs: number }
  | (FailedAttempt & { readonly ok: false })

/** Connect, initialize and discover: once. What fails leaves nothing behind. Never throws. */
export async function attemptConnection(config: ServerConfig, options: OpenOptions): Promise<Attempt> {
  if (config.shared && options.share !== null) return options.share.join(config, options)
  const startedAt = performance.now()
  try {
    const opened = await openServer(config, options)
    if (!opened.ok) return opened
    const { session } = opened
    const found = await discover(session, { ...options, timeoutMs: config.discoveryTimeoutMs })
    if (!found.ok) {
      if (wantsCredentials(found.failure)) await options.access.memory?.remember(config)
      return await abandon(session, found.failure, config)
    }
    const since = session.channel.startedAt ?? startedAt
    return { ok: true, session, catalog: found.catalog, connectMs: Math.round(performance.now() - since) }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { ok: false, failure: { kind: "closed", message: `could not be started: ${why}` }, stderrTail: null }
  }
}

async function abandon({ channel }: Session, failure: Failure, config: ServerConfig): Promise<Attempt> {
  const why = channel.whyClosed()
  const stderrTail = channel.stderrTail()
  await channel.dispose()
  if (why !== null) return { ok: false, failure: { kind: "closed", message: why }, stderrTail }
  const message =
    failure.kind === "timeout"
      ? `did not list its tools within ${formatDuration(config.discoveryTimeoutMs)}`
      : `tools/list failed: ${failure.message}`
  return { ok: false, failure: { ...failure, message }, stderrTail }
}
