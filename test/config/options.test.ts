import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { loadConfig } from "../../src/config/load.ts"
import { outputPathsOfFlags } from "../../src/config/output-paths.ts"
import { noOutputs } from "../../src/contract/output.ts"
import { createWorkspace, failure, load, optionsFor, problemsOf } from "./workspace.ts"

describe("--set", () => {
  it("takes TOML values, and anything else as text; later ones win", async () => {
    const { config } = await load(
      { "agent.toml": '[agent]\nmodel = "file"\nmax_turns = 1\n' },
      {
        set: [
          "agent.max_turns=7",
          "agent.max_turns = 8",
          "agent.model=claude-x",
          'agent.fallback_models=["a", "b"]',
          'agent.prices."m.1"={input=1,output=2,cache_read=3,cache_write=4}',
          "expect.some_call_succeeds=false",
          "tools.bash.timeout_sec=1.5",
        ],
      },
    )
    expect(config.agent).toMatchObject({
      maxTurns: 8,
      model: "claude-x",
      fallbackModels: ["a", "b"],
      prices: { "m.1": { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 } },
    })
    expect([config.expect.someCallSucceeds, config.tools.bash.timeoutMs]).toEqual([false, 1500])
  })

  it("changes single keys of a configured server, and can add one", async () => {
    const { config } = await load(
      { "agent.toml": '[mcp_servers.s]\ncommand = "x"\nenv = { A = "1", B = "2" }\n' },
      { set: ["mcp_servers.s.env.B=three", "mcp_servers.s.required=true", "mcp_servers.t.url=https://t.example"] },
    )
    expect(config.servers).toMatchObject([
      { name: "s", command: "x", required: true, env: { A: "1", B: "three" }, source: "agent.toml:1" },
      { name: "t", transport: "url", source: "--set mcp_servers.t.url" },
    ])
  })

  it.each<[string, string]>([
    ["agent.max_turns=x", "--set agent.max_turns agent.max_turns: expected a number, got text"],
    ["agent.mdel=x", '--set agent.mdel agent.mdel: unknown key. Did you mean "model"?'],
    [
      "agent.base_url=x",
      "--set agent.base_url agent.base_url: unknown key. The endpoint never comes from a file: use --base-url or ANTHROPIC_BASE_URL.",
    ],
    [
      "mcp_servers.s.required=true",
      "--set mcp_servers.s.required mcp_servers.s: needs command (stdio) or url (remote)",
    ],
    ["nonsense", '--set needs key=value, such as agent.max_turns=10; got "nonsense…"'],
    ["=x", "--set needs key=value, such as agent.max_turns=10"],
  ])("%s is a usage error", async (assignment, problem) => {
    const error = await failure(load({}, { set: [assignment] }))
    expect([error.code, error.message]).toEqual(["usage_error", problem])
  })

  it("cannot change a managed server", async () => {
    const root = createWorkspace({ "managed.toml": '[mcp_servers.s]\ncommand = "x"\n', "ws/x": "" })
    const { config } = await loadConfig(
      optionsFor(join(root, "ws"), {
        managedFile: join(root, "managed.toml"),
        managedOwnerId: process.getuid?.() ?? 0,
        set: ["mcp_servers.s.command=evil"],
      }),
    )
    expect(config.servers).toMatchObject([{ command: "x" }])
    expect(config.warnings).toMatchObject([{ code: "overruled_by_managed" }])
  })
})

describe("options of single keys", () => {
  it("beat every file", async () => {
    const { config } = await load(
      { "agent.local.toml": '[agent]\nmodel = "f"\nmax_turns = 1\ntimeout_sec = 1\n[permissions]\nmax_denials = 1\n' },
      {
        flags: {
          model: "flag",
          fallbackModels: ["g"],
          maxTurns: 2,
          maxCostUsd: 0.5,
          maxTokens: 3,
          timeoutMs: 4500,
          maxDenials: 0,
        },
      },
    )
    expect(config.agent).toMatchObject({
      model: "flag",
      fallbackModels: ["g"],
      maxTurns: 2,
      maxCostUsd: 0.5,
      maxTokens: 3,
      timeoutMs: 4500,
    })
    expect(config.permissions.maxDenials).toBe(0)
  })

  it("are checked like keys", async () => {
    const error = await failure(load({}, { flags: { maxTurns: 0, maxCostUsd: -1, timeoutMs: 0 } }))
    expect(error.code).toBe("usage_error")
    expect(error.message.split("\n")).toEqual([
      "--max-turns agent.max_turns: must be at least 1",
      "--max-cost-usd agent.max_cost_usd: must be more than 0",
      "--timeout agent.timeout_sec: must be more than 0",
    ])
  })

  it("--broad, or broad = true, is what default = allow needs", async () => {
    const open = '[permissions]\ndefault = "allow"\n'
    const byOption = await load({ "agent.toml": open }, { broad: true })
    const byKey = await load({ "agent.toml": `${open}broad = true\n` })
    const source = { action: "allow", source: "agent.toml:2" }
    expect([byOption, byKey].map(({ config }) => config.permissions.default)).toEqual([source, source])
    expect((await load({})).config.permissions.default).toEqual({ action: "deny", source: "built-in default" })
  })
})

describe("how MCP calls are tried again", () => {
  it("S0.29 has defaults, and takes each of its keys from the highest layer", async () => {
    const toml = "[mcp]\nretry = { max_attempts = 5, initial_ms = 10 }\n"
    const { config } = await load({ "agent.toml": toml }, { set: ["mcp.retry.max_attempts=1"] })
    expect(config.mcp.retry).toEqual({ maxAttempts: 1, initialMs: 10, maxMs: 5000 })
    const defaults = { maxAttempts: 3, initialMs: 250, maxMs: 5000 }
    expect((await load({})).config.mcp).toMatchObject({ retry: defaults, deadLetterFile: null })
    expect(await problemsOf({ "agent.toml": "[mcp.retry]\nmax_attempts = 0\n" })).toHaveLength(1)
  })

  it("S0.30 dead_letter_file is relative to the file that names it", async () => {
    const workspace = createWorkspace({ "ci/agent.toml": '[mcp]\ndead_letter_file = "dead.jsonl"\n', "ws/x": "" })
    const options = optionsFor(join(workspace, "ws"), { configFiles: [join(workspace, "ci", "agent.toml")] })
    const { config } = await loadConfig(options)
    expect(config.mcp.deadLetterFile).toBe(join(workspace, "ci", "dead.jsonl"))
  })
})

describe("S3.17 how many servers start at a time", () => {
  it.each<[toml: string, env: Record<string, string>, set: string[], local: number, remote: number]>([
    ["", {}, [], 3, 20],
    ["[mcp]\nlocal_concurrency = 4\nremote_concurrency = 5", {}, [], 4, 5],
    [
      "[mcp]\nlocal_concurrency = 4",
      { AGENT_RUN_MCP_LOCAL_CONCURRENCY: "1", AGENT_RUN_MCP_REMOTE_CONCURRENCY: " 2 " },
      [],
      1,
      2,
    ],
    [
      "",
      { AGENT_RUN_MCP_LOCAL_CONCURRENCY: "1", AGENT_RUN_MCP_REMOTE_CONCURRENCY: "" },
      ["mcp.local_concurrency=9"],
      9,
      20,
    ],
  ])("%j with %j and --set %j", async (toml, env, set, localConcurrency, remoteConcurrency) => {
    const { config } = await load({ "agent.toml": toml }, { env, set })
    expect(config.mcp).toMatchObject({ descriptionLimit: 2048, localConcurrency, remoteConcurrency })
  })

  it.each(["0", "many", "-1"])("a variable that is %j is refused by its name", async (value) => {
    const [problem] = await problemsOf({}, { env: { AGENT_RUN_MCP_LOCAL_CONCURRENCY: value } })
    expect(problem).toContain("AGENT_RUN_MCP_LOCAL_CONCURRENCY mcp.local_concurrency: ")
  })
})

describe("--mcp-server", () => {
  it("takes a URL or a command with its arguments", async () => {
    const { config } = await load(
      {},
      { mcpServers: ["docs=https://example.com/mcp?a=b", `fs=npx -y "some server" 'a b' c\\ d e=f`] },
    )
    expect(config.servers).toMatchObject([
      { name: "docs", transport: "url", url: "https://example.com/mcp?a=b", source: "--mcp-server docs" },
      { name: "fs", transport: "stdio", command: "npx", args: ["-y", "some server", "a b", "c d", "e=f"] },
    ])
  })

  it.each<[string[], string]>([
    [["s=x"], "--mcp-server s a server of this name is already configured at agent.toml:1; choose another name"],
    [["n=a", "n=b"], '--mcp-server names "n" twice'],
    [["x"], "--mcp-server needs NAME=URL or NAME=COMMAND"],
    [["=x"], "--mcp-server needs NAME=URL or NAME=COMMAND"],
    [["x= "], "--mcp-server needs NAME=URL or NAME=COMMAND"],
    [["x=ftp://h"], "--mcp-server x: only http, https, ws and wss URLs are supported"],
    [["x=npx 'a"], "--mcp-server x: a quote is never closed"],
  ])("%j is a usage error", async (mcpServers, message) => {
    const error = await failure(load({ "agent.toml": '[mcp_servers.s]\ncommand = "x"\n' }, { mcpServers }))
    expect([error.code, error.message]).toEqual(["usage_error", message])
  })
})

describe("output paths", () => {
  it("of the command line are known before any file is read", () => {
    expect(outputPathsOfFlags({}, "/w")).toEqual(noOutputs)
    expect(outputPathsOfFlags({ report: "r.json", outDir: "out" }, "/w")).toEqual({
      report: "/w/r.json",
      transcript: "/w/out/transcript.jsonl",
      summary: "/w/out/summary.md",
      junit: "/w/out/junit.xml",
      html: "/w/out/report.html",
      sarif: "/w/out/results.sarif",
      patch: "/w/out/changes.patch",
    })
  })

  it("of a file are relative to it, and the command line beats them", async () => {
    const workspace = createWorkspace({
      "conf/agent.toml": '[output]\nout_dir = "o"\nreport = "../r.json"\n',
      "here/x": "",
    })
    const options = optionsFor(workspace, { cwd: join(workspace, "here"), configFiles: ["../conf/agent.toml"] })
    const fromFile = {
      report: join(workspace, "r.json"),
      transcript: join(workspace, "conf/o/transcript.jsonl"),
      summary: join(workspace, "conf/o/summary.md"),
      junit: join(workspace, "conf/o/junit.xml"),
      html: join(workspace, "conf/o/report.html"),
      sarif: join(workspace, "conf/o/results.sarif"),
      patch: join(workspace, "conf/o/changes.patch"),
    }
    expect((await loadConfig(options)).config.output).toEqual(fromFile)
    const { config } = await loadConfig({ ...options, flags: { outDir: "d", summary: "s.md" } })
    expect(config.output).toEqual(outputPathsOfFlags({ outDir: "d", summary: "s.md" }, options.cwd))
  })
})

describe("prompt files", () => {
  it("are read relative to the file that names them, and a higher prompt replaces a lower prompt file", async () => {
    const files = {
      "conf/agent.toml": '[agent]\nsystem_prompt_file = "system.md"\ninstructions_file = "AGENTS.md"\n',
      "conf/system.md": "You are small.",
      "conf/AGENTS.md": "Be kind.",
    }
    const options = { configFiles: ["conf/agent.toml"] }
    const texts = async (set: string[]) => {
      const { agent } = (await load(files, { ...options, set })).config
      return [agent.systemPrompt, agent.instructions]
    }
    expect(await texts([])).toEqual(["You are small.", "Be kind."])
    expect(await texts(["agent.system_prompt=Short."])).toEqual(["Short.", "Be kind."])
  })

  it("are refused when missing or too large", async () => {
    const toml = '[agent]\nsystem_prompt_file = "gone.md"\ninstructions_file = "big.md"\n'
    const problems = await problemsOf({ "agent.toml": toml, "big.md": "x".repeat(256 * 1024 + 1) })
    expect(problems.map((line) => line.replace(/\/\S*\//, ""))).toEqual([
      "agent.toml:2:1 agent.system_prompt_file: gone.md does not exist",
      "agent.toml:3:1 agent.instructions_file: big.md is larger than 256 KiB",
    ])
  })
})
