/**
 * An MCP server on loopback that wants a token, and its authorization server, in one. It remembers every request.
 *
 *     const server = await startOAuthMcpServer({ refuse: "invalid_client" })
 *     … remoteServer("far", server.url, { transport: "http", auth: … }) …
 *     expect(server.tokenRequests).toEqual([{ grant_type: "client_credentials", … }])
 *
 * The tool `echo` needs the scope "read", the tool `drop` the scope "write" beside it. `/id-token` answers like GitHub.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"
import { createFixtureDesk, type Exchange, readRpc, serveHttp } from "./http-mcp-server.ts"

/** How the authorization server deviates from giving tokens to everybody. */
export interface OAuthBehaviour {
  /** The error code that answers every token request. */
  readonly refuse?: string
  /** Lifetime of tokens in seconds. */
  readonly expiresIn?: number
  /** No scope is ever enough for `drop`. */
  readonly insatiable?: boolean
  /** How long it takes to issue a token. */
  readonly delayMs?: number
}

/** A running server. */
export interface OAuthMcpServer {
  readonly origin: string
  readonly url: string
  /** The paths of all requests, in order. */
  readonly paths: readonly string[]
  /** The Authorization headers that came to the MCP endpoint. */
  readonly authorizations: readonly (string | null)[]
  /** The parameters of all token requests, with the client authentication of the header. */
  readonly tokenRequests: readonly Readonly<Record<string, string>>[]
  /** No token issued so far is good any more. */
  revokeAll(): void
  /** From now on every token request is refused. */
  stopIssuing(): void
}

/** Start a server; it is gone when the test is. */
export async function startOAuthMcpServer(behaviour: OAuthBehaviour = {}): Promise<OAuthMcpServer> {
  const paths: string[] = []
  const authorizations: (string | null)[] = []
  const tokenRequests: Record<string, string>[] = []
  const scopes = new Map<string, string>()
  const desk = createFixtureDesk()
  let origin = ""
  let refusal = behaviour.refuse

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", origin)
    paths.push(pathname)
    switch (pathname) {
      case "/mcp":
        return serveMcp({ request, response, rpc: await readRpc(request), desk })
      case "/.well-known/oauth-protected-resource/mcp":
        return json(response, 200, { resource: `${origin}/mcp`, authorization_servers: [origin] })
      case "/.well-known/oauth-authorization-server":
        return json(response, 200, metadata())
      case "/token":
        return issue(request, response)
      case "/id-token": {
        const isMine = request.headers.authorization === "bearer request-token"
        return json(response, isMine ? 200 : 403, { value: `id-token-for-${searchParams.get("audience")}` })
      }
      default:
        return json(response, 404, {})
    }
  })

  function serveMcp(exchange: Exchange): unknown {
    const { request, response, rpc } = exchange
    const header = request.headers.authorization ?? null
    authorizations.push(header)
    const scope = scopes.get((header ?? "").replace(/^Bearer /, ""))
    if (scope === undefined) return challenge(response, 401, 'scope="read"')
    const calls = rpc.method === "tools/call" ? rpc.params?.name : undefined
    if (calls === "drop" && (behaviour.insatiable || !scope.includes("write"))) {
      return challenge(response, 403, 'error="insufficient_scope", scope="write"')
    }
    if (calls === "drop")
      return serveHttp({ ...exchange, rpc: { ...rpc, params: { ...rpc.params, name: "echo" } } }, false)
    return serveHttp(exchange, false)
  }

  function challenge(response: ServerResponse, status: number, what: string): void {
    const where = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`
    response.writeHead(status, { "www-authenticate": `Bearer ${what}, ${where}` }).end("no")
  }

  function metadata() {
    return {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      response_types_supported: ["code"],
      token_endpoint_auth_methods_supported: ["client_secret_basic", "private_key_jwt", "none"],
    }
  }

  async function issue(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ""
    for await (const chunk of request) body += chunk
    const { authorization } = request.headers
    tokenRequests.push({
      ...Object.fromEntries(new URLSearchParams(body)),
      ...(authorization ? { authorization } : {}),
    })
    await new Promise((resolve) => setTimeout(resolve, behaviour.delayMs ?? 0))
    if (refusal !== undefined) return json(response, 400, { error: refusal })
    const scope = new URLSearchParams(body).get("scope") ?? "read"
    const token = `access-token-number-${tokenRequests.length}`
    scopes.set(token, scope)
    const lifetime = behaviour.expiresIn === undefined ? {} : { expires_in: behaviour.expiresIn }
    return json(response, 200, { access_token: token, token_type: "Bearer", scope, ...lifetime })
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  onTestFinished(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  return {
    ...{ origin, url: `${origin}/mcp`, paths, authorizations, tokenRequests },
    revokeAll: () => scopes.clear(),
    stopIssuing() {
      refusal = "access_denied"
    },
  }
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
}
