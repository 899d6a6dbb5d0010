import type { Emit } from "../contract/event.ts"
import type { JsonObject } from "../contract/json.ts"
import { errorResult, type Tool, type ToolResult } from "../contract/tool.ts"
import { formatDuration } from "../util/duration.ts"
import { adaptResult } from "./adapt-result.ts"
import type { Connection } from "./connection.ts"
import { cutText } from "./cut-text.ts"
import type { ServerTool } from "./discover.ts"
import type { Failure } from "./failure.ts"
import type { DeadLetters } from "./life/dead-letters.ts"
import { createCallProgress } from "./requests/call-progress.ts"
import { callTool } from "./requests/call-tool.ts"

/** The border for tools: past it an MCP tool is a tool like any other. */
export function adaptTool(
  connection: Connection,
  tool: ServerTool,
  presentation: {
    readonly name: string
    readonly descriptionLimit: number
    readonly deadLetters: DeadLetters | null
    readonly emit: Emit
  },
): Tool {
  const server = connection.config.name
  return {
    name: presentation.name,
    description: cutText(tool.description ?? `MCP tool ${tool.name} from ${server}`, presentation.descriptionLimit),
    inputSchema: tool.inputSchema,
    origin: { kind: "mcp", server, tool: tool.name },
    hints: tool.hints,
    subjects: () => [],
    async execute(input: JsonObject, { signal, callId }): Promise<ToolResult> {
      const onProgress = createCallProgress({ call_id: callId, tool: presentation.name, server }, presentation.emit)
      const answer = await callTool(connection, tool, { input, signal, onProgress })
      if (answer.ok) return adaptResult(answer.result)
      const { failure, attempts } = answer
      const result = adaptFailure(failure, connection, `"${tool.name}"`)
      if (failure.kind !== "aborted") {
        const error = { code: result.errorCode ?? "tool_error", message: failure.message }
        await presentation.deadLetters?.add({ server, tool: tool.name, args: input, error, attempts })
      }
      return result
    },
  }
}

/** A request that came to nothing, as a result that names the server and says what happened. */
export function adaptFailure(failure: Failure, connection: Connection, what: string): ToolResult {
  const { name, toolTimeoutMs } = connection.config
  const about = `MCP server "${name}"`
  switch (failure.kind) {
    case "protocol":
      return errorResult("protocol_error", `${about}: ${failure.message}`)
    case "timeout": {
      const limit = formatDuration(toolTimeoutMs)
      return errorResult(
        "timeout",
        `${about}: ${what} gave no answer within ${limit} (tool_timeout_sec) and was cancelled.`,
      )
    }
    case "aborted":
      return errorResult("aborted", `${about}: ${what} was cancelled because the run was stopped.`)
    case "closed":
    case "http":
    case "network":
    case "auth": {
      const message = failure.message.startsWith(about) ? failure.message : `${about}: ${failure.message}`
      return errorResult("server_unavailable", `${message}.${outlookOf(connection)}`)
    }
    case "withdrawn":
      return errorResult("unknown_tool", `${about} no longer offers ${what}: it was withdrawn during the run.`)
    default:
      return failure satisfies never
  }
}

function outlookOf(connection: Connection): string {
  const { status } = connection.state()
  if (status === "connected") return ""
  if (status === "pending") return " It is being reconnected, and its tools may come back."
  return " Its tools cannot be used now."
}
