import { reasons } from "../../contract/reason.ts"
import { formatDuration } from "../../util/duration.ts"
import type { ServerSession } from "../connect-servers.ts"
import { renderTable } from "../table.ts"

/** `agent-run mcp list`: the state of every configured server; exit code 5 when a required one is not connected. */
export async function listServers(session: ServerSession): Promise<number> {
  const pool = await session.connect()
  const servers = pool.states().map(({ name, transport, required, state }) => {
    const found = session.report().servers.find((server) => server.name === name)
    return {
      name,
      transport,
      required,
      state: state.status,
      tools: found?.tools ?? 0,
      resources: found?.resources ?? 0,
      prompts: found?.prompts ?? 0,
      connect_ms: found?.connect_ms ?? null,
      error: state.status === "disabled" ? state.why : (found?.error ?? null),
    }
  })
  session.print({ servers }, () =>
    renderTable(
      ["server", "transport", "state", "tools", "resources", "prompts", "connected in", "why not"],
      servers.map((server) => [
        server.required ? `${server.name} (required)` : server.name,
        server.transport,
        server.state,
        ...[server.tools, server.resources, server.prompts].map((count) =>
          server.state === "connected" ? String(count) : "-",
        ),
        server.connect_ms === null ? "-" : formatDuration(server.connect_ms),
        server.error ?? "",
      ]),
      "No MCP server is configured.",
    ),
  )
  return pool.missingRequired().length === 0 ? 0 : reasons.required_server_unavailable.exitCode
}
