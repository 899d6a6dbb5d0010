import type { Tool } from "../../contract/tool.ts"
import { inventoriesOf } from "../../mcp/inventory.ts"
import { lintServers } from "../../mcp/lint/lint.ts"
import type { Pool } from "../../mcp/pool.ts"
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
  const scoreOf = createScores(pool, session.config.mcp)
  const tools = [...offered, ...hidden]
    .filter(({ server }) => chosen.includes(server))
    .map((tool) => ({ ...tool, score: scoreOf(tool.server, tool.tool) }))
  session.print({ tools }, () =>
    renderTable(
      ["tool", "score", "hints", "description"],
      tools.map(({ name, score, hints, description, hidden_by }) => [
        name,
        score === null ? "-" : String(score),
        hints.join(", "),
        hidden_by === null ? headOf(description ?? "") : `hidden by ${hidden_by}`,
      ]),
      "No tools.",
    ),
  )
  return 0
}

/** The lint score of a tool; `null` when lint does not look at it, because it is hidden. */
function createScores(pool: Pool, limits: { readonly descriptionLimit: number }) {
  const scores = new Map<string, number>()
  for (const { server, tools } of lintServers(inventoriesOf(pool.connections()), limits)) {
    for (const { tool, score } of tools.toReversed()) scores.set(JSON.stringify([server, tool]), score)
  }
  return (server: string, tool: string) => scores.get(JSON.stringify([server, tool])) ?? null
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
