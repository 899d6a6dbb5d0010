import { generateKeyPairSync } from "node:crypto"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { loadConfig } from "../../src/config/load.ts"
import { createWorkspace, load, optionsFor, problemsOf } from "./workspace.ts"

const remote = '[mcp_servers.far]\nurl = "https://far.example.com/mcp"\n'
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey
const pem = rsa.export({ type: "pkcs8", format: "pem" }).toString()
const elliptic = generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey

async function authOf(keys: string, env: Readonly<Record<string, string>> = {}) {
  const { config } = await load({ "agent.toml": `${remote}auth = { ${keys} }` }, { env })
  const [server] = config.servers
  return { auth: server !== undefined && "auth" in server ? server.auth : null, warnings: config.warnings }
}

describe("auth of a server", () => {
  it("with a client secret is a grant of client credentials", async () => {
    const keys =
      'client_id = "${WHO}", client_secret_env = "SECRET", scope = "a b", issuer = "https://login.example.com"'
    expect(await authOf(keys, { WHO: "ci", SECRET: "s3cret" })).toEqual({
      auth: {
        grant: { kind: "client-credentials", clientId: "ci", proof: { kind: "secret", secret: "s3cret" } },
        scope: "a b",
        issuer: "https://login.example.com",
        tokenUrl: null,
      },
      warnings: [],
    })
  })

  it("with a client secret for whoever the server names is a warning", async () => {
    const { warnings } = await authOf('client_id = "ci", client_secret_env = "SECRET"', { SECRET: "s3cret" })
    expect(warnings).toEqual([{ code: "auth_server_open", message: expect.stringContaining("issuer or token_url") }])
  })

  it.each([
    ["RS256", pem, ""],
    ["RS256", pem.replaceAll("\n", "\\n"), ""],
    ["RS256", rsa.export({ type: "pkcs1", format: "pem" }).toString(), ""],
    ["PS512", pem, ', algorithm = "PS512"'],
    ["ES384", elliptic.export({ type: "sec1", format: "pem" }).toString(), ""],
  ])("with a private key signs with %s", async (algorithm, key, more) => {
    const { auth } = await authOf(`client_id = "ci", private_key_env = "SIGNING"${more}`, { SIGNING: key })
    expect(auth?.grant).toMatchObject({ kind: "client-credentials", proof: { kind: "private-key", algorithm } })
  })

  it("reads key files and names identity files relative to the file that says so", async () => {
    const workspace = createWorkspace({
      "conf/extra.toml": `${remote}auth = { client_id = "ci", private_key_file = "key.pem" }
[mcp_servers.near]
url = "https://near.example.com"
auth = { identity_token_file = "token" }`,
      "conf/key.pem": pem,
    })
    const options = optionsFor(workspace, { configFiles: ["conf/extra.toml"] })
    const { config } = await loadConfig(options)
    expect(config.servers.map((server) => "auth" in server && server.auth?.grant)).toMatchObject([
      { proof: { kind: "private-key", key: { kty: "RSA" } } },
      { kind: "jwt-bearer", clientId: null, identity: { kind: "file", path: join(workspace, "conf", "token") } },
    ])
  })

  it("with an identity is a jwt-bearer grant, also by way of an identity provider", async () => {
    const env = {
      ACTIONS_ID_TOKEN_REQUEST_URL: "https://vstoken.example.com/?a=1",
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: "runtime-token",
    }
    const { auth: github } = await authOf('identity = "github", audience = "mcp"', env)
    expect(github?.grant).toEqual({
      kind: "jwt-bearer",
      clientId: null,
      clientSecret: null,
      identity: {
        kind: "github",
        requestUrl: env.ACTIONS_ID_TOKEN_REQUEST_URL,
        requestToken: "runtime-token",
        audience: "mcp",
      },
      exchange: null,
    })
    const exchange = 'exchange_url = "https://idp.example.com/token", exchange_client_id = "ci-at-idp"'
    const { auth } = await authOf(`client_id = "ci", identity_token_env = "ID", ${exchange}`, { ID: "e.y.j" })
    expect(auth?.grant).toMatchObject({
      identity: { kind: "token", token: "e.y.j" },
      exchange: { tokenUrl: "https://idp.example.com/token", clientId: "ci-at-idp", clientSecret: null },
    })
  })

  it("with a client alone needs a person", async () => {
    const { auth } = await authOf('client_id = "ci"')
    expect(auth?.grant).toEqual({ kind: "authorization-code", clientId: "ci", clientSecret: null })
  })

  it.each([
    ['client_secret_env = "SECRET"', "auth: needs client_id"],
    ['client_id = "ci", client_secret_env = "NOT_SET"', "auth.client_secret_env: the variable NOT_SET is not set"],
    ['client_id = "ci", private_key_env = "SECRET"', "auth.private_key_env: is not a private key in PEM form"],
    ['client_id = "ci", private_key_file = "none.pem"', "auth.private_key_file: cannot be read"],
    ['client_id = "ci", client_secret_env = "SECRET", private_key_env = "SECRET"', "set only one of"],
    ['identity = "github"', "it needs permissions: id-token: write"],
    ['identity = "github", identity_token_env = "SECRET"', "set only one of"],
    ['grant = "jwt_bearer", client_id = "ci"', "auth: needs one of identity"],
    ['grant = "client_credentials", client_id = "ci"', "auth: needs one of client_secret_env"],
    ['client_id = "ci", audience = "x"', 'auth.audience: only for grant = "jwt_bearer"'],
    ['client_id = "ci", token_url = "http://login.example.com/token"', "auth.token_url: is not an https URL"],
    ['client_id = "ci", issuer = "login"', "auth.issuer: is not a URL"],
    ['identity_token_env = "SECRET", exchange_url = "https://idp.example.com"', "belong together"],
    ['client_id = "ci", secret = "x"', "auth.secret: unknown key"],
  ])("{ %s } is a mistake", async (keys, problem) => {
    const problems = await problemsOf({ "agent.toml": `${remote}auth = { ${keys} }` }, { env: { SECRET: "s3cret" } })
    expect(problems.join("\n")).toContain(problem)
  })

  it.each(['bearer_token_env_var = "T"', 'headers = { Authorization = "x" }', 'env_headers = { authorization = "T" }'])(
    "and %s contradict each other: one of them must go",
    async (other) => {
      const toml = `${remote}${other}\nauth = { client_id = "ci" }`
      const problems = await problemsOf({ "agent.toml": toml }, { env: { T: "t0ken" } })
      expect(problems.join("\n")).toMatch(/auth: .* is set too; keep one of the two/)
    },
  )
})

describe("the transports ws and sdk", () => {
  it.each([
    ['type = "ws"\nurl = "http://h"', "url: is not a ws or wss URL"],
    ['url = "wss://h"', 'url: is a WebSocket: set type = "ws"'],
    ['type = "sdk"\nurl = "http://h"', "type: a server with url is remote"],
    ['type = "sdk"', 'needs module, because type is "sdk"'],
    ['module = "x.mjs"', 'a server with module needs type = "sdk"'],
    ['type = "sdk"\nmodule = "x.mjs"\nargs = []', "args: only for a server with command"],
    ['type = "sdk"\nmodule = "x.mjs"\ncommand = "y"', "a server has either command or module, not both"],
  ])("%j is a mistake", async (keys, problem) => {
    const options = optionsFor(createWorkspace({ "local.toml": `[mcp_servers.s]\n${keys}` }))
    const loading = loadConfig({ ...options, configFiles: ["local.toml"] })
    await expect(loading).rejects.toThrow(problem)
  })

  it("--mcp-server takes a WebSocket by its URL", async () => {
    const { config } = await load({}, { mcpServers: ["far=wss://far.example.com/mcp"] })
    expect(config.servers).toMatchObject([{ name: "far", transport: "ws", url: "wss://far.example.com/mcp" }])
  })
})

describe("the cache folder", () => {
  it.each([
    [{ AGENT_RUN_CACHE_DIR: "/elsewhere" }, "/elsewhere"],
    [{ XDG_CACHE_HOME: "/caches", HOME: "/home/me" }, "/caches/agent-run"],
    [{ XDG_CACHE_HOME: "caches", HOME: "/home/me" }, "/home/me/.cache/agent-run"],
    [{}, null],
  ])("of %j is %s", async (env, folder) => {
    const { config } = await load({}, { env })
    expect([config.cacheFolder, config.warnings]).toEqual([folder, []])
  })

  it("T8 inside the workspace is refused with a warning", async () => {
    const workspace = createWorkspace({ "agent.toml": remote })
    const env = { AGENT_RUN_CACHE_DIR: join(workspace, "not", "there") }
    const { config } = await loadConfig(optionsFor(workspace, { env }))
    expect(config.cacheFolder).toBeNull()
    expect(config.warnings).toEqual([
      { code: "cache_dir_ignored", message: expect.stringContaining("AGENT_RUN_CACHE_DIR") },
    ])
  })
})
