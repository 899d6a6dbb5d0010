import type { Tool, ToolResult } from "../../contract/tool.ts"
import type { Pool } from "../../mcp/pool.ts"
import { describeDecision } from "../../permissions/describe.ts"
import { createPolicy } from "../../permissions/policy.ts"
import type { ServerSession } from "../connect-servers.ts"
import { chooseServer } from "./choose-server.ts"
import type { McpInput } from "./define-action.ts"
import type { callOptions } from "./options.ts"
import { firstTextOf, textOfResult } from "./result-text.ts"
import { findWantedCall } from "./wanted-call.ts"

/**
 * `agent-run mcp call NAME [JSON]`: one call by a person. A rule that denies it is obeyed; that no rule allows it is only
 * said, because the rules are about what the model may do.
 */
export async function callTool(
  session: ServerSession,
  given: McpInput<"tool" | "input", typeof callOptions>,
): Promise<number> {
  const wanted = await findWantedCall(session, given)
  if (typeof wanted === "number") return wanted
  const { name, input } = wanted
  const pool = await session.connect()
  const tool = findTool(session, pool, name)
  if (typeof tool === "number") return tool
  const decision = createPolicy(session.config.permissions).decide(tool, input)
  const { action, rule, source } = describeDecision(decision)
  if (action === "deny" && decision.because.kind === "rule") {
    return session.fail("call_denied", `${tool.name} was not called: the rule "${rule}" (${source}) forbids it`)
  }
  if (action !== "allow") session.note(`call ${tool.name}: in a run the answer would be ${action}: ${rule} (${source})`)
  const result = await tool.execute(input, { signal: session.signal, callId: "mcp-call" })
  return show(session, tool, result)
}

/** By the name that rules use, or as SERVER/TOOL. */
function findTool(session: ServerSession, pool: Pool, name: string): Tool | number {
  const isMeant = (tool: { readonly name: string; readonly server: string; readonly tool: string }) =>
    tool.name === name || `${tool.server}/${tool.tool}` === name
  const found = pool.tools().find((tool) => tool.origin.kind === "mcp" && isMeant({ ...tool.origin, name: tool.name }))
  if (found !== undefined) return found
  const hidden = pool.hiddenTools().find(isMeant)
  if (hidden !== undefined) {
    const { server, setting, source } = hidden
    return session.fail(
      "call_denied",
      `${hidden.name} was not called: mcp_servers.${server}.${setting} (${source}) hides it`,
    )
  }
  const owner = pool
    .states()
    .find((server) => name.startsWith(`${server.name}/`) || name.startsWith(`mcp__${server.name}__`))
  const chosen = chooseServer(session, pool, owner?.name)
  if (typeof chosen === "number") return chosen
  const known = pool.tools().filter((tool) => tool.origin.kind === "mcp" && chosen.includes(tool.origin.server))
  const names = known.map((tool) => tool.name).join(", ") || "none"
  return session.fail("usage_error", `there is no tool "${name}"; there are: ${names}`)
}

function show(session: ServerSession, tool: Tool, result: ToolResult): number {
  const { isError, errorCode = "tool_error", structured = null } = result
  const content = result.content.map((block) =>
    block.type === "image" ? { type: block.type, media_type: block.mediaType, data: block.data } : block,
  )
  const error_code = isError ? errorCode : null
  const answered = !isError || errorCode === "tool_error"
  if (answered || session.json) {
    session.print({ tool: tool.name, ok: !isError, error_code, content, structured }, () => `${textOfResult(result)}\n`)
  }
  if (!isError) return 0
  const what = answered ? `${tool.name} reported an error` : firstTextOf(result)
  return session.fail("no_call_succeeded", what)
}
