import { isJsonObject } from "../contract/json.ts"
import type { ApiClient, ServerEvent } from "./api-client.ts"
import {
  brokenStream,
  type Fault,
  faultOfContentType,
  faultOfErrorEvent,
  faultOfExpiry,
  faultOfResponse,
} from "./fault.ts"
import { faultOfNetworkError } from "./network-fault.ts"
import { createReplyBuilder, type ReplyBuilder, type StreamedReply } from "./reply.ts"
import type { ModelWaits } from "./retry.ts"
import { startWatch, type Watch } from "./watch.ts"

/** What one attempt gave: a whole reply, or a fault and the text that came before it. */
export type AttemptResult =
  | { readonly kind: "reply"; readonly reply: StreamedReply }
  | { readonly kind: "fault"; readonly fault: Fault; readonly partialText: string | null }

/** Send one request once. Never throws, never waits for ever, never hands out half a message. */
export async function attempt(options: {
  readonly client: ApiClient
  readonly endpoint: string
  readonly body: Uint8Array
  readonly signal: AbortSignal
  readonly waits: Pick<ModelWaits, "firstByteMs" | "idleMs" | "requestMs">
  /** What is left of the request's time. */
  readonly deadlineMs: number
  /** Told the headers of whatever answers. */
  readonly heard: (headers: Headers) => void
}): Promise<AttemptResult> {
  const { waits } = options
  const watch = startWatch({ ...waits, signal: options.signal, deadlineMs: options.deadlineMs })
  const builder = createReplyBuilder()
  const received = await Promise.race([receive(options.client, { ...options, watch, builder }), watch.expired])
  watch.close()
  const expiry = watch.expiry()
  const result = builder.finish()
  if (result.kind === "whole" && expiry !== "aborted") return { kind: "reply", reply: result.reply }

  const partialText = builder.partialText()
  if (expiry !== null) return { kind: "fault", fault: faultOfExpiry(expiry, waits), partialText }
  const why = result.kind === "broken" ? result.why : "it was aborted"
  return { kind: "fault", fault: received ?? brokenStream(why), partialText }
}

interface Exchange {
  readonly body: Uint8Array
  readonly endpoint: string
  readonly watch: Watch
  readonly builder: ReplyBuilder
  readonly heard: (headers: Headers) => void
}

/** Fill the builder; `null` when the stream came to its end. */
async function receive(client: ApiClient, { body, endpoint, watch, builder, heard }: Exchange): Promise<Fault | null> {
  let response: Response
  try {
    response = await client.open(body, watch)
    heard(response.headers)
  } catch (error) {
    heard(headersOf(error))
    return faultOfOpening(error, endpoint)
  }
  try {
    if (!/^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "")) {
      return faultOfContentType(response.status, await response.text(), endpoint)
    }
    for await (const event of client.events(response)) {
      const fault = takeEvent(event, builder)
      if (fault !== null) return fault
      if (event.event === "message_stop") watch.sawWholeMessage()
    }
    return null
  } catch (error) {
    return brokenStream(faultOfNetworkError(error, endpoint).message)
  }
}

function takeEvent({ event, data }: ServerEvent, builder: ReplyBuilder): Fault | null {
  if (event === null || event === "ping" || data === "") return null
  const parsed = parseJson(data)
  if (event === "error") return faultOfErrorEvent(parsed ?? data)
  if (!isJsonObject(parsed)) return brokenStream(`the data of a ${event} event is not JSON`)
  builder.take(parsed)
  return null
}

/** The SDK throws one error for a response (with `status`, `headers` and the parsed `error`) and others for the network. */
function faultOfOpening(error: unknown, endpoint: string): Fault {
  if (!(error instanceof Error) || !("status" in error) || typeof error.status !== "number") {
    return faultOfNetworkError(error, endpoint)
  }
  const headers = headersOf(error)
  const body = "error" in error ? error.error : undefined
  return faultOfResponse({ status: error.status, headers, body: body ?? withoutStatus(error.message) }, endpoint)
}

function headersOf(error: unknown): Headers {
  const known = error instanceof Error && "headers" in error ? error.headers : null
  return known instanceof Headers ? known : new Headers()
}

/** For a body that is no JSON the SDK's message is the status and the body. */
function withoutStatus(message: string): string {
  return message.replace(/^\d{3} (status code \(no body\))?/, "")
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Both callers have their own answer to data that is no JSON.
    return undefined
  }
}
