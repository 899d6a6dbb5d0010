import type { RemoteServerConfig, SdkServerConfig, ServerConfig, StdioServerConfig } from "../contract/server.ts"
import { formatDuration } from "../util/duration.ts"
import type { Access } from "./auth/access.ts"
import type { Channel } from "./channel.ts"
import { type Deadline, startDeadline, unlessAborted } from "./deadline.ts"
import type { Failure } from "./failure.ts"
import { wantsCredentials } from "./life/retry.ts"
import type { ServerShare } from "./life/share.ts"
import type { StartedProcesses } from "./life/started-processes.ts"
import { openHttpChannel, openSseChannel } from "./remote-channel.ts"
import type { ServerDesk } from "./requests/server-desk.ts"
import { type ClientIdentity, loadSdk, openSession, type Session } from "./session.ts"
import { openStdioChannel } from "./stdio-channel.ts"
import { openInProcessChannel } from "./transport/in-process-channel.ts"
import { openWebSocketChannel } from "./transport/web-socket-channel.ts"

/** What opening a connection needs beside the server itself. */
export interface OpenOptions {
  readonly identity: ClientIdentity
  /** Answers what the server asks. */
  readonly desk: ServerDesk
  readonly env: Readonly<Record<string, string | undefined>>
  readonly access: Access
  readonly processes: StartedProcesses | null
  /** Servers that other runs use, too. */
  readonly share: ServerShare | null
  readonly signal: AbortSignal
  readonly onNoise: (line: string) => void
  readonly warn: (message: string) => void
  readonly onClosed: () => void
  readonly onChanged: () => void
}

/** A session, or why there is none. */
export type Opened =
  | { readonly ok: true; readonly session: Session }
  | { readonly ok: false; readonly failure: Failure; readonly stderrTail: string | null }

/** Start or reach a server and initialize it, within its one startup timeout. What fails leaves nothing behind. */
export async function openServer(config: ServerConfig, options: OpenOptions): Promise<Opened> {
  switch (config.transport) {
    case "stdio":
      return openStdio(config, options)
    case "http":
    case "sse":
    case "ws":
    case "url":
      return openRemembered(config, options)
    case "sdk":
      return openInProcess(config, options)
    default:
      return config satisfies never
  }
}

async function openStdio(config: StdioServerConfig, options: OpenOptions): Promise<Opened> {
  const channel = options.processes?.take(config, options.onNoise) ?? openStdioChannel(config, options.onNoise)
  // The server boots while the client loads; the time limit starts when both can talk.
  await loadSdk()
  return withDeadline(config, options, (deadline) => attempt(channel, deadline, options))
}

async function openInProcess(config: SdkServerConfig, options: OpenOptions): Promise<Opened> {
  return withDeadline(config, options, async (deadline) => {
    const channel = await unlessAborted(openInProcessChannel(config), deadline.signal).catch(toClosed)
    return "transport" in channel ? attempt(channel, deadline, options) : channel
  })
}

function toClosed(error: unknown): Extract<Opened, { ok: false }> {
  const message = `could not be started: ${error instanceof Error ? error.message : error}`
  return { ok: false, failure: { kind: "closed", message }, stderrTail: null }
}

/** A server that let nobody in a while ago is not asked again with the same credentials. */
async function openRemembered(config: RemoteServerConfig, options: OpenOptions): Promise<Opened> {
  const { memory } = options.access
  const since = (await memory?.since(config)) ?? null
  if (since !== null) return { ok: false, failure: rememberedFailure(since), stderrTail: null }
  const opened = await openRemote(config, options)
  if (opened.ok) await memory?.forget(config)
  else if (wantsCredentials(opened.failure)) await memory?.remember(config)
  return opened
}

function rememberedFailure(since: Date): Failure {
  const message = `needed authentication at ${since.toISOString()} and was not asked again`
  return { kind: "auth", message, hint: "Use --refresh-auth to ask it now, or give it other credentials." }
}

async function openRemote(config: RemoteServerConfig, options: OpenOptions): Promise<Opened> {
  const { env, warn, access } = options
  const around = { env, warn, authorizer: await access.authorizerOf(config) }
  return withDeadline(config, options, async (deadline) => {
    if (config.transport === "ws") return attempt(await openWebSocketChannel(config, around), deadline, options)
    if (config.transport === "sse") return attempt(await openSseChannel(config, around), deadline, options)
    const first = await attempt(await openHttpChannel(config, around), deadline, options)
    if (first.ok || config.transport !== "url" || !speaksOtherTransport(first.failure)) return first
    return attempt(await openSseChannel(config, around), deadline, options)
  })
}

/** A client error means "not like this"; these mean "not you", "not through here" or "not now". */
const finalStatuses = new Set([401, 403, 407, 408, 429])

function speaksOtherTransport(failure: Failure): boolean {
  if (failure.kind !== "http") return false
  return failure.status >= 400 && failure.status < 500 && !finalStatuses.has(failure.status)
}

async function withDeadline(
  config: ServerConfig,
  options: OpenOptions,
  open: (deadline: Deadline) => Promise<Opened>,
): Promise<Opened> {
  const deadline = startDeadline(config.startupTimeoutMs, options.signal)
  try {
    const opened = await open(deadline)
    if (opened.ok || !deadline.signal.aborted) return opened
    const failure: Failure = deadline.expired()
      ? { kind: "timeout", message: `did not answer initialize within ${formatDuration(config.startupTimeoutMs)}` }
      : { kind: "aborted", message: "was not connected before the run was stopped" }
    return { ...opened, failure }
  } finally {
    deadline.stop()
  }
}

async function attempt(channel: Channel, deadline: Deadline, options: OpenOptions): Promise<Opened> {
  const opened = await openSession(channel, { ...options, signal: deadline.signal })
  if (opened.ok) return opened
  const why = channel.whyClosed()
  const stderrTail = channel.stderrTail()
  await channel.dispose()
  return { ok: false, stderrTail, failure: why === null ? opened.failure : { kind: "closed", message: why } }
}
