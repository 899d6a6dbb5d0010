import type { Client, StandardSchemaV1 } from "@modelcontextprotocol/client"
import { isJsonObject, type JsonObject } from "../contract/json.ts"
import type { Channel } from "./channel.ts"
import { startDeadline, unlessAborted } from "./deadline.ts"
import { type Failure, toFailure } from "./failure.ts"
import type { Progress } from "./requests/call-progress.ts"
import { answerInputs } from "./requests/input-rounds.ts"
import type { ServerDesk } from "./requests/server-desk.ts"

/** What came of a request. */
export type Answer = { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly failure: Failure }

/** What a request is given: when to stop, and where progress goes. */
export interface RequestContext {
  readonly signal: AbortSignal
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/** How long a request may take. Progress starts `timeoutMs` anew, `totalMs` ends it all the same. */
interface RequestLimits extends RequestContext {
  readonly timeoutMs: number
  readonly totalMs: number
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
    /** Answers what the server asks. */
    readonly desk: ServerDesk
    readonly signal: AbortSignal
    readonly onClosed: () => void
    /** The server announces that its tools, resources or prompts are others now. */
    readonly onChanged: () => void
  },
): Promise<{ readonly ok: true; readonly session: Session } | { readonly ok: false; readonly failure: Failure }> {
  const sdk = await loadSdk()
  const { desk } = options
  const client = new sdk.Client(options.identity, {
    capabilities: desk.capabilities,
    versionNegotiation: { mode: channel.negotiation },
    jsonSchemaValidator: {
      getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
    },
  })
  client.onclose = options.onClosed
  for (const method of changeNotifications) client.setNotificationHandler(method, options.onChanged)
  // Handlers for single methods would be held to what we declare; servers ask also for what we do not.
  client.fallbackRequestHandler = async ({ method, params }, { mcpReq }) => {
    const answer = await desk.answer(method, asObject(params), mcpReq.signal)
    if (!answer.ok) throw new sdk.ProtocolError(answer.code, answer.message)
    return answer.result
  }
  client.setNotificationHandler("notifications/message", { params: anything }, (params) => desk.log(asObject(params)))
  try {
    await unlessAborted(client.connect(channel.transport, { timeout: unlimitedMs }), options.signal)
  } catch (error) {
    return { ok: false, failure: toFailure(error, sdk) }
  }
  subscribeToChanges(client)

  let logLevel: JsonObject = {}

  async function request(method: string, params: JsonObject, limits: RequestLimits): Promise<Answer> {
    const deadline = startDeadline(limits.totalMs, limits.signal)
    const send = (sent: JsonObject) =>
      client.request({ method, params: { ...sent, ...logLevel } }, anything, {
        timeout: limits.timeoutMs,
        signal: deadline.signal,
        resetTimeoutOnProgress: true,
        allowInputRequired: true,
        // Without a handler the client asks for no progress, and none would count.
        onprogress: (progress) => limits.onProgress?.(progress),
      })
    try {
      let result = await send(params)
      for (let round = 1; sdk.isInputRequiredResult(result); round += 1) {
        if (round > maxRounds) return { ok: false, failure: endless }
        const next = await answerInputs(asObject(result), params, { answer: desk.answer, signal: deadline.signal })
        if (!next.ok) return { ok: false, failure: { kind: "protocol", code: next.code, message: next.message } }
        result = await send(next.params)
      }
      return { ok: true, result }
    } catch (error) {
      if (limits.signal.aborted) return { ok: false, failure: { kind: "aborted", message: "the run was stopped" } }
      if (deadline.expired()) return { ok: false, failure: { kind: "timeout", message: "the time ran out" } }
      return { ok: false, failure: toFailure(error, sdk) }
    } finally {
      deadline.stop()
    }
  }

  const capabilities = asObject(client.getServerCapabilities())
  if ("logging" in capabilities && client.getProtocolEra() === "modern") {
    logLevel = { _meta: { [sdk.LOG_LEVEL_META_KEY]: wantedLogLevel } }
  } else if ("logging" in capabilities) {
    // Nobody waits for it: a server that cannot do it logs what it likes.
    const { signal } = new AbortController()
    void request("logging/setLevel", { level: wantedLogLevel }, { timeoutMs: patienceMs, totalMs: patienceMs, signal })
  }
  const session: Session = {
    capabilities,
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

const wantedLogLevel = "info"
const patienceMs = 10_000

/** How often a server may ask before it answers. */
const maxRounds = 10
const endless: Failure = {
  kind: "protocol",
  code: null,
  message: `the server asked ${maxRounds} times for input and still gave no answer`,
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
