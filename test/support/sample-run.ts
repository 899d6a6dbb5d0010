import type { RunEventBody } from "../../src/contract/event.ts"
import { reply, runEnd, runStart, serverConnected, serverError, toolCall, toolResult } from "./run-events.ts"

const denial = { action: "deny", rule: "mcp__fs__*", source: "agent.toml:14" } as const
const refused = { state: "denied", ok: false, duration_ms: 0, error_code: "denied" } as const
const failed = { state: "error", ok: false, duration_ms: 60_000, error_code: "timeout" } as const
const unknown = { state: "error", ok: false, duration_ms: 0, error_code: "unknown_tool" } as const

/** A run in which everything happens once: servers in every state, calls of every kind, a retry, a warning, a limit. */
export const sampleRun: readonly RunEventBody[] = [
  runStart(),
  { type: "warning", code: "dead_rule", message: "rule mcp__x__* matches no tool" },
  {
    type: "server.disconnected",
    server: "off",
    transport: "http",
    state: "disabled",
    reason: "not_started",
    detail: "enabled = false",
  },
  { type: "server.connecting", server: "fs", transport: "stdio", state: "pending" },
  { type: "server.connecting", server: "gh", transport: "stdio", state: "pending" },
  serverConnected("fs"),
  serverError("gh", "spawn gh-mcp ENOENT"),
  { type: "turn.start", turn: 1, kind: "work" },
  { type: "retry", what: "model", attempt: 2, delay_ms: 500, error: "529 overloaded" },
  reply("Reading.", { stop_reason: "tool_use" }),
  toolCall("c1"),
  toolCall("c2", { tool: "mcp__fs__write", server: "fs", decision: denial }),
  toolCall("c3", { tool: "mcp__fs__slow", server: "fs" }),
  toolCall("c4", { tool: "made_up", decision: null }),
  toolResult("c1"),
  toolResult("c2", { tool: "mcp__fs__write", server: "fs", ...refused }),
  toolResult("c4", { tool: "made_up", ...unknown, content: [{ type: "text", text: "no such tool" }] }),
  toolResult("c3", {
    tool: "mcp__fs__slow",
    server: "fs",
    ...failed,
    content: [{ type: "text", text: "no answer in 60 s" }],
  }),
  {
    type: "finding",
    call_id: "c1",
    file: "src/a.ts",
    line: 7,
    level: "warning",
    rule: "unused",
    message: "a is never read",
  },
  { type: "turn.start", turn: 2, kind: "work" },
  reply("Done."),
  { type: "limit", limit: "max_turns", allowed: 2, used: 2 },
  { type: "turn.start", turn: 3, kind: "summary" },
  { type: "server.disconnected", server: "fs", transport: "stdio", state: "pending", reason: "run_end", detail: null },
  runEnd({ files_changed: [{ path: "docs/a.md", added: 3, removed: 1 }] }),
]
