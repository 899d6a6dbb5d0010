import type { FetchLike, JSONRPCMessage, Transport, TransportSendOptions } from "@modelcontextprotocol/client"
import type { RemoteServerConfig } from "../contract/server.ts"
import type { Channel } from "./channel.ts"
import { unlessAborted } from "./deadline.ts"
import { brokenAnswer } from "./failure.ts"
import { loadSdk } from "./session.ts"

type Environment = Readonly<Record<string, string | undefined>>

const goodbyeMs = 1000

/** Reach a server over Streamable HTTP. Nothing is sent before the session opens. */
export async function openHttpChannel(config: RemoteServerConfig, env: Environment): Promise<Channel> {
  const { StreamableHTTPClientTransport } = await loadSdk()
  const network = await openNetwork(config, env)
  const transport = new StreamableHTTPClientTransport(new URL(config.url), {
    fetch: network.fetch,
    requestInit: { headers: { ...config.headers } },
  })
  answerBrokenStreams(transport)
  return {
    transport,
    negotiation: config.transport === "http" ? "auto" : "legacy",
    whyClosed: () => null,
    stderrTail: () => null,
    async dispose() {
      const goodbye = AbortSignal.timeout(goodbyeMs)
      await unlessAborted(transport.terminateSession(), goodbye).catch(ignoreGoodbye)
      await transport.close().catch(ignoreGoodbye)
      await network.close()
    },
  }
}

/** Reach a server over the older SSE transport: answers come over one stream, and when it ends the session is gone. */
export async function openSseChannel(config: RemoteServerConfig, env: Environment): Promise<Channel> {
  const { SSEClientTransport, SseError } = await loadSdk()
  const network = await openNetwork(config, env)
  const transport = new SSEClientTransport(new URL(config.url), {
    fetch: network.fetch,
    requestInit: { headers: { ...config.headers } },
  })
  const start = transport.start.bind(transport)
  let closedBecause: string | null = null
  let open = false
  transport.start = async () => {
    const receive = transport.onmessage
    transport.onmessage = (message) => {
      try {
        receive?.(message)
      } catch {
        // The client chokes on some messages nobody asked for; out of an event handler that would end the process.
      }
    }
    await start()
    open = true
  }
  transport.onerror = (error) => {
    if (!open || closedBecause !== null || !(error instanceof SseError)) return
    closedBecause = "ended its event stream"
    void transport.close()
  }
  return {
    transport,
    negotiation: "legacy",
    whyClosed: () => closedBecause,
    stderrTail: () => null,
    async dispose() {
      await transport.close().catch(ignoreGoodbye)
      await network.close()
    },
  }
}

interface Network {
  readonly fetch: FetchLike
  close(): Promise<void>
}

/** The built-in fetch cuts idle streams after five minutes and, on older Node, knows no proxy. */
async function openNetwork(config: RemoteServerConfig, env: Environment): Promise<Network> {
  const { EnvHttpProxyAgent, fetch } = await import("undici")
  const dispatcher = new EnvHttpProxyAgent({
    httpProxy: env.http_proxy ?? env.HTTP_PROXY ?? "",
    httpsProxy: env.https_proxy ?? env.HTTPS_PROXY ?? "",
    noProxy: env.no_proxy ?? env.NO_PROXY ?? "",
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const send = (url: string | URL, init: RequestInit) =>
    fetch(url, { ...init, dispatcher } as Parameters<typeof fetch>[1]) as unknown as Promise<Response>
  const answerTimeoutMs = Math.max(config.startupTimeoutMs, config.discoveryTimeoutMs, config.toolTimeoutMs)
  return {
    fetch: (url, init = {}) => ((init.method ?? "GET") === "GET" ? send(url, init) : sendTimed(send, url, init)),
    close: () => dispatcher.destroy(),
  }

  /** A GET is a stream that may be silent for hours; anything else must begin to answer in time. */
  async function sendTimed(request: typeof send, url: string | URL, init: RequestInit): Promise<Response> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(new Error("no answer in time")), answerTimeoutMs)
    const signal = init.signal ? AbortSignal.any([init.signal, late.signal]) : late.signal
    try {
      return await request(url, { ...init, signal })
    } finally {
      clearTimeout(timer)
    }
  }
}

/** An answer that breaks off would leave its call waiting for the timeout: answer it with an error instead. */
function answerBrokenStreams(transport: Transport): void {
  const send = transport.send.bind(transport)
  transport.send = (message: JSONRPCMessage, options?: TransportSendOptions) => {
    if (!("method" in message) || !("id" in message)) return send(message, options)
    const onRequestStreamEnd = () => {
      options?.onRequestStreamEnd?.()
      // The client drops this as a duplicate when the answer was complete.
      transport.onmessage?.({ jsonrpc: "2.0", id: message.id, error: brokenAnswer })
    }
    return send(message, { ...options, onRequestStreamEnd })
  }
}

/** The server may be gone already: leaving is complete with or without its consent. */
function ignoreGoodbye(): void {}
