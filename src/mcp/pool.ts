import { setMaxListeners } from "node:events"
import type { McpSettings } from "../contract/config.ts"
import type { Emit } from "../contract/event.ts"
import type { DisabledServer, ServerConfig, ServerState } from "../contract/server.ts"
import type { Tool } from "../contract/tool.ts"
import { type AccessOptions, createAccess } from "./auth/access.ts"
import { type Connection, createConnection } from "./connection.ts"
import { cutText } from "./cut-text.ts"
import { startDeadline, unlessAborted } from "./deadline.ts"
import type { DeadLetters } from "./life/dead-letters.ts"
import type { ServerShare } from "./life/share.ts"
import type { StartedProcesses } from "./life/started-processes.ts"
import type { RequestSources } from "./requests/server-desk.ts"
import { createResourceTools } from "./resources.ts"
import type { ClientIdentity } from "./session.ts"
import { createToolTable, type HiddenMcpTool } from "./tool-table.ts"

/** Everything a pool of servers is made of. */
export interface PoolOptions {
  readonly servers: readonly ServerConfig[]
  readonly disabled: readonly DisabledServer[]
  readonly settings: McpSettings
  readonly emit: Emit
  readonly client: ClientIdentity
  /** Where proxy variables for remote servers are read from. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where calls go that failed for good. Default: nowhere. */
  readonly deadLetters?: DeadLetters
  /** What the requests of servers are answered from. Without it they have neither a root nor a model. */
  readonly requests?: RequestSources
  /** What servers that ask for authentication are offered; nothing but their configuration by default. */
  readonly access?: AccessOptions
  /** Servers whose processes run already. Default: none. */
  readonly processes?: StartedProcesses
  /** Where servers that are shared are kept. Default: this pool has them for itself. */
  readonly share?: ServerShare
}

/** All MCP servers of a run. */
export interface Pool extends AsyncDisposable {
  /** Connect all servers, a few at a time. Never throws; a second call waits for the first. */
  start(signal: AbortSignal): Promise<void>
  /** The tools of connected servers, in the order of the configuration and of each server. */
  tools(): readonly Tool[]
  /** Tools that were offered before: a call to one waits for its server, or says that it was withdrawn. */
  absentTools(): readonly Tool[]
  hiddenTools(): readonly HiddenMcpTool[]
  /** ListMcpResources and ReadMcpResource; none when no server is configured. */
  resourceTools(): readonly Tool[]
  states(): readonly {
    readonly name: string
    readonly transport: string
    readonly required: boolean
    readonly state: ServerState
  }[]
  /** Each server that is to be connected, with its state and all that it offers. */
  connections(): readonly Connection[]
  /** The instructions of connected servers, held to the same limit as descriptions. */
  instructions(): readonly { readonly server: string; readonly text: string }[]
  /** Wait for lost servers and changed lists: for required servers to the end, for all else a moment. Never throws. */
  settle(signal: AbortSignal): Promise<void>
  /** Required servers that are not connected and are not coming back, and why. */
  missingRequired(): readonly { readonly name: string; readonly error: string }[]
  /** Close all servers together; also ends a start that is still going on. */
  close(): Promise<void>
}

/** How long a turn waits for a server that is not required: a list of tools that stays the same keeps the prompt cache. */
const patienceMs = 2000

/** The pool of a run's servers, not started yet. */
export function createPool(options: PoolOptions): Pool {
  const { disabled, settings, emit, deadLetters = null, requests = null, processes = null, share = null } = options
  const { retry, descriptionLimit } = settings
  const access = createAccess(options.access ?? {})
  const surroundings = { emit, identity: options.client, env: options.env, retry, requests, access, processes, share }
  const connections = options.servers.map((server) => createConnection(server, surroundings))
  const table = createToolTable(connections, { descriptionLimit, deadLetters, emit })
  const stop = new AbortController()
  // Every server that is connecting listens, and there may be many.
  setMaxListeners(0, stop.signal)
  let started: Promise<void> | null = null
  let closed: Promise<void> | null = null

  async function connectAll(signal: AbortSignal): Promise<void> {
    signal.addEventListener("abort", () => stop.abort(signal.reason), { once: true })
    if (signal.aborted) stop.abort(signal.reason)
    for (const server of disabled) {
      const about = { server: server.name, transport: server.transport, state: "disabled" } as const
      emit({ type: "server.disconnected", ...about, reason: "not_started", detail: server.why })
    }
    const [local, remote] = [connections.filter(isLocal), connections.filter((connection) => !isLocal(connection))]
    const connect = (connection: Connection) => connection.start(stop.signal)
    await Promise.all([
      forEachAtMost(settings.localConcurrency, local, connect),
      forEachAtMost(settings.remoteConcurrency, remote, connect),
    ])
    // Names are given to all at once, before any server can be lost again.
    table.offered()
  }

  async function settle(signal: AbortSignal): Promise<void> {
    const deadline = startDeadline(patienceMs, signal)
    const until = async (work: Promise<void> | null, end: AbortSignal) => {
      // Whoever waited in vain goes on with what there is.
      if (work !== null) await unlessAborted(work, end).catch(() => undefined)
    }
    await Promise.all(
      connections.map(async (connection) => {
        await until(connection.returning(), connection.config.required ? signal : deadline.signal)
        await until(connection.refreshing(), deadline.signal)
      }),
    )
    deadline.stop()
  }

  async function closeAll(): Promise<void> {
    stop.abort(new Error("the run was stopped"))
    await Promise.all([started, ...connections.map((connection) => connection.close())])
  }

  const close = () => {
    closed ??= closeAll()
    return closed
  }

  return {
    start(signal) {
      started ??= connectAll(signal)
      return started
    },
    tools: table.offered,
    absentTools: table.absent,
    hiddenTools: table.hidden,
    resourceTools: () => (connections.length === 0 ? [] : createResourceTools(connections, descriptionLimit)),
    states: () => [
      ...connections.map((connection) => ({ ...summaryOf(connection.config), state: connection.state() })),
      ...disabled.map((server) => ({ ...summaryOf(server), state: { status: "disabled", why: server.why } as const })),
    ],
    connections: () => connections,
    instructions: () =>
      connections.filter(isConnected).flatMap((connection) => {
        const text = connection.instructions()?.trim()
        return text ? [{ server: connection.config.name, text: cutText(text, descriptionLimit) }] : []
      }),
    missingRequired: () => [
      ...connections
        .filter((connection) => connection.config.required && isMissing(connection))
        .map((connection) => ({ name: connection.config.name, error: errorOf(connection) })),
      ...disabled
        .filter(({ required }) => required)
        .map(({ name, why }) => ({ name, error: `MCP server "${name}": ${why}` })),
    ],
    settle,
    close,
    [Symbol.asyncDispose]: close,
  }
}

function isLocal(connection: Connection): boolean {
  return connection.config.transport === "stdio" || connection.config.transport === "sdk"
}

function isMissing(connection: Connection): boolean {
  return connection.state().status !== "connected" && connection.returning() === null
}

function isConnected(connection: Connection): boolean {
  return connection.state().status === "connected"
}

function summaryOf({ name, transport, required }: ServerConfig | DisabledServer) {
  return { name, transport, required }
}

function errorOf(connection: Connection): string {
  const state = connection.state()
  return "error" in state ? state.error : `MCP server "${connection.config.name}": not connected`
}

/** Work through a list with a sliding window. */
async function forEachAtMost<Item>(
  limit: number,
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values()
  const workers = Array.from({ length: Math.max(1, limit) }, async () => {
    for (const item of queue) await work(item)
  })
  await Promise.all(workers)
}
