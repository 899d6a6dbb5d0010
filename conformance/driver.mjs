/**
 * The client that the official conformance suite starts: the MCP layer of agent-run as it is built, configured by the
 * same keys that users write, against the URL that comes as the last argument. It connects, does what the scenario asks
 * for, and leaves. The one thing the command line does not have is the browser, which an embedding program may offer.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { loadConfig } from "../build/config/load.js"
import { createPool } from "../build/mcp/pool.js"

const url = process.argv.at(-1)
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? ""
const revision = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION ?? "2025-11-25"
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}")

const settings = {
  type: "http",
  url,
  required: true,
  elicitation: "defaults",
  protocol: revision === "2026-07-28" ? revision : "legacy",
  // The suite runs all scenarios at once.
  startup_timeout_sec: 90,
  discovery_timeout_sec: 90,
  ...(context.client_id === undefined ? {} : { auth: authKeysOf(context) }),
}

const workspace = mkdtempSync(join(tmpdir(), "agent-run-conformance-"))
const { config } = await loadConfig({
  workspace,
  cwd: workspace,
  env: { ...process.env, ...variablesOf(context) },
  set: [`mcp_servers.conformance=${toToml(settings)}`],
  bare: true,
  configFiles: [],
  allow: [],
  deny: [],
  broad: false,
  mcpServers: [],
  only: [],
  without: [],
  flags: {},
})
const pool = createPool({
  servers: config.servers,
  disabled: config.disabledServers,
  settings: config.mcp,
  emit: (event) => console.error(JSON.stringify(event)),
  client: { name: "agent-run", version: "0.0.0" },
  env: process.env,
  access: {
    browser: {
      redirectUrl: "http://localhost:3000/callback",
      clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
      authorize,
    },
  },
})

const { signal } = new AbortController()
await pool.start(signal)
let failed = pool.missingRequired().length > 0
for (const { tool, input } of callsOf(pool.tools())) {
  const result = await tool.execute(input, { signal, callId: "call-1" })
  console.error(tool.name, JSON.stringify(result))
  failed ||= result.isError
}
await pool.close()
rmSync(workspace, { recursive: true, force: true })
process.exit(failed ? 1 : 0)

/** A person who agrees to everything: the authorization server of the suite redirects at once. */
async function authorize(authorizationUrl) {
  const response = await fetch(authorizationUrl, { redirect: "manual" })
  const location = response.headers.get("location")
  if (location === null) throw new Error(`the authorization server answered HTTP ${response.status}`)
  return new URL(location)
}

/** The credentials that a scenario hands out, as keys of `auth = { … }`. */
function authKeysOf({ client_id, issuer, ...more }) {
  const client = { client_id, ...(issuer === undefined ? {} : { issuer }) }
  const secret = more.client_secret === undefined ? {} : { client_secret_env: "CLIENT_SECRET" }
  if (more.private_key_pem !== undefined) {
    return { ...client, private_key_env: "CLIENT_PRIVATE_KEY", algorithm: more.signing_algorithm }
  }
  if (more.valid_jwt !== undefined) return { ...client, identity_token_env: "IDENTITY_TOKEN" }
  if (more.idp_id_token !== undefined) {
    const exchange = { exchange_url: more.idp_token_endpoint, exchange_client_id: more.idp_client_id }
    return { ...client, ...secret, ...exchange, identity_token_env: "IDENTITY_TOKEN" }
  }
  const grant = scenario === "auth/pre-registration" ? { grant: "authorization_code" } : {}
  return { ...client, ...secret, ...grant }
}

/** The secrets among them, where the configuration wants them: in the environment. */
function variablesOf({ client_secret, private_key_pem, valid_jwt, idp_id_token }) {
  const variables = {
    CLIENT_SECRET: client_secret,
    CLIENT_PRIVATE_KEY: private_key_pem,
    IDENTITY_TOKEN: valid_jwt ?? idp_id_token,
  }
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined))
}

/** The calls a scenario names, or else every tool once. */
function callsOf(tools) {
  const find = (name) => tools.filter((tool) => tool.origin.tool === name)
  if (Array.isArray(context.toolCalls)) {
    return context.toolCalls.flatMap((call) => find(call.name).map((tool) => ({ tool, input: call.arguments })))
  }
  if (scenario === "json-schema-2020-12-preservation") {
    const [focal] = find("json_schema_2020_12_tool")
    return find("json_schema_echo").map((tool) => ({ tool, input: { schema: focal?.inputSchema } }))
  }
  return tools.map((tool) => ({ tool, input: inputFor(tool.inputSchema) }))
}

function inputFor({ properties = {} }) {
  const samples = { string: "text", number: 1, integer: 1, boolean: true, array: [], object: {} }
  return Object.fromEntries(Object.entries(properties).map(([name, { type }]) => [name, samples[type] ?? "text"]))
}

function toToml(value) {
  if (typeof value !== "object") return JSON.stringify(value)
  return `{ ${Object.entries(value)
    .map(([key, inner]) => `${key} = ${toToml(inner)}`)
    .join(", ")} }`
}
