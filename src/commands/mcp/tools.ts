import type { Tool } from "../../contract/tool.ts"
import { describeRule } from "../../permissions/describe.ts"
import { createPolicy } from "../../permissions/policy.ts"
import type { ServerSession } from "../connect-servers.ts"
import { renderTable } from "../table.ts"
import { chooseServer } from "./choose-server.ts"
import type { McpInput } from "./define-action.ts"

/** `agent-run mcp tools [SERVER]`: every tool by the name that rules use, also those that are kept from the model. */
export async function listTools(
  session: ServerSession,
  { words }: McpInput<"server", Record<never, never>>,
): Promise<number> {
  const pool = await session.connect()
  const chosen = chooseServer(session, pool, words.server)
  if (typeof chosen === "number") return chosen
  const policy = createPolicy(session.config.permissions)
  const offered = pool.tools().map((tool) => {
    const rule = policy.hides(tool)
    return { ...describeTool(tool), hidden_by: rule === null ? null : `${describeRule(rule)} (${rule.source})` }
  })
  const hidden = pool.hiddenTools().map(({ name, server, tool, setting, source }) => ({
    ...{ name, server, tool, description: null, hints: [], input_schema: null },
    hidden_by: `${setting} (${source})`,
  }))
  const tools = [...offered, ...hidden].filter(({ server }) => chosen.includes(server))
  session.print({ tools }, () =>
    renderTable(
      ["tool", "hints", "description"],
      tools.map(({ name, hints, description, hidden_by }) => [
        name,
        hints.join(", "),
        hidden_by === null ? headOf(description ?? "") : `hidden by ${hidden_by}`,
      ]),
      "No tools.",
    ),
  )
  return 0
}

function describeTool({ name, description, origin, hints, inputSchema }: Tool) {
  const { server, tool } = origin.kind === "mcp" ? origin : { server: "", tool: name }
  const said = [
    ...(hints.readOnly ? ["read-only"] : []),
    ...(hints.destructive ? ["destructive"] : []),
    ...(hints.idempotent ? ["idempotent"] : []),
  ]
  return { name, server, tool, description, hints: said, input_schema: inputSchema }
}

const headChars = 100

/** The first sentence or line, whichever is shorter. */
function headOf(description: string): string {
  const head = /^\s*(.*?)(?:[.!?](?=\s)|\n|$)/s.exec(description)?.[1] ?? ""
  return head.length <= headChars ? head : `${head.slice(0, headChars)}…`
}
