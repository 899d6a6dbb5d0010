import type { Transport } from "@modelcontextprotocol/client"

/** A way to one server: what the protocol client talks over, and what we know about it beside the protocol. */
export interface Channel {
  readonly transport: Transport
  /** May the client ask for a newer protocol first? Costs one request more. */
  readonly negotiation: "legacy" | "auto"
  /** Why the channel closed by itself, in words that continue `MCP server "x": …`. */
  whyClosed(): string | null
  /** The last words on stderr, where there is one. */
  stderrTail(): string | null
  /** Let go of everything: processes, sockets, timers. Never throws. */
  dispose(): Promise<void>
}
