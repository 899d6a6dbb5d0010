import type { JsonObject, JsonSchema } from "./json.ts"

/** Where a tool comes from; the loop never looks at it, reports and rules do. */
export type ToolOrigin =
  | { readonly kind: "builtin" }
  | { readonly kind: "custom" }
  | { readonly kind: "mcp"; readonly server: string; readonly tool: string }

/** What a tool says of itself. Hints may tighten a decision, never loosen one. */
export interface ToolHints {
  readonly readOnly: boolean
  readonly destructive: boolean
  readonly idempotent: boolean
  /** The tool says that it changes something, as opposed to saying nothing. */
  readonly writes?: boolean
}

/** What argument rules look at, beside the input itself. */
export type Subject =
  /** A file the call touches: `path` is relative to the workspace after realpath, with `/`; `inside` is false when it leaves the workspace. */
  | { readonly kind: "path"; readonly path: string; readonly inside: boolean }
  /** A shell line the call runs. */
  | { readonly kind: "command"; readonly line: string }
  /** An MCP resource the call reads; `listed` when a server listed it or one of its templates matches. */
  | { readonly kind: "resource"; readonly uri: string; readonly listed: boolean }

/** A part of a result that the model can see. */
export type ResultBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly mediaType: string; readonly data: string }
  /** A tool that was found. Where the API takes references, the model is shown its definition in this place. */
  | { readonly type: "tool_reference"; readonly tool: string }

/** Why a call has no good result; `null` in reports when it has one. */
export type CallErrorCode =
  | "denied"
  | "unknown_tool"
  | "invalid_input"
  | "tool_error"
  | "timeout"
  | "server_unavailable"
  | "protocol_error"
  | "not_run"
  | "aborted"

/** What a call gives back. A failing tool is a result with `isError`, never an exception. */
export interface ToolResult {
  readonly content: readonly ResultBlock[]
  readonly isError: boolean
  readonly errorCode?: CallErrorCode
  /** The call was not run but put into the plan, under this id. */
  readonly queuedAs?: string
  /** Structured output of an MCP tool, for the transcript. */
  readonly structured?: unknown
}

/** What a running call is given. */
export interface ToolContext {
  readonly signal: AbortSignal
  readonly callId: string
}

/** The one kind of tool the loop knows: built-in, custom and MCP tools are all this. */
export interface Tool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly origin: ToolOrigin
  readonly hints: ToolHints
  /** The tool that a custom tool calls, and the input it calls it with; that call is decided too. */
  readonly wraps?: { readonly tool: Tool; complete(input: JsonObject): JsonObject }
  subjects(input: JsonObject): readonly Subject[]
  execute(input: JsonObject, context: ToolContext): Promise<ToolResult>
}

/** The file and shell tools, in the order in which they are always offered. */
export const builtinToolNames = ["Read", "Write", "Edit", "Glob", "Grep", "Bash"] as const

/** The tools that find deferred tools. They only inform, so their calls are no work done. */
export const searchToolNames = ["mcp_tool_search", "mcp_tool_list"] as const

/** Every name that a tool of our own has or may get; no custom tool can have it. */
export const reservedToolNames: readonly string[] = [
  ...builtinToolNames,
  "ListMcpResources",
  "ReadMcpResource",
  ...searchToolNames,
  "Agent",
  "report_finding",
]

/** A result that is one text. */
export function textResult(text: string): ToolResult {
  return { content: [{ type: "text", text }], isError: false }
}

/** A failed result that tells the model what went wrong. */
export function errorResult(errorCode: CallErrorCode, text: string): ToolResult {
  return { content: [{ type: "text", text }], isError: true, errorCode }
}
