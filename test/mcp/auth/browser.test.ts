import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it, onTestFinished } from "vitest"
import type { BrowserAuthorization } from "../../../src/contract/server-auth.ts"
import { createFixtureDesk, readRpc, serveHttp } from "../../support/http-mcp-server.ts"
import { runInProcess } from "../../support/run-in-process.ts"

/** A server whose authorization server wants a person: it registers clients and answers a browser with a code. */
async function startServer({ issuerPath = "" } = {}) {
  const paths: string[] = []
  const desk = createFixtureDesk()
  let origin = ""
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", origin)
    paths.push(pathname)
    if (pathname === "/mcp") {
      const rpc = await readRpc(request)
      if (request.headers.authorization === "Bearer token-of-a-person")
        return serveHttp({ request, response, rpc, desk }, false)
      return response.writeHead(401, { "www-authenticate": "Bearer" }).end()
    }
    if (pathname === "/.well-known/oauth-authorization-server") {
      return json(response, {
        issuer: `${origin}${issuerPath}`,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
      })
    }
    if (pathname === "/register")
      return json(response, { client_id: "registered", redirect_uris: ["http://localhost/back"] })
    if (pathname === "/token") {
      return json(response, {
        access_token: "token-of-a-person",
        token_type: "Bearer",
        refresh_token: "refresh-of-a-person",
      })
    }
    return response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `${origin}/mcp`, paths }
}

function json(response: ServerResponse, body: object): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
}

const call = { tool: "mcp__far__echo", input: { said: "token-of-a-person refresh-of-a-person" } }
const turns = [{ calls: [call] }, { text: "done" }]

describe("a browser that an embedding program offers", () => {
  it("lets a run into a server that wants a person, and no token is in its events", async () => {
    const server = await startServer()
    const asked: URL[] = []
    const browser: BrowserAuthorization = {
      redirectUrl: "http://localhost/back",
      async authorize(url) {
        asked.push(url)
        return new URL(`http://localhost/back?code=c0de&state=${url.searchParams.get("state")}`)
      },
    }
    const { report, events } = await runInProcess({
      turns,
      browser,
      mcpServers: [`far=${server.url}`],
      allow: ["mcp__far__*"],
    })
    expect(report.exit_code).toBe(0)
    expect(asked.map(({ pathname, searchParams }) => [pathname, searchParams.get("client_id")])).toEqual([
      ["/authorize", "registered"],
    ])
    expect(JSON.stringify([report, events])).not.toMatch(/token-of-a-person|refresh-of-a-person/)
    expect(JSON.stringify(events)).toContain("[redacted:far.access_token] [redacted:far.refresh_token]")
  })

  it("is not believed when it comes back from another authorization", async () => {
    const server = await startServer()
    const authorize = async () => new URL("http://localhost/back?code=c0de&state=forged")
    const { report } = await runInProcess({
      turns: [{ text: "done" }],
      browser: { redirectUrl: "http://localhost/back", authorize },
      mcpServers: [`far=${server.url}`],
    })
    expect(report.servers).toMatchObject([{ name: "far", state: "needs-auth" }])
    expect(server.paths).not.toContain("/token")
  })

  it("is not asked on the word of metadata that names another issuer than the one it was found for (RFC 8414, 3.3)", async () => {
    const server = await startServer({ issuerPath: "/oauth" })
    const asked: URL[] = []
    const authorize = async (url: URL) => {
      asked.push(url)
      return url
    }
    const { report } = await runInProcess({
      turns: [{ text: "done" }],
      browser: { redirectUrl: "http://localhost/back", authorize },
      mcpServers: [`far=${server.url}`],
    })
    const error = expect.stringMatching(/RFC 8414 §3\.3.*\/oauth/)
    expect(report.servers).toMatchObject([{ name: "far", state: "needs-auth", error }])
    expect(asked).toEqual([])
    expect(server.paths.filter((path) => ["/register", "/authorize", "/token"].includes(path))).toEqual([])
  })

  it("is not there on its own: the server is needs-auth and its authorization server is not touched", async () => {
    const server = await startServer()
    const { report } = await runInProcess({ turns: [{ text: "done" }], mcpServers: [`far=${server.url}`] })
    expect(report.servers).toMatchObject([{ name: "far", state: "needs-auth", tools: 0 }])
    expect(server.paths).toEqual(["/mcp"])
  })
})
