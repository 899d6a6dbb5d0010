import type { ServerConfig } from "../contract/server.ts"
import type { Failure } from "./failure.ts"

/** What a person can do about a server that could not be connected. */
export function hintFor(failure: Failure, config: ServerConfig): string | null {
  const where = `[mcp_servers.${config.name}] (${config.source})`
  switch (failure.kind) {
    case "timeout":
      return failure.message.includes("initialize")
        ? `Raise startup_timeout_sec of ${where} if the server needs longer to start.`
        : `Raise discovery_timeout_sec of ${where} if the server needs longer to list what it has.`
    case "http":
      return hintForStatus(failure.status, where)
    case "auth":
      return failure.hint ?? `Check auth of ${where}.`
    case "network":
      return `Check url of ${where}, and HTTPS_PROXY and NO_PROXY if there is a proxy.`
    case "closed":
      return `Check ${keysOf(config)} of ${where}.`
    case "protocol":
    case "aborted":
    case "withdrawn":
      return null
    default:
      return failure satisfies never
  }
}

function keysOf({ transport }: ServerConfig): string {
  if (transport === "stdio") return "command, args, cwd and env"
  return transport === "sdk" ? "module" : "url"
}

function hintForStatus(status: number, where: string): string {
  if (status === 401) {
    return `Send credentials: set bearer_token_env_var, headers or auth = { client_id, client_secret_env | private_key_env | identity } in ${where}; agent-run opens no browser.`
  }
  if (status === 403) return `The credentials in headers of ${where} may not use this server.`
  if (status === 404 || status === 405) return `Check url and type of ${where}: nothing there speaks this transport.`
  if (status >= 300 && status < 400) return `Write the URL it redirects to in url of ${where}.`
  return `The server, or a proxy before it, is in trouble; check url of ${where}.`
}
