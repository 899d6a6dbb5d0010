import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { loadConfig } from "../../src/config/load.ts"
import { createWorkspace, failure, load, optionsFor } from "./workspace.ts"

const defaults = {
  enabled: true,
  required: false,
  shared: false,
  startupTimeoutMs: 15_000,
  discoveryTimeoutMs: 15_000,
  toolTimeoutMs: 60_000,
  enabledTools: ["*"],
  disabledTools: [],
  trustHints: false,
  roots: false,
  sampling: null,
  elicitation: "decline",
  alwaysLoad: [],
  protocol: "auto",
}

describe("[mcp_servers]", () => {
  it("C5 S2.1 S2.4 S0.3 a TOML table with a command is a stdio server, with every default filled in", async () => {
    const workspace = createWorkspace({
      "agent.toml": `
[mcp_servers.small]
command = "npx"

[mcp_servers."large one"]
type = "stdio"
command = "node"
args = ["server.js", "--flag"]
cwd = "tools"
env = { MODE = "fast" }
env_vars = ["PASSED_ON"]
required = true
startup_timeout_sec = 1.5
discovery_timeout_sec = 2
tool_timeout_sec = 3
shutdown_grace_ms = 4
enabled_tools = ["read_*"]
roots = true
sampling = true
sampling_max_requests = 2
elicitation = "defaults"
disabled_tools = ["read_secret"]
protocol = "legacy"
trust_hints = true
always_load = ["read_now"]
`,
    })
    const env = { PATH: "/bin", PASSED_ON: "yes" }
    const { config } = await loadConfig(optionsFor(workspace, { env }))
    expect(config.servers).toEqual([
      {
        ...defaults,
        name: "small",
        transport: "stdio",
        command: "npx",
        args: [],
        cwd: workspace,
        env: { PATH: "/bin" },
        shutdownGraceMs: 50,
        source: "agent.toml:2",
      },
      {
        name: "large one",
        transport: "stdio",
        command: "node",
        args: ["server.js", "--flag"],
        cwd: join(workspace, "tools"),
        env: { PATH: "/bin", PASSED_ON: "yes", MODE: "fast" },
        enabled: true,
        required: true,
        shared: false,
        startupTimeoutMs: 1500,
        discoveryTimeoutMs: 2000,
        toolTimeoutMs: 3000,
        shutdownGraceMs: 4,
        enabledTools: ["read_*"],
        disabledTools: ["read_secret"],
        trustHints: true,
        roots: true,
        sampling: { maxRequests: 2, maxTokens: 50_000 },
        elicitation: "defaults",
        alwaysLoad: ["read_now"],
        protocol: "legacy",
        source: "agent.toml:5",
      },
    ])
    expect(config.sources).toEqual(["agent.toml"])
  })

  it.each([
    ["S2.6 url alone tries both", "", "url"],
    ["S3.9 type decides", 'type = "http"', "http"],
    ["S3.9 type decides", 'type = "sse"', "sse"],
  ])("%s: %j is the transport %s", async (_, type, transport) => {
    const toml = `[mcp_servers.r]\nurl = "https://example.com/mcp"\n${type}`
    const { config } = await load({ "agent.toml": toml })
    expect(config.servers).toEqual([
      {
        ...defaults,
        name: "r",
        transport,
        url: "https://example.com/mcp",
        headers: {},
        auth: null,
        source: "agent.toml:1",
      },
    ])
  })

  it("headers come from the file, from variables and from a bearer token", async () => {
    const toml = `
[mcp_servers.r]
url = "https://example.com/mcp"
headers = { X-Plain = "a", X-Mixed = "v-\${PART}" }
env_headers = { X-Team = "TEAM" }
bearer_token_env_var = "TOKEN"
`
    const { config } = await load({ "agent.toml": toml }, { env: { PART: "p", TEAM: "red\n", TOKEN: "t0k" } })
    expect(config.servers[0]).toMatchObject({
      headers: { "X-Plain": "a", "X-Mixed": "v-p", "X-Team": "red", Authorization: "Bearer t0k" },
    })
  })

  it("T19 a server sees the safe base and what its configuration names, nothing else", async () => {
    const env = {
      PATH: "/bin",
      HOME: "/home/me",
      LC_ALL: "C",
      HTTPS_PROXY: "http://proxy",
      RUNNER_TRACKING_ID: "r1",
      GITHUB_TOKEN: "canary",
      ANTHROPIC_API_KEY: "canary",
      ACTIONS_RUNTIME_TOKEN: "canary",
      INPUT_TASK: "canary",
      NAMED: "named",
    }
    const toml = `[mcp_servers.s]\ncommand = "x"\nenv = { OWN = "own", GITHUB_TOKEN = "chosen" }\nenv_vars = ["NAMED"]`
    const { config } = await load({ "agent.toml": toml }, { env })
    const { PATH, HOME, LC_ALL, HTTPS_PROXY, RUNNER_TRACKING_ID, NAMED } = env
    const base = { PATH, HOME, LC_ALL, HTTPS_PROXY, RUNNER_TRACKING_ID }
    expect(config.servers[0]).toMatchObject({ env: { ...base, NAMED, OWN: "own", GITHUB_TOKEN: "chosen" } })
    expect(config.servers[0]).not.toHaveProperty("env.ANTHROPIC_API_KEY")
    expect(config.tools.bash.env).toEqual(base)
  })

  it("T19 only inherit_env outside of the project passes everything on", async () => {
    const toml = `[mcp_servers.s]\ncommand = "x"\ninherit_env = true`
    const { config } = await load({ "agent.local.toml": toml }, { env: { PATH: "/bin", SECRET: "s" } })
    expect(config.servers[0]).toMatchObject({ env: { PATH: "/bin", SECRET: "s" } })
  })

  it("a name in env_vars that is not set is a warning", async () => {
    const toml = `[mcp_servers.s]\ncommand = "x"\nenv_vars = ["GONE"]\n[tools.bash]\nenv_vars = ["LOST"]`
    const { config } = await load({ "agent.toml": toml })
    expect(config.warnings).toEqual([
      { code: "missing_env_var", message: "agent.toml:3:1 mcp_servers.s.env_vars: the variable GONE is not set" },
      { code: "missing_env_var", message: "agent.toml:5:1 tools.bash.env_vars: the variable LOST is not set" },
    ])
  })

  it("names that all objects know are plain data", async () => {
    const toml = `
[mcp_servers.__proto__]
command = "a"
env = { __proto__ = "p", constructor = "c" }
[mcp_servers.constructor]
command = "b"
[mcp_servers.toString]
command = "c"
`
    const { config, effective } = await load({ "agent.toml": toml }, { only: ["__proto__", "constructor"] })
    expect(config.servers.map(({ name }) => name)).toEqual(["__proto__", "constructor"])
    expect(config.disabledServers.map(({ name }) => name)).toEqual(["toString"])
    const [first] = config.servers
    expect(first?.transport === "stdio" && Object.entries(first.env)).toEqual([
      ["__proto__", "p"],
      ["constructor", "c"],
    ])
    expect(
      effective.some(({ path, value }) => path.join(".") === "mcp_servers.__proto__.command" && value === "a"),
    ).toBe(true)
    expect(({} as Record<string, unknown>).command).toBeUndefined()
  })
})

const three = `
[mcp_servers.a]
command = "a"
[mcp_servers.b]
command = "b"
[mcp_servers.c]
url = "https://c.example"
`

describe("the choice of servers", () => {
  it.each<[what: string, toml: string, options: object, started: string[], why: Record<string, string>]>([
    ["all start by default", "", {}, ["a", "b", "c"], {}],
    [
      "a non-empty allowlist lets only its servers start",
      '[security]\nmcp_server_allowlist = ["b", "unknown"]',
      {},
      ["b"],
      { a: "it is not on the allowlist (agent.toml:9)", c: "it is not on the allowlist (agent.toml:9)" },
    ],
    ["an empty allowlist restricts nothing", "[security]\nmcp_server_allowlist = []", {}, ["a", "b", "c"], {}],
    [
      "a denied server never starts, even if it is on the allowlist and named by --only",
      '[security]\nmcp_server_allowlist = ["a", "b"]\nmcp_server_denylist = ["a"]',
      { only: ["a", "b"] },
      ["b"],
      { a: "it is on the denylist (agent.toml:10)", c: "it is not on the allowlist (agent.toml:9)" },
    ],
    [
      "auto_connect = false starts none",
      "[mcp]\nauto_connect = false",
      {},
      [],
      Object.fromEntries(
        ["a", "b", "c"].map((name) => [name, "mcp.auto_connect is false (agent.toml:9) and --only does not name it"]),
      ),
    ],
    [
      "auto_connect = false starts what --only names",
      "[mcp]\nauto_connect = false",
      { only: ["c"] },
      ["c"],
      { a: "--only does not name it", b: "--only does not name it" },
    ],
    ["--without leaves one out", "", { without: ["b"] }, ["a", "c"], { b: "--without leaves it out" }],
    [
      "--without beats --only",
      "",
      { only: ["a", "b"], without: ["b"] },
      ["a"],
      { b: "--without leaves it out", c: "--only does not name it" },
    ],
    [
      "enabled = false",
      '[mcp_servers.d]\ncommand = "d"\nenabled = false',
      {},
      ["a", "b", "c"],
      { d: "it is switched off (agent.toml:10)" },
    ],
  ])(
    "C6 S0.6 S2.11 S2.12 lists and switches decide which servers start: %s",
    async (_, toml, options, started, why) => {
      const { config } = await load({ "agent.toml": three.trimStart() + toml.replace(/^/, "\n") }, options)
      expect(config.servers.map(({ name }) => name)).toEqual(started)
      expect(Object.fromEntries(config.disabledServers.map((server) => [server.name, server.why]))).toEqual(why)
    },
  )

  it("a server that is not started keeps its transport and is named", async () => {
    const { config } = await load({ "agent.toml": three }, { without: ["c"] })
    expect(config.disabledServers).toEqual([
      { name: "c", transport: "url", required: false, why: "--without leaves it out" },
    ])
  })

  it("--only and --without refuse names that are not configured, and list those that are", async () => {
    const error = await failure(load({ "agent.toml": three }, { only: ["x"], without: ["y"] }))
    expect(error.code).toBe("usage_error")
    expect(error.message.split("\n")).toEqual([
      '--only x is not a configured MCP server; configured: "a", "b", "c"',
      '--without y is not a configured MCP server; configured: "a", "b", "c"',
    ])
  })

  it("--only that names a server which does not start is a warning", async () => {
    const toml = `${three}[security]\nmcp_server_denylist = ["a"]`
    const { config } = await load({ "agent.toml": toml }, { only: ["a"] })
    expect(config.warnings).toEqual([
      {
        code: "only_not_started",
        message: '--only names the server "a", but it is not started: it is on the denylist (agent.toml:9)',
      },
    ])
  })

  it.each<[string, string, object, boolean]>([
    ["the denylist", '[security]\nmcp_server_denylist = ["r"]', {}, true],
    ["the allowlist", '[security]\nmcp_server_allowlist = ["other"]', {}, true],
    ["--without", "", { without: ["r"] }, true],
    ["--only", '[mcp_servers.s]\ncommand = "s"', { only: ["s"] }, false],
    ["auto_connect", "[mcp]\nauto_connect = false", {}, false],
  ])("a required server kept from starting by %s", async (_, toml, options, ends) => {
    const loading = load({ "agent.toml": `[mcp_servers.r]\ncommand = "r"\nrequired = true\n${toml}` }, options)
    if (ends) expect((await failure(loading)).code).toBe("required_server_unavailable")
    else expect((await loading).config.disabledServers.map(({ name }) => name)).toContain("r")
  })
})
