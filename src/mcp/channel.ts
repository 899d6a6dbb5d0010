import type { Transport } from "@modelcontextprotocol/client"
import type { ServerConfig } from "../contract/server.ts"

/** A way to one server: what the protocol client talks over, and what we know about it beside the protocol. */
export interface Channel {
  readonly transport: Transport
  /** When its process was started, on the clock of `performance`, where there is one. */
  readonly startedAt?: number
  /** May the client ask for a newer protocol first? Costs one request more. */
  readonly negotiation: Negotiation
  /** Why the channel closed by itself, in words that continue `MCP server "x": …`. */
  whyClosed(): string | null
  /** The last words on stderr, where there is one. */
  stderrTail(): string | null
  /** Let go of everything: processes, sockets, timers. Never throws. */
  dispose(): Promise<void>
}

/** How the protocol of a session is found: the handshake, a question first, or one revision and no other. */
export type Negotiation = "legacy" | "auto" | { readonly pin: string }

/** What `protocol` means for a transport: only over http is it cheap and safe to ask first. */
export function negotiationOf({ protocol, transport }: Pick<ServerConfig, "protocol" | "transport">): Negotiation {
  if (protocol === "auto") return transport === "http" ? "auto" : "legacy"
  return protocol === "legacy" ? "legacy" : { pin: protocol }
}
