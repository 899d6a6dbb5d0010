import { setTimeout as pause } from "node:timers/promises"
import { UserError } from "../contract/user-error.ts"
import { createProxyFetch, findProxy } from "../model/proxy.ts"
import type { EventContext } from "./context.ts"

/** Only people who may write to the repository, or the repository itself, cause these events. */
const trustedEvents = new Set(["push", "schedule", "workflow_dispatch", "merge_group"])
const mayWrite = new Set(["admin", "maintain", "write"])
const attempts = 3
const timeoutMs = 10_000

/** What the guard looks at. */
export interface GuardOptions {
  readonly context: EventContext
  readonly githubToken: string | null
  readonly allowedBots: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
}

/** Let an event pass that people with write access caused, or a bot that is listed. Throws a UserError for everybody else. */
export async function guardActors(options: GuardOptions): Promise<void> {
  const { eventName, actors } = options.context
  if (trustedEvents.has(eventName)) return
  if (actors.length === 0) throw refusal(`nobody is named as the cause of the event "${eventName}"`)
  for (const actor of actors) await guardActor(actor, options)
}

async function guardActor(actor: string, options: GuardOptions): Promise<void> {
  const { eventName } = options.context
  if (actor.toLowerCase().endsWith("[bot]")) {
    if (options.allowedBots.some((bot) => botName(bot) === botName(actor))) return
    throw refusal(
      `${actor} caused the event "${eventName}" and is a bot that is not listed`,
      `Add ${actor} to allowed-bots if it may start the agent.`,
    )
  }
  if (options.githubToken === null) {
    throw refusal(
      `whether ${actor}, who caused the event "${eventName}", may write here cannot be asked`,
      "Give github-token: ${{ github.token }}.",
    )
  }
  const permission = await askPermission(actor, options.githubToken, options)
  if (mayWrite.has(permission)) return
  throw refusal(`${actor} caused the event "${eventName}" and may not write to the repository (${permission})`)
}

function botName(name: string): string {
  return name.toLowerCase().replace(/\[bot\]$/, "")
}

async function askPermission(actor: string, token: string, options: GuardOptions): Promise<string> {
  const { repository, apiUrl } = options.context
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository)) throw refusal("GITHUB_REPOSITORY names no repository")
  const url = `${apiUrl}/repos/${repository}/collaborators/${encodeURIComponent(actor)}/permission`
  const proxy = findProxy(options.env)
  const send = proxy === null ? fetch : await createProxyFetch(proxy)
  for (let attempt = 1; ; attempt += 1) {
    const answer = await ask(send, url, token, options.signal)
    if (answer.kind === "permission") return answer.permission
    options.signal.throwIfAborted()
    if (!answer.passing || attempt === attempts) {
      throw refusal(
        `GitHub does not say whether ${actor} may write to ${repository}: ${answer.why}`,
        "The check needs a github-token that may read the repository.",
      )
    }
    await pause(attempt * 500, undefined, { signal: options.signal })
  }
}

type Answer =
  | { readonly kind: "permission"; readonly permission: string }
  /** `passing`: asking again may help. */
  | { readonly kind: "none"; readonly why: string; readonly passing: boolean }

async function ask(send: typeof fetch, url: string, token: string, signal: AbortSignal): Promise<Answer> {
  try {
    const response = await send(url, {
      headers: { accept: "application/vnd.github+json", authorization: `Bearer ${token}`, "user-agent": "agent-run" },
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    if (response.status === 404) return { kind: "permission", permission: "none" }
    if (response.status !== 200) {
      await response.body?.cancel()
      return { kind: "none", why: `status ${response.status}`, passing: response.status >= 500 }
    }
    const { permission } = (await response.json()) as { readonly permission?: unknown }
    if (typeof permission === "string") return { kind: "permission", permission }
    return { kind: "none", why: "the answer names no permission", passing: false }
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    return { kind: "none", why: cause instanceof Error ? cause.message : String(cause), passing: true }
  }
}

function refusal(message: string, hint = "Only people with write access start the agent."): UserError {
  return new UserError("actor_refused", message, { hint })
}
