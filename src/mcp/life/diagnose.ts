import type { Failure } from "../failure.ts"
import type { Session } from "../session.ts"
import { isLostSession, wantsCredentials } from "./retry.ts"

/** What a failed request says about its server: nothing, that it wants credentials, or that it is gone. */
export type Diagnosis =
  | { readonly kind: "alive" }
  | { readonly kind: "needs-auth"; readonly failure: Failure }
  | { readonly kind: "lost"; readonly why: string }

const pingTimeoutMs = 5000

/** Over HTTP nobody tells us that a server is gone: after a suspicious failure, ask. */
export async function diagnose(session: Session, failure: Failure, signal: AbortSignal): Promise<Diagnosis> {
  if (wantsCredentials(failure)) return { kind: "needs-auth", failure }
  if (isLostSession(failure)) return { kind: "lost", why: failure.message }
  if (failure.kind !== "network" && failure.kind !== "closed") return { kind: "alive" }
  const pong = await session.request("ping", {}, { timeoutMs: pingTimeoutMs, totalMs: pingTimeoutMs, signal })
  if (pong.ok || pong.failure.kind === "protocol" || pong.failure.kind === "aborted") return { kind: "alive" }
  if (wantsCredentials(pong.failure)) return { kind: "needs-auth", failure: pong.failure }
  return { kind: "lost", why: pong.failure.message }
}
