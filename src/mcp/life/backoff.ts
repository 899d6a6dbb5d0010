import { setTimeout as wait } from "node:timers/promises"
import type { RetrySettings } from "../../contract/config.ts"
import type { ServerConfig } from "../../contract/server.ts"

/** How long to pause after so many attempts: doubling, at most `maxMs`, and never quite the same for two of us. */
export function backoffMs(
  { initialMs, maxMs }: RetrySettings,
  attempts: number,
  random: () => number = Math.random,
): number {
  const fullMs = Math.min(initialMs * 2 ** (attempts - 1), maxMs)
  return Math.round(fullMs * (0.5 + random() / 2))
}

/** Wait for a while. False when the signal came first. */
export async function pause(delayMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    await wait(delayMs, undefined, { signal })
    return true
  } catch {
    // The only error a timer has is that it was aborted.
    return false
  }
}

/** How often a server is connected again in one run: a process that keeps crashing is left alone sooner. */
export function returnsAllowedTo({ transport }: Pick<ServerConfig, "transport">): number {
  return transport === "stdio" || transport === "sdk" ? 5 : 10
}
