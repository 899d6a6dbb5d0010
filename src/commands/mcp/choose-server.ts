import type { Pool } from "../../mcp/pool.ts"
import type { ServerSession } from "../connect-servers.ts"

/** The names of the servers to show: the connected ones, or the one that was named; an exit code when it is not there. */
export function chooseServer(session: ServerSession, pool: Pool, name: string | undefined): readonly string[] | number {
  const states = pool.states()
  if (name === undefined) {
    return states.flatMap((server) => (server.state.status === "connected" ? [server.name] : []))
  }
  const found = states.find((server) => server.name === name)
  if (found === undefined) {
    const configured = states.map((server) => server.name).join(", ") || "none"
    return session.fail("usage_error", `no MCP server "${name}" is configured; configured: ${configured}`)
  }
  const { state } = found
  switch (state.status) {
    case "connected":
      return [name]
    case "failed":
    case "needs-auth":
      return session.fail("required_server_unavailable", state.error)
    case "disabled":
      return session.fail("required_server_unavailable", `MCP server "${name}" is not started: ${state.why}`)
    case "pending":
      return session.fail("required_server_unavailable", `MCP server "${name}" is not connected`)
    default:
      return state satisfies never
  }
}
