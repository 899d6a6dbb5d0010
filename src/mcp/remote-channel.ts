import type { JSONRPCMessage, Transport, TransportSendOptions } from "@modelcontextprotocol/client"
import type { RemoteServerConfig } from "../contract/server.ts"
import { createAuthorizedFetch } from "./auth/authorized-fetch.ts"
import type { Authorizer } from "./auth/authorizer.ts"
import { type Channel, negotiationOf } from "./channel.ts"
import { unlessAborted } from "./deadline.ts"
import { brokenAnswer } from "./failure.ts"
import { loadSdk } from "./session.ts"
import { type Network, openNetwork } from "./transport/network.ts"
import { mirrorParameters } from "./transport/parameter-headers.ts"

/** What a way to a remote server needs beside its configuration. */
export interface RemoteSurroundings {
  /** Where proxy variables are read from. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Who gets the tokens for the server, if anybody. */
  readonly authorizer: Authorizer | null
  readonly warn: (message: string) => void
}

const goodbyeMs = 1000

/** Reach a server over Streamable HTTP. Nothing is sent before the session opens. */
export async function openHttpChannel(config: RemoteServerConfig, around: RemoteSurroundings): Promise<Channel> {
  const { StreamableHTTPClientTransport } = await loadSdk()
  const network = await openNetwork(config, around.env)
  const transport = new StreamableHTTPClientTransport(new URL(config.url), {
    fetch: fetchOf(network, config, around),
    redirectPolicy: "same-origin",
    requestInit: { headers: { ...config.headers } },
  })
  answerBrokenStreams(transport)
  mirrorParameters(transport, around.warn)
  return {
    transport,
    negotiation: negotiationOf(config),
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
export async function openSseChannel(config: RemoteServerConfig, around: RemoteSurroundings): Promise<Channel> {
  const { SSEClientTransport, SseError } = await loadSdk()
  const network = await openNetwork(config, around.env)
  const transport = new SSEClientTransport(new URL(config.url), {
    fetch: fetchOf(network, config, around),
    redirectPolicy: "same-origin",
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
    negotiation: negotiationOf({ ...config, transport: "sse" }),
    whyClosed: () => closedBecause,
    stderrTail: () => null,
    async dispose() {
      await transport.close().catch(ignoreGoodbye)
      await network.close()
    },
  }
}

function fetchOf({ fetch }: Network, { url }: RemoteServerConfig, { authorizer }: RemoteSurroundings) {
  return authorizer === null ? fetch : createAuthorizedFetch(fetch, authorizer, url)
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
