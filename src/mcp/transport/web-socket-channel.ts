import type { IncomingMessage } from "node:http"
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client"
import type { WebSocket } from "ws"
import type { RemoteServerConfig } from "../../contract/server.ts"
import { type Channel, negotiationOf } from "../channel.ts"
import { unsentError } from "../failure.ts"
import { parseMessages } from "../json-rpc.ts"
import type { RemoteSurroundings } from "../remote-channel.ts"
import { openNetwork } from "./network.ts"

const maxMessageBytes = 10 * 1024 * 1024
const goodbyeMs = 1000

/** Reach a server over a WebSocket with the subprotocol `mcp`: one message of JSON-RPC in each frame. */
export async function openWebSocketChannel(config: RemoteServerConfig, around: RemoteSurroundings): Promise<Channel> {
  const { WebSocket } = await import("ws")
  let socket: WebSocket | null = null
  let connecting: WebSocket | null = null
  let closedBecause: string | null = null
  let disposed = false
  const transport: Transport = { start, send, close: dispose }

  async function start(): Promise<void> {
    const opened = await openSocket()
    if (disposed) {
      opened.terminate()
      throw new Error("the connection closed")
    }
    socket = opened
    opened.on("message", (data, isBinary) => receive(isBinary ? "" : data.toString()))
    opened.on("close", (code, reason) => end(describeClose(code, reason.toString())))
    opened.on("error", (error) => end(`broke the connection: ${error.message}`))
  }

  /** The token is sent with the handshake, so a refused handshake is answered by another one. */
  async function openSocket(): Promise<WebSocket> {
    const { authorizer } = around
    if (authorizer === null) return connect(null)
    const network = await openNetwork(config, around.env)
    try {
      const token = await authorizer.token(network.fetch)
      return await connect(token).catch(async (error: unknown) => {
        const response = refusedHandshakes.get(Object(error))
        if (response === undefined || !(await authorizer.answer({ response, token }, network.fetch))) throw error
        return connect(await authorizer.token(network.fetch))
      })
    } finally {
      await network.close()
    }
  }

  function connect(token: string | null): Promise<WebSocket> {
    const headers = { ...config.headers, ...(token === null ? {} : { authorization: `Bearer ${token}` }) }
    const candidate = new WebSocket(config.url, "mcp", {
      headers,
      maxPayload: maxMessageBytes,
      handshakeTimeout: config.startupTimeoutMs,
      followRedirects: false,
      perMessageDeflate: false,
    })
    connecting = candidate
    return new Promise((resolve, reject) => {
      candidate.once("open", () => resolve(candidate))
      candidate.once("error", reject)
      candidate.once("unexpected-response", (_, response) => {
        reject(toHandshakeError(response))
        candidate.terminate()
      })
    })
  }

  function receive(text: string): void {
    const messages = parseMessages(text) ?? []
    for (const message of messages) {
      try {
        transport.onmessage?.(message)
      } catch {
        // The client chokes on some messages nobody asked for; out of an event handler that would end the process.
      }
    }
  }

  function send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      if (socket === null || closedBecause !== null) {
        reject(unsentError(closedBecause ?? "the connection is not open"))
        return
      }
      socket.send(JSON.stringify(message), (error) => (error ? reject(error) : resolve()))
    })
  }

  function end(because: string): void {
    if (closedBecause !== null) return
    closedBecause = because
    socket?.terminate()
    transport.onclose?.()
  }

  async function dispose(): Promise<void> {
    disposed = true
    const open = socket
    if (open === null) connecting?.terminate()
    if (open === null || open.readyState === WebSocket.CLOSED) return end("was closed")
    const patience = setTimeout(() => open.terminate(), goodbyeMs)
    await new Promise<void>((resolve) => {
      open.once("close", () => resolve())
      open.close(1000)
    })
    clearTimeout(patience)
    end("was closed")
  }

  return {
    transport,
    negotiation: negotiationOf(config),
    whyClosed: () => closedBecause,
    stderrTail: () => null,
    dispose,
  }
}

/** What the servers answered that refused a handshake, by the error it became. */
const refusedHandshakes = new WeakMap<object, Response>()

function toHandshakeError({ statusCode = 500, statusMessage, headers }: IncomingMessage): Error {
  const error = new Error(`HTTP ${statusCode} ${statusMessage ?? ""} instead of a WebSocket (HTTP ${statusCode})`)
  const challenge = new Headers({ "www-authenticate": headers["www-authenticate"] ?? "" })
  if (statusCode >= 400) refusedHandshakes.set(error, new Response(null, { status: statusCode, headers: challenge }))
  return error
}

function describeClose(code: number, reason: string): string {
  if (code === 1009) return `sent a message longer than ${maxMessageBytes / 1024 / 1024} MiB and was closed`
  return `closed the WebSocket with code ${code}${reason === "" ? "" : `: ${reason.slice(0, 200)}`}`
}
