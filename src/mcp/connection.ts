import type { RetrySettings } from "../contract/config.ts"
import type { Emit } from "../contract/event.ts"
import type { JsonObject } from "../contract/json.ts"
import type { ServerConfig, ServerState } from "../contract/server.ts"
import type { Access } from "./auth/access.ts"
import { startDeadline, unlessAborted } from "./deadline.ts"
import { type Catalog, discover, type ServerTool } from "./discover.ts"
import type { Failure } from "./failure.ts"
import { hintFor } from "./hint.ts"
import { type Attempt, attemptConnection, type FailedAttempt } from "./life/attempt.ts"
import { backoffMs, pause, returnsAllowedTo } from "./life/backoff.ts"
import { announcesChanges } from "./life/changes.ts"
import { diagnose } from "./life/diagnose.ts"
import { lastWords, whyEnded } from "./life/last-words.ts"
import { createNoise } from "./life/noise.ts"
import { createOffers } from "./life/offers.ts"
import { createRefresher } from "./life/refresh.ts"
import { wantsCredentials } from "./life/retry.ts"
import { createSender, type Ready, type SentAnswer } from "./life/send.ts"
import type { ServerShare } from "./life/share.ts"
import type { StartedProcesses } from "./life/started-processes.ts"
import { createServerDesk, type RequestSources } from "./requests/server-desk.ts"
import type { HiddenTool } from "./select-tools.ts"
import type { Answer, ClientIdentity, RequestContext, Session } from "./session.ts"

/** One server's life. Nothing here throws: a server that cannot be reached is a state. */
export interface Connection {
  readonly config: ServerConfig
  state(): ServerState
  /** What the server offers to the model, as of when it was last asked; nothing while it is not connected. */
  catalog(): Catalog
  hiddenTools(): readonly HiddenTool[]
  instructions(): string | null
  /** Grows whenever the state or the catalog changes. */
  revision(): number
  /** Connect, initialize and discover. Resolves when the server is connected or failed. */
  start(signal: AbortSignal): Promise<void>
  /** A lost server that is being reconnected, until it is back or given up. */
  returning(): Promise<void> | null
  /** A changed list that is being asked for. */
  refreshing(): Promise<void> | null
  /** One request that only reads, within the time a call may take; made again when that may help. */
  request(method: string, params: JsonObject, context: RequestContext): Promise<Answer>
  /** One call of a tool, within the time a call may take; made again only if it cannot have run or does no harm. */
  call(tool: ServerTool, params: JsonObject, context: RequestContext): Promise<SentAnswer>
  close(): Promise<void>
}

/** What connections share. */
export interface Surroundings {
  readonly emit: Emit
  readonly identity: ClientIdentity
  readonly env: Readonly<Record<string, string | undefined>>
  readonly retry: RetrySettings
  readonly requests: RequestSources | null
  readonly access: Access
  readonly processes: StartedProcesses | null
  readonly share: ServerShare | null
}

const relistEveryMs = 1000

/** The connection to one configured server, not started yet. */
export function createConnection(config: ServerConfig, surroundings: Surroundings): Connection {
  const { emit, retry } = surroundings
  const about = { server: config.name, transport: config.transport } as const
  const returnsAllowed = returnsAllowedTo(config)
  const offers = createOffers(config)
  const refresher = createRefresher({ everyMs: relistEveryMs, ask: relist })
  const noise = createNoise(warn)
  const desk = createServerDesk(config, surroundings.requests, emit)
  const retired: Promise<void>[] = []
  let state: ServerState = { status: "pending" }
  let session: Session | null = null
  let firstInstructions: string | null | undefined
  let revision = 0
  let returns = 0
  let starting: Promise<void> | null = null
  let returning: Promise<void> | null = null
  let running = new AbortController().signal
  let closing = false

  async function connect(): Promise<void> {
    const failed = running.aborted ? notStarted : await attempt()
    if (failed !== null) fail(failed)
  }

  /** Connect once. Says what went wrong, or nothing when the server is there. */
  async function attempt(): Promise<FailedAttempt | null> {
    emit({ type: "server.connecting", ...about, state: "pending" })
    let connected: Attempt = { ok: false, ...notStarted }
    let changedSoon = false
    const onChanged = () => {
      if (connected.ok) refresher.announce()
      else changedSoon = true
    }
    const onClosed = () => {
      if (connected.ok && connected.session === session) lose(whyEnded(connected.session))
    }
    const heard = { onNoise: noise.hear, onClosed, onChanged, warn }
    connected = await attemptConnection(config, { ...surroundings, ...heard, desk, signal: running })
    if (!connected.ok) return connected
    settleIn(connected)
    if (changedSoon) refresher.announceEarly()
    if (connected.session.channel.whyClosed() !== null) lose(whyEnded(connected.session))
    return null
  }

  function settleIn({ session: opened, catalog: found, connectMs }: Attempt & { readonly ok: true }): void {
    session = opened
    state = { status: "connected", connectMs }
    adopt(found)
    if (firstInstructions === undefined) firstInstructions = opened.instructions
    else if (firstInstructions !== opened.instructions) {
      warn("came back with other instructions; this run keeps the first ones")
    }
    emit({
      type: "server.connected",
      ...about,
      state: "connected",
      ...offers.counts(),
      connect_ms: connectMs,
      protocol_version: opened.protocolVersion,
    })
    // Over HTTP, what a server registers right after its start is announced to nobody.
    if (config.transport !== "stdio" && announcesChanges(opened)) refresher.later()
  }

  function adopt(found: Catalog) {
    revision += 1
    const changes = offers.adopt(found)
    // A tool that changes its meaning on the way is never offered silently.
    for (const tool of changes.changed) {
      const message = describe(`its tool "${tool}" is described differently now, and offered so from the next turn on`)
      emit({ type: "warning", code: "mcp_tool_changed", message })
    }
    return changes
  }

  /** The server says that its lists have changed. */
  async function relist(): Promise<void> {
    const asked = session
    if (asked === null || closing) return
    const found = await discover(asked, { timeoutMs: config.discoveryTimeoutMs, signal: running, warn })
    if (asked !== session || closing) return
    if (!found.ok) {
      await judge(asked, found.failure, running)
      if (asked === session) warn(`could not be asked again for what it offers: ${found.failure.message}`)
      return
    }
    const { anything, added, removed, changed } = adopt(found.catalog)
    if (!anything) return
    const names = { added: [...added], removed: [...removed], changed: [...changed] }
    emit({ type: "server.changed", ...about, state: "connected", ...offers.counts(), ...names })
  }

  function fail({ failure, stderrTail }: FailedAttempt): void {
    const error = describe(`${failure.message}${lastWords(stderrTail)}`)
    const status = wantsCredentials(failure) ? "needs-auth" : "failed"
    forget({ status, error })
    const hint = hintFor(failure, config)
    emit({ type: "server.error", ...about, state: status, error, hint, stderr_tail: stderrTail })
  }

  /** Everything that was known from a session goes with it. */
  function forget(next: ServerState): void {
    const left = session
    session = null
    offers.forget()
    state = next
    revision += 1
    // Last, because a channel may say that it closed while it is being closed.
    if (left !== null) retired.push(left.channel.dispose())
  }

  function lose(why: string): void {
    if (closing || state.status !== "connected") return
    const lost = describe(why)
    const spent = returns >= returnsAllowed
    const comesBack = !spent && !running.aborted
    const detail = spent ? `${lost}; it was connected again ${returns} times and is left alone now` : lost
    forget(comesBack ? { status: "pending", lost } : { status: "failed", error: detail })
    emit({ type: "server.disconnected", ...about, state: state.status, reason: "lost", detail })
    if (comesBack) comeBack(lost)
  }

  function comeBack(lost: string): void {
    const back = reconnect(lost).finally(() => {
      if (returning === back) returning = null
    })
    returning = back
  }

  /** A required server is tried for as long as it may be: without it the run ends. */
  async function reconnect(lost: string): Promise<void> {
    for (let attempts = 1; ; attempts += 1) {
      returns += 1
      const failed = await attempt()
      if (failed === null) return
      const { failure } = failed
      const spent = returns >= returnsAllowed || (attempts >= retry.maxAttempts && !config.required)
      if (running.aborted) return fail(notBack(lost))
      if (spent || wantsCredentials(failure)) return fail(failed)
      const delayMs = backoffMs(retry, attempts)
      emit({ type: "retry", what: "mcp", attempt: attempts, delay_ms: delayMs, error: describe(failure.message) })
      if (!(await pause(delayMs, running))) return fail(notBack(lost))
    }
  }

  /** The session to use, once a server that is being reconnected is back; a failed one is tried again for a call. */
  async function ready(signal: AbortSignal): Promise<Ready> {
    if (state.status === "failed" && firstInstructions !== undefined && returns < returnsAllowed && !closing) {
      const { error } = state
      forget({ status: "pending", lost: error })
      comeBack(error)
    }
    const deadline = startDeadline(config.toolTimeoutMs, signal)
    try {
      if (returning !== null) await unlessAborted(returning, deadline.signal)
    } catch {
      if (signal.aborted) return { failure: { kind: "aborted", message: "the run was stopped" } }
    } finally {
      deadline.stop()
    }
    return session === null ? { failure: { kind: "closed", message: whyNot(), unsent: true } } : { session }
  }

  /** Draw conclusions about the server from a failed request, and say what is to be said about the request. */
  async function judge(asked: Session, failure: Failure, signal: AbortSignal): Promise<Failure> {
    const diagnosis = asked === session ? await diagnose(asked, failure, signal) : null
    if (diagnosis !== null && asked === session) {
      if (diagnosis.kind === "lost") lose(diagnosis.why)
      if (diagnosis.kind === "needs-auth") fail({ failure: diagnosis.failure, stderrTail: null })
    }
    // The reason of the channel says more than "connection closed".
    return failure.kind === "closed" && session === null ? { ...failure, message: whyNot() } : failure
  }

  function whyNot(): string {
    if (state.status === "pending") return state.lost ?? "not connected yet"
    return "error" in state ? state.error : "not connected"
  }

  async function close(): Promise<void> {
    if (closing) return
    closing = true
    refresher.stop()
    await starting
    await returning
    noise.conclude()
    for (const problem of desk.close()) warn(problem)
    if (state.status === "connected") {
      emit({ type: "server.disconnected", ...about, state: "connected", reason: "run_end", detail: null })
    }
    await Promise.all([session?.channel.dispose(), ...retired])
  }

  function warn(message: string): void {
    emit({ type: "warning", code: "mcp_server", message: describe(message) })
  }

  function describe(text: string): string {
    const beginning = `MCP server "${config.name}": `
    return text.startsWith(beginning) ? text : `${beginning}${text}`
  }

  const send = createSender({ config, retry, emit, describe, ready, judge })
  return {
    config,
    state: () => state,
    catalog: offers.catalog,
    hiddenTools: offers.hiddenTools,
    instructions: () => session?.instructions ?? null,
    revision: () => revision,
    start(signal) {
      if (starting !== null) return starting
      running = signal
      starting = connect()
      return starting
    },
    returning: () => returning,
    refreshing: () => refresher.pending(),
    request: (method, params, context) => send({ method, params, repeatable: true }, context),
    call({ name, hints }, params, context) {
      const repeatable = config.trustHints && (hints.readOnly || hints.idempotent)
      const offered = () => offers.catalog().tools.some((tool) => tool.name === name)
      return send({ method: "tools/call", params, repeatable, offered }, context)
    },
    close,
  }
}

const notStarted: FailedAttempt = {
  failure: { kind: "aborted", message: "was not started before the run was stopped" },
  stderrTail: null,
}

function notBack(lost: string): FailedAttempt {
  return { failure: { kind: "aborted", message: `${lost}; it was not back when the run ended` }, stderrTail: null }
}
