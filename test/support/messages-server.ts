/**
 * A Messages API server on loopback, with real HTTP and real server-sent events, for tests of the model and of the
 * built CLI. It answers from a list, one reply a request, or from a function, and remembers every request.
 *
 *     const server = await startMessagesServer([
 *       answer([text("I look first."), toolUse("Read", { file_path: "a.txt" })]),
 *       answer([text("Done.")]),
 *     ])
 *     run the CLI with server.env   // ANTHROPIC_BASE_URL and ANTHROPIC_API_KEY
 *     expect(server.requests).toHaveLength(2)
 *     await server.close()
 *
 * Replies that work:   answer(blocks, options?)
 * Replies that do not: errorReply(status, …) · htmlReply(status?) · redirectTo(url) · errorEvent(type?) · silence()
 *                      · hangUp() · brokenAnswer(blocks, how) where `how` is what happens in the middle of the last block:
 *                      "reset", "end", "stall", "pings", "drip", "error"
 * forever(reply) repeats it for every request from there on. A request beyond the list is answered 400, which nobody retries.
 */
import { randomUUID } from "node:crypto"
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import { type AnswerOptions, type Block, blockEvents, headEvents, sse, tailEvents } from "./message-events.ts"

/** The JSON of a request, as far as tests look into it; empty when the request had none. */
interface WireBody {
  readonly model?: string
  readonly max_tokens?: number
  readonly system?: readonly Block[]
  readonly tools: readonly { readonly name: string; readonly description: string; readonly input_schema: object }[]
  readonly messages: readonly { readonly role: string; readonly content: readonly Block[] }[]
}

/** One request as it arrived. `body` is the parsed JSON; `raw` the bytes as text. */
interface RecordedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: WireBody
  readonly raw: string
}

/** What a reply can use: the request, the response, and a signal for the client having gone. */
interface Exchange {
  readonly request: RecordedRequest
  readonly response: ServerResponse
  readonly gone: AbortSignal
}

/** Answers one request in whatever way. */
export type Reply = ((exchange: Exchange) => void | Promise<void>) & { readonly repeats?: boolean }

/** Chooses the reply to the request with this index, from 0. */
export type Handler = (request: RecordedRequest, index: number) => Reply

/** A running server. */
export interface MessagesServer {
  readonly url: string
  /** What points the CLI here. */
  readonly env: { readonly ANTHROPIC_BASE_URL: string; readonly ANTHROPIC_API_KEY: string }
  readonly requests: readonly RecordedRequest[]
  /** TCP connections so far, also those that never became a request. */
  connections(): number
  /** How often a connection was opened ahead of its first request; these are in no list of requests. */
  heads(): number
  close(): Promise<void>
}

/** Start on a free port of 127.0.0.1. */
export async function startMessagesServer(replies: readonly Reply[] | Handler): Promise<MessagesServer> {
  const requests: RecordedRequest[] = []
  let connections = 0
  let heads = 0
  const choose = typeof replies === "function" ? replies : fromList(replies)
  const server = createServer(async (incoming, response) => {
    const gone = new AbortController()
    response.on("close", () => gone.abort())
    response.on("error", () => gone.abort())
    // Somebody opens the connection before there is a request.
    if (incoming.method === "HEAD") {
      heads += 1
      response.writeHead(404).end()
      return
    }
    const request = await record(incoming)
    const index = requests.push(request) - 1
    // A reply that is cut short by the client leaving is no error of the test.
    await Promise.resolve(choose(request, index)({ request, response, gone: gone.signal })).catch((error: unknown) => {
      if (!gone.signal.aborted) throw error
    })
  })
  server.on("connection", () => {
    connections += 1
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "sk-ant-test-0123456789" },
    requests,
    connections: () => connections,
    heads: () => heads,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** A text block. */
export const text = (value: string): Block => ({ type: "text", text: value })

/** A call. */
export const toolUse = (name: string, input: object, id = `toolu_${randomUUID().slice(0, 8)}`): Block => ({
  type: "tool_use",
  id,
  name,
  input,
})

/** A thinking block with its signature. */
export const thinking = (value: string, signature = "c2lnbmF0dXJl"): Block => ({
  type: "thinking",
  thinking: value,
  signature,
})

/** A whole, good answer. */
export function answer(blocks: readonly Block[], options: AnswerOptions = {}): Reply {
  return async ({ request, response }) => {
    const events = [
      ...headEvents(request.body.model, options),
      ...blocks.flatMap(blockEvents(options)),
      ...tailEvents(blocks, options),
    ]
    openStream(response)
    await write(response, events.join(""))
    if (!options.staysOpen) response.end()
  }
}

/** The answer until the middle of its last block, then this. Pings and drips come every few milliseconds, for ever. */
export function brokenAnswer(
  blocks: readonly Block[],
  how: "reset" | "end" | "stall" | "pings" | "drip" | "error",
  options: AnswerOptions = {},
): Reply {
  return async ({ request, response, gone }) => {
    const events = blocks.flatMap(blockEvents({ chunk: 4, ...options }))
    const lastBlock = events.slice(events.findLastIndex((event) => event.startsWith("event: content_block_start")))
    const sent = events.slice(0, events.length - Math.ceil(lastBlock.length / 2))
    openStream(response)
    await write(response, [...headEvents(request.body.model, options), ...sent].join(""))
    switch (how) {
      case "reset":
        response.socket?.resetAndDestroy()
        return
      case "end":
        response.end()
        return
      case "stall":
        return
      case "error":
        response.end(errorText("overloaded_error"))
        return
      case "pings":
      case "drip":
        while (!gone.aborted) {
          const delta = { type: "text_delta", text: "." }
          const drop = sse("content_block_delta", { index: blocks.length - 1, delta })
          await write(response, how === "pings" ? sse("ping", {}) : drop)
          await pause(3)
        }
        return
      default:
        throw new Error(`unknown break ${how satisfies never}`)
    }
  }
}

/** An error as the API sends it, such as `errorReply(529, "overloaded_error")`. */
export function errorReply(
  status: number,
  type: string,
  options: { readonly message?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Reply {
  return ({ response }) => {
    response.writeHead(status, { "content-type": "application/json", ...options.headers })
    response.end(JSON.stringify({ type: "error", error: { type, message: options.message ?? `this is a ${type}` } }))
  }
}

/** What a proxy or a captive portal sends. */
export function htmlReply(status = 200, html = "<!DOCTYPE html><html><body>Please log in to the guest network"): Reply {
  return ({ response }) => {
    response.writeHead(status, { "content-type": "text/html" })
    response.end(html)
  }
}

/** A redirect that keeps method and body. */
export function redirectTo(location: string, status = 307): Reply {
  return ({ response }) => {
    response.writeHead(status, { location })
    response.end()
  }
}

/** A stream whose first event is an error. */
export function errorEvent(type = "overloaded_error"): Reply {
  return ({ response }) => {
    openStream(response)
    response.end(errorText(type))
  }
}

/** The request is read and nothing is ever answered. */
export function silence(): Reply {
  return () => {}
}

/** The connection is reset before any byte of an answer. */
export function hangUp(): Reply {
  return ({ response }) => {
    response.socket?.resetAndDestroy()
  }
}

/** This reply for every request from here on. */
export function forever(reply: Reply): Reply {
  return Object.assign((exchange: Exchange) => reply(exchange), { repeats: true })
}

/** Status and headers of a stream. */
function openStream(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "request-id": "req_test" })
}

function fromList(replies: readonly Reply[]): Handler {
  const none = (index: number) =>
    errorReply(400, "invalid_request_error", { message: `the test server has no reply for request ${index + 1}` })
  return (_request, index) => {
    const last = replies.at(-1)
    return replies[index] ?? (last?.repeats ? last : none(index))
  }
}

async function record(incoming: IncomingMessage): Promise<RecordedRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  const raw = Buffer.concat(chunks).toString("utf8")
  const { method = "", url: path = "", headers } = incoming
  return {
    method,
    path,
    headers,
    raw,
    body: { tools: [], messages: [], ...(raw.startsWith("{") ? JSON.parse(raw) : {}) },
  }
}

function errorText(type: string): string {
  return sse("error", { error: { type, message: `this is a ${type}` } })
}

function write(response: ServerResponse, chunk: string): Promise<void> {
  return new Promise((resolve) => response.write(chunk, () => resolve()))
}
