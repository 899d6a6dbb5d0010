import { exportServers } from "../../config/exchange/export-json.ts"
import { toJsonText } from "../../report/json.ts"
import type { ServerSession } from "../connect-servers.ts"

/** `agent-run mcp export`: the effective servers as the JSON that other programs read. Starts none. */
export async function exportConfig(session: ServerSession): Promise<number> {
  const { mcpServers, masked } = exportServers(session.effective)
  session.write(toJsonText({ mcpServers }))
  for (const place of masked) session.note(`warning masked: ${place} holds a secret in plain text and is not exported`)
  return 0
}
