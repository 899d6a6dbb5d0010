import type { Emit } from "../contract/event.ts"
import type { JsonObject } from "../contract/json.ts"
import type { ServerConfig, ServerState } from "../contract/server.ts"
import { formatDuration } from "../util/duration.ts"
import { type Catalog, discover, emptyCatalog } from "./discover.ts"
import type { Failure } from "./failure.ts"
import { hintFor } from "./hint.ts"
import { openServer } from "./open-server.ts"
import { type HiddenTool, selectTools } from "./select-tools.ts"
import type { Answer, ClientIdentity, Session } from "./session.ts"

/** One server's life. Nothing here throws: a server that cannot be reached is a state. */
export interface Connection {
  readonly config: ServerConfig
  state(): ServerState
  /** What the server offers to the model, as of when it was last asked; kept when the connection is lost. */
  catalog(): Catalog
  hiddenTools(): readonly HiddenTool[]
  instructions(): string | null
  /** Connect, initialize and discover. Resolves when the server is connected or failed. */
  start(signal: AbortSignal): Promise<void>
  /** One request, within the time a call may take. */
  request(method: string, params: JsonObject, signal: AbortSignal): Promise<Answer>
  close(): Promise<void>
}

/** What connections share. */
export interface Surroundings {
  readonly emit: Emit
  readonly identity: ClientIdentity
  readonly env: Readonly<Record<string, string | undefined>>
}

/** A call that keeps reporting progress may take this many times its timeout. */
const progressFactor = 10
const pingTimeoutMs = 5000
const noiseLinesShown = 3
const noiseCharsShown = 200

/** The connection to one configured server, not started yet. */
export function createConnection(config: ServerConfig, { emit, identity, env }: Surroundings): Connection {
  const about = { server: config.name, transport: config.transport } as const
  let state: ServerState = { status: "pending" }
  let session: Session | null = null
  let catalog = emptyCatalog
  let hiddenTools: readonly HiddenTool[] = []
  let noiseLines = 0
  let starting: Promise<void> | null = null
  let closing = false

  async function connect(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return fail({ kind: "aborted", message: "was not started before the run was stopped" }, null)
    emit({ type: "server.connecting", ...about, state: "pending" })
    const startedAt = performance.now()
    try {
      const opened = await openServer(config, { identity, env, signal, onNoise, onClosed })
      if (!opened.ok) return fail(opened.failure, opened.stderrTail)
      session = opened.session
      const found = await discover(session, { timeoutMs: config.discoveryTimeoutMs, signal, warn })
      if (!found.ok) return await abandon(session, found.failure)
      const { offered, hidden } = selectTools(found.catalog.tools, config)
      catalog = { ...found.catalog, tools: offered }
      hiddenTools = hidden
    } catch (error) {
      return fail({ kind: "closed", message: `could not be started: ${textOf(error)}` }, null)
    }
    const connectMs = Math.round(performance.now() - startedAt)
    state = { status: "connected", connectMs }
    emit({
      type: "server.connected",
      ...about,
      state: "connected",
      tools: catalog.tools.length,
      resources: catalog.resources.length,
      prompts: catalog.prompts.length,
      connect_ms: connectMs,
      protocol_version: session.protocolVersion,
    })
  }

  async function abandon(opened: Session, failure: Failure): Promise<void> {
    const { channel } = opened
    const why = channel.whyClosed()
    const stderrTail = channel.stderrTail()
    await channel.dispose()
    if (why !== null) return fail({ kind: "closed", message: why }, stderrTail)
    if (failure.kind !== "timeout")
      return fail({ ...failure, message: `tools/list failed: ${failure.message}` }, stderrTail)
    fail(
      { ...failure, message: `did not list its tools within ${formatDuration(config.discoveryTimeoutMs)}` },
      stderrTail,
    )
  }

  function fail(failure: Failure, stderrTail: string | null): void {
    const error = describe(`${failure.message}${lastWords(stderrTail)}`)
    const status = failure.kind === "http" && failure.status === 401 ? "needs-auth" : "failed"
    state = { status, error }
    emit({
      type: "server.error",
      ...about,
      state: status,
      error,
      hint: hintFor(failure, config),
      stderr_tail: stderrTail,
    })
  }

  function onClosed(): void {
    const why = session?.channel.whyClosed() ?? "closed the connection"
    lose(`${why}${lastWords(session?.channel.stderrTail() ?? null)}`)
  }

  function lose(why: string): void {
    if (closing || state.status !== "connected") return
    const error = describe(why)
    state = { status: "failed", error }
    emit({ type: "server.disconnected", ...about, state: "failed", reason: "lost", detail: error })
  }

  async function request(method: string, params: JsonObject, signal: AbortSignal): Promise<Answer> {
    if (session === null || state.status !== "connected") return { ok: false, failure: unavailable(state) }
    const timeoutMs = config.toolTimeoutMs
    const answer = await session.request(method, params, { timeoutMs, totalMs: timeoutMs * progressFactor, signal })
    if (answer.ok) return answer
    await checkLife(session, answer.failure, signal)
    // The reason of the channel says more than "connection closed".
    return answer.failure.kind === "closed" ? { ok: false, failure: unavailable(state, answer.failure) } : answer
  }

  /** Over HTTP nobody tells us that a server is gone: after a suspicious failure, ask. */
  async function checkLife(asked: Session, failure: Failure, signal: AbortSignal): Promise<void> {
    if (failure.kind === "http" && failure.status === 404) return lose(failure.message)
    if (state.status !== "connected" || (failure.kind !== "network" && failure.kind !== "closed")) return
    const pong = await asked.request("ping", {}, { timeoutMs: pingTimeoutMs, totalMs: pingTimeoutMs, signal })
    if (!pong.ok && pong.failure.kind !== "protocol" && pong.failure.kind !== "aborted") lose(pong.failure.message)
  }

  async function close(): Promise<void> {
    if (closing) return
    closing = true
    await starting
    if (noiseLines > noiseLinesShown) warn(`wrote ${noiseLines} lines to stdout that are no JSON-RPC; all were ignored`)
    if (state.status === "connected") {
      emit({ type: "server.disconnected", ...about, state: "connected", reason: "run_end", detail: null })
    }
    await session?.channel.dispose()
  }

  function onNoise(line: string): void {
    noiseLines += 1
    if (noiseLines > noiseLinesShown) return
    warn(`wrote a line to stdout that is no JSON-RPC; it was ignored: ${line.slice(0, noiseCharsShown)}`)
  }

  function warn(message: string): void {
    emit({ type: "warning", code: "mcp_server", message: describe(message) })
  }

  function describe(text: string): string {
    return `MCP server "${config.name}": ${text}`
  }

  return {
    config,
    state: () => state,
    catalog: () => catalog,
    hiddenTools: () => hiddenTools,
    instructions: () => session?.instructions ?? null,
    start(signal) {
      starting ??= connect(signal)
      return starting
    },
    request,
    close,
  }
}

function unavailable(state: ServerState, failure?: Failure): Failure {
  if (state.status === "failed" || state.status === "needs-auth") return { kind: "closed", message: state.error }
  return failure ?? { kind: "closed", message: "not connected" }
}

function lastWords(stderrTail: string | null): string {
  const line = stderrTail?.trimEnd().split("\n").at(-1)?.trim()
  return line === undefined || line === "" ? "" : `; its last words: ${line.slice(0, noiseCharsShown)}`
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
