import type { Client, StandardSchemaV1 } from "@modelcontextprotocol/client"
import { isJsonObject, type JsonObject } from "../contract/json.ts"
import type { Channel } from "./channel.ts"
import { startDeadline, unlessAborted } from "./deadline.ts"
import { type Failure, toFailure } from "./failure.ts"

/** What came of a request. */
export type Answer = { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly failure: Failure }

/** How long a request may take. Progress starts `timeoutMs` anew, `totalMs` ends it all the same. */
interface RequestLimits {
  readonly timeoutMs: number
  readonly totalMs: number
  readonly signal: AbortSignal
}

/** An initialized conversation with one server. Nothing here throws. */
export interface Session {
  readonly capabilities: JsonObject
  readonly instructions: string | null
  readonly protocolVersion: string | null
  readonly channel: Channel
  request(method: string, params: JsonObject, limits: RequestLimits): Promise<Answer>
}

/** Who we say we are. */
export interface ClientIdentity {
  readonly name: string
  readonly version: string
}

/** Load the protocol client: it is worth its time only when there is a server to talk to. */
export function loadSdk() {
  return import("@modelcontextprotocol/client")
}

/** Say hello over a channel: initialize, then the initialized notification. */
export async function openSession(
  channel: Channel,
  options: {
    readonly identity: ClientIdentity
    readonly signal: AbortSignal
    readonly onClosed: () => void
    /** The server announces that its tools, resources or prompts are others now. */
    readonly onChanged: () => void
  },
): Promise<{ readonly ok: true; readonly session: Session } | { readonly ok: false; readonly failure: Failure }> {
  const sdk = await loadSdk()
  const client = new sdk.Client(options.identity, {
    capabilities: {},
    versionNegotiation: { mode: channel.negotiation },
    jsonSchemaValidator: {
      getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
    },
  })
  client.onclose = options.onClosed
  for (const method of changeNotifications) client.setNotificationHandler(method, options.onChanged)
  try {
    await unlessAborted(client.connect(channel.transport, { timeout: unlimitedMs }), options.signal)
  } catch (error) {
    return { ok: false, failure: toFailure(error, sdk) }
  }
  subscribeToChanges(client)

  async function request(method: string, params: JsonObject, limits: RequestLimits): Promise<Answer> {
    const deadline = startDeadline(limits.totalMs, limits.signal)
    try {
      const result = await client.request({ method, params: { ...params } }, anything, {
        timeout: limits.timeoutMs,
        signal: deadline.signal,
        resetTimeoutOnProgress: true,
        // Without a handler the client asks for no progress, and none would count.
        onprogress: () => undefined,
      })
      return { ok: true, result }
    } catch (error) {
      if (limits.signal.aborted) return { ok: false, failure: { kind: "aborted", message: "the run was stopped" } }
      if (deadline.expired()) return { ok: false, failure: { kind: "timeout", message: "the time ran out" } }
      return { ok: false, failure: toFailure(error, sdk) }
    } finally {
      deadline.stop()
    }
  }

  const session: Session = {
    capabilities: asObject(client.getServerCapabilities()),
    instructions: client.getInstructions() ?? null,
    protocolVersion: client.getNegotiatedProtocolVersion() ?? null,
    channel,
    request,
  }
  return { ok: true, session }
}

const changeNotifications = [
  "notifications/tools/list_changed",
  "notifications/resources/list_changed",
  "notifications/prompts/list_changed",
] as const

/** Servers of the newer protocol announce changes only to those who subscribe; the older ones know no subscription. */
function subscribeToChanges(client: Client): void {
  const { tools, resources, prompts } = client.getServerCapabilities() ?? {}
  const filter = {
    ...(tools?.listChanged ? { toolsListChanged: true } : {}),
    ...(resources?.listChanged ? { resourcesListChanged: true } : {}),
    ...(prompts?.listChanged ? { promptsListChanged: true } : {}),
  }
  if (Object.keys(filter).length > 0) void client.listen(filter).catch(() => undefined)
}

/** The deadline of the start is ours: it also covers what the client does not time. */
const unlimitedMs = 2 ** 31 - 1

/** One odd block must not cost a whole result: we check what servers send ourselves, piece by piece. */
const anything: StandardSchemaV1<unknown, unknown> = {
  "~standard": { version: 1, vendor: "agent-run", validate: (value) => ({ value }) },
}

function asObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}
