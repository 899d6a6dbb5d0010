import { generateKeyPairSync, verify } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { RemoteServerConfig } from "../../../src/contract/server.ts"
import type { AuthGrant, ServerAuth } from "../../../src/contract/server-auth.ts"
import { remoteServer, startPool } from "../../support/mcp-servers.ts"
import { type OAuthBehaviour, startOAuthMcpServer } from "../../support/oauth-mcp-server.ts"
import { scratchFolder } from "../../support/scratch-folder.ts"

const secretGrant: AuthGrant = {
  kind: "client-credentials",
  clientId: "ci",
  proof: { kind: "secret", secret: "s3cret-of-ci" },
}

function authWith(grant: AuthGrant, more: Partial<ServerAuth> = {}): ServerAuth {
  return { grant, scope: null, issuer: null, tokenUrl: null, ...more }
}

async function connect(
  auth: ServerAuth | null,
  behaviour: OAuthBehaviour = {},
  more: Partial<RemoteServerConfig> = {},
) {
  const server = await startOAuthMcpServer(behaviour)
  const secrets: string[] = []
  const started = await startPool([remoteServer("far", server.url, { transport: "http", auth, ...more })], {
    access: { onSecret: ({ name, value }) => secrets.push(`${name}=${value}`) },
  })
  return { ...started, server, secrets, state: started.pool.states()[0]?.state }
}

describe("tokens for a server that wants them", () => {
  it("are given for the secret of a client, at the endpoint that the server leads to, and told before they are used", async () => {
    const { state, server, secrets } = await connect(authWith(secretGrant))
    expect(state?.status).toBe("connected")
    expect(server.tokenRequests).toEqual([
      {
        authorization: `Basic ${Buffer.from("ci:s3cret-of-ci").toString("base64")}`,
        grant_type: "client_credentials",
        resource: server.url,
        scope: "read",
      },
    ])
    expect(secrets).toEqual(["far.access_token=access-token-number-1"])
    expect(new Set(server.authorizations)).toEqual(new Set([null, "Bearer access-token-number-1"]))
  })

  it("are given at token_url without any discovery of the authorization server, with the scope of the configuration", async () => {
    const server = await startOAuthMcpServer()
    const auth = authWith(secretGrant, { tokenUrl: `${server.origin}/token`, scope: "read extra" })
    const { pool } = await startPool([remoteServer("far", server.url, { transport: "http", auth })])
    expect(pool.states()[0]?.state.status).toBe("connected")
    expect(server.tokenRequests.map(({ scope }) => scope)).toEqual(["read extra"])
    expect(server.paths).not.toContain("/.well-known/oauth-authorization-server")
  })

  it.each([
    ["ES256", () => generateKeyPairSync("ec", { namedCurve: "P-256" })],
    ["RS256", () => generateKeyPairSync("rsa", { modulusLength: 2048 })],
    ["EdDSA", () => generateKeyPairSync("ed25519")],
  ])("are given for an assertion signed with %s by the private key of a client", async (algorithm, generate) => {
    const { privateKey, publicKey } = generate()
    const key = { ...privateKey.export({ format: "jwk" }) }
    const grant: AuthGrant = {
      kind: "client-credentials",
      clientId: "ci",
      proof: { kind: "private-key", key, algorithm },
    }
    const { state, server } = await connect(authWith(grant))
    expect(state?.status).toBe("connected")
    const [request] = server.tokenRequests
    const [header = "", claims = "", signature = ""] = (request?.client_assertion ?? "").split(".")
    expect(decode(header)).toMatchObject({ alg: algorithm })
    expect(decode(claims)).toMatchObject({ iss: "ci", sub: "ci", aud: server.origin })
    const signed = Buffer.from(`${header}.${claims}`)
    const form = { key: publicKey, dsaEncoding: "ieee-p1363" } as const
    const digest = algorithm === "EdDSA" ? null : "sha256"
    expect(verify(digest, signed, form, Buffer.from(signature, "base64url"))).toBe(true)
  })

  it("are given for the identity of a GitHub job, asked for with the authorization server as audience", async () => {
    const server = await startOAuthMcpServer()
    const secrets: string[] = []
    const grant: AuthGrant = {
      kind: "jwt-bearer",
      clientId: null,
      clientSecret: null,
      identity: {
        kind: "github",
        requestUrl: `${server.origin}/id-token?version=2`,
        requestToken: "request-token",
        audience: null,
      },
      exchange: null,
    }
    const { pool } = await startPool([remoteServer("far", server.url, { transport: "http", auth: authWith(grant) })], {
      access: { onSecret: ({ name }) => secrets.push(name) },
    })
    expect(pool.states()[0]?.state.status).toBe("connected")
    expect(server.tokenRequests).toEqual([
      {
        grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
        assertion: `id-token-for-${server.origin}`,
        resource: server.url,
        scope: "read",
      },
    ])
    expect(secrets).toEqual(["far.identity_token", "far.access_token"])
  })

  it("are given for the identity token in a file, which is read anew for every token", async () => {
    const path = join(await scratchFolder(), "token")
    writeFileSync(path, "first-identity\n")
    const grant: AuthGrant = {
      kind: "jwt-bearer",
      clientId: "workload",
      clientSecret: null,
      identity: { kind: "file", path },
      exchange: null,
    }
    const { server, call } = await connect(authWith(grant))
    writeFileSync(path, "second-identity\n")
    server.revokeAll()
    expect((await call("mcp__far__echo", { text: "again" })).isError).toBe(false)
    expect(server.tokenRequests.map(({ assertion, client_id }) => [client_id, assertion])).toEqual([
      ["workload", "first-identity"],
      ["workload", "second-identity"],
    ])
  })

  it("are renewed once for many calls that find theirs expired", async () => {
    const { server, call } = await connect(authWith(secretGrant), { delayMs: 20 })
    server.revokeAll()
    const results = await Promise.all(Array.from({ length: 8 }, (_, index) => call("mcp__far__echo", { index })))
    expect(results.map(({ isError }) => isError)).toEqual(Array.from({ length: 8 }, () => false))
    expect(server.tokenRequests).toHaveLength(2)
  })

  it("are renewed before they expire, so that no request is refused for an old one", async () => {
    const { server, call } = await connect(authWith(secretGrant), { expiresIn: 0 })
    expect((await call("mcp__far__echo")).isError).toBe(false)
    const [first, ...others] = server.authorizations
    expect(first).toBeNull()
    expect(others).not.toContain(null)
    expect(new Set(others).size).toBeGreaterThan(1)
  })

  it("are widened when a call needs more, keeping the scopes there were", async () => {
    const { server, call } = await connect(authWith(secretGrant))
    expect((await call("mcp__far__drop", { a: 1 })).isError).toBe(false)
    expect(server.tokenRequests.map(({ scope }) => scope)).toEqual(["read", "read write"])
  })

  it("are not asked for again and again when no scope is enough", async () => {
    const { server, call, pool } = await connect(authWith(secretGrant), { insatiable: true })
    for (let attempt = 0; attempt < 3; attempt += 1) {
      expect(await call("mcp__far__drop")).toMatchObject({ isError: true, errorCode: "server_unavailable" })
    }
    expect(server.tokenRequests.map(({ scope }) => scope)).toEqual(["read", "read write"])
    expect(pool.states()[0]?.state.status).toBe("connected")
  })

  it("F48 a call that nobody lets in any more makes the server needs-auth and leaves the others alone", async () => {
    const far = await startOAuthMcpServer()
    const near = await startOAuthMcpServer()
    const behaviour = { transport: "http", auth: authWith(secretGrant) } as const
    const { pool, call, events } = await startPool([
      remoteServer("far", far.url, { transport: "http", headers: { authorization: "Bearer stale" } }),
      remoteServer("gone", far.url, behaviour),
      remoteServer("near", near.url, behaviour),
    ])
    expect(pool.states().map(({ state }) => state.status)).toEqual(["needs-auth", "connected", "connected"])
    far.stopIssuing()
    far.revokeAll()
    expect(await call("mcp__gone__echo")).toMatchObject({ isError: true, errorCode: "server_unavailable" })
    expect((await call("mcp__near__echo")).isError).toBe(false)
    expect(pool.states().map(({ state }) => state.status)).toEqual(["needs-auth", "needs-auth", "connected"])
    expect(events.at(-1)).toMatchObject({ type: "server.error", server: "gone", state: "needs-auth" })
    expect(pool.tools().map(({ name }) => name.split("__")[1])).not.toContain("gone")
  })
})

describe("a server that lets nobody in", () => {
  it.each(["invalid_client", "invalid_grant", "unauthorized_client"])(
    "is needs-auth after one token request that was answered %s",
    async (refuse) => {
      const { state, server, events } = await connect(authWith(secretGrant), { refuse })
      expect(state).toEqual({
        status: "needs-auth",
        error: `MCP server "far": ${server.origin}/token refused to give a token: ${refuse}`,
      })
      expect(events.at(-1)).toMatchObject({ type: "server.error", hint: expect.stringContaining("Check auth of") })
      expect(server.tokenRequests).toHaveLength(1)
    },
  )

  it("is needs-auth with the keys to set when nothing is configured", async () => {
    const { state, events } = await connect(null)
    expect(state?.status).toBe("needs-auth")
    const hint = expect.stringMatching(/bearer_token_env_var.*client_secret_env.*no browser/)
    expect(events.at(-1)).toMatchObject({ type: "server.error", state: "needs-auth", hint })
  })

  it("T20 is needs-auth when only a browser would help: no page is opened and nothing listens", async () => {
    const grant: AuthGrant = { kind: "authorization-code", clientId: "ci", clientSecret: null }
    const { state, server } = await connect(authWith(grant))
    expect(state?.status).toBe("needs-auth")
    expect(server.paths).toEqual(["/mcp"])
    const listening = process.getActiveResourcesInfo().filter((resource) => resource === "TCPServerWrap")
    expect(listening).toHaveLength(1)
  })

  it("is asked with its configured Authorization header only, never with a token of our own", async () => {
    const { state, server } = await connect(null, {}, { headers: { Authorization: "Bearer mine" } })
    expect(state?.status).toBe("needs-auth")
    expect(server.paths).toEqual(["/mcp"])
    expect(server.authorizations).toEqual(["Bearer mine"])
  })

  it("never sees the credentials of another authorization server than the configured one", async () => {
    const { state, server } = await connect(authWith(secretGrant, { issuer: "https://login.example.com" }))
    expect(state).toMatchObject({ status: "needs-auth", error: expect.stringContaining("https://login.example.com") })
    expect(server.tokenRequests).toEqual([])
  })
})

function decode(part: string): unknown {
  return JSON.parse(Buffer.from(part, "base64url").toString("utf8"))
}
