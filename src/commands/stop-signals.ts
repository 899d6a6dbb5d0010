import type { Reason } from "../contract/reason.ts"
import { reasons } from "../contract/reason.ts"
import { killAllGroups } from "../util/process-groups.ts"

const causes = { SIGINT: "interrupted", SIGTERM: "terminated", SIGHUP: "terminated" } as const

/** Ends a run from outside, with the reason. */
export interface StopSignals extends Disposable {
  readonly signal: AbortSignal
}

/** Turn the first SIGINT, SIGTERM or SIGHUP, or a stray error, into an orderly end; a second signal ends the process at once. */
export function listenForStop(host: NodeJS.Process): StopSignals {
  const controller = new AbortController()

  function onSignal(name: NodeJS.Signals): void {
    const code = causes[name as keyof typeof causes]
    if (controller.signal.aborted) {
      killAllGroups()
      host.exit(reasons[code].exitCode)
    }
    controller.abort({ code, message: `stopped by ${name}`, hint: null } satisfies Reason)
  }

  function onStrayError(error: unknown): void {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
    controller.abort({
      code: "internal_error",
      message: `unexpected error: ${message}`,
      hint: bugHint,
    } satisfies Reason)
  }

  const signals = Object.keys(causes) as (keyof typeof causes)[]
  for (const name of signals) host.on(name, onSignal)
  host.on("unhandledRejection", onStrayError)
  host.on("uncaughtException", onStrayError)
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      for (const name of signals) host.off(name, onSignal)
      host.off("unhandledRejection", onStrayError)
      host.off("uncaughtException", onStrayError)
    },
  }
}

/** What we ask of people who meet a bug of ours. */
export const bugHint = "This is a bug in agent-run. Please report it with the message above."
