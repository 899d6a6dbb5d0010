import { pathToFileURL } from "node:url"
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client"
import type { SdkServerConfig } from "../../contract/server.ts"
import { type Channel, negotiationOf } from "../channel.ts"
import { unsentError } from "../failure.ts"

/** What both generations of the server SDK have in common. */
interface EmbeddableServer {
  connect(transport: Transport): Promise<void>
  close(): Promise<void>
}

const closeMs = 1000

/** Run a server inside our own process: import its module, take its server, and connect the two directly. */
export async function openInProcessChannel(config: SdkServerConfig): Promise<Channel> {
  const server = await loadServer(config.module)
  const { ours, theirs } = createPair()
  let closedBecause: string | null = null
  const start = ours.start
  ours.start = async () => {
    await start()
    await server.connect(theirs)
    const onclose = theirs.onclose
    theirs.onclose = () => {
      closedBecause ??= "was closed"
      onclose?.()
    }
  }
  return {
    transport: ours,
    negotiation: negotiationOf(config),
    whyClosed: () => closedBecause,
    stderrTail: () => null,
    async dispose() {
      const patience = new Promise((resolve) => setTimeout(resolve, closeMs).unref())
      // The server is not ours: whatever it throws now, we have left.
      await Promise.race([server.close().catch(() => undefined), patience])
      await ours.close()
    },
  }
}

/** The export is `default`, or else `server`: a server, or a function that makes one. */
async function loadServer(path: string): Promise<EmbeddableServer> {
  const module: unknown = await import(pathToFileURL(path).href)
  const exported = propertyOf(module, "default") ?? propertyOf(module, "server")
  const server: unknown = typeof exported === "function" ? await exported() : exported
  if (isServer(server)) return server
  throw new Error(`${path} exports neither an MCP server nor a function that returns one, as default or as server`)
}

function propertyOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined
}

function isServer(value: unknown): value is EmbeddableServer {
  return typeof propertyOf(value, "connect") === "function" && typeof propertyOf(value, "close") === "function"
}

/** Two ends of one conversation. Messages are copied, so that neither side can reach into the other. */
function createPair(): { readonly ours: Transport; readonly theirs: Transport } {
  let closed = false
  const ours = createEnd(() => theirs)
  const theirs = createEnd(() => ours)
  return { ours, theirs }

  function createEnd(other: () => Transport): Transport {
    const end: Transport = {
      start: async () => undefined,
      async send(message: JSONRPCMessage) {
        if (closed) throw unsentError("the connection closed")
        const copy = structuredClone(message)
        queueMicrotask(() => other().onmessage?.(copy))
      },
      async close() {
        if (closed) return
        closed = true
        end.onclose?.()
        other().onclose?.()
      },
    }
    return end
  }
}
