import { chmodSync, mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { type ConfigOptions, loadConfig } from "../../src/config/load.ts"
import { createWorkspace, failure, load, optionsFor } from "./workspace.ts"

const owner = process.getuid?.() ?? 0

/** Load from a git repository `repo` with the workspace `repo/app`, a home and a managed file beside it. */
function loadTree(files: Readonly<Record<string, string>>, options: Partial<ConfigOptions> = {}) {
  const root = createWorkspace({ "repo/.git/HEAD": "", "repo/app/x": "", ...files })
  const workspace = join(root, "repo/app")
  return loadConfig(
    optionsFor(workspace, {
      env: { HOME: join(root, "home") },
      managedFile: join(root, "managed.toml"),
      managedOwnerId: owner,
      ...options,
    }),
  )
}

const turns = (count: number) => `[agent]\nmax_turns = ${count}\n`
const server = (command: string) => `[mcp_servers.s]\ncommand = "${command}"\n`
const userFile = "home/.config/agent-run/agent.toml"

describe("scopes", () => {
  it("S3.18 managed beats the command line, then local, user, project; every one sets what is left", async () => {
    const files: Record<string, string> = {
      "managed.toml": turns(1) + server("managed"),
      "repo/app/named.toml": turns(3) + server("named"),
      "repo/app/agent.local.toml": turns(4) + server("local"),
      [userFile]: turns(5) + server("user"),
      "repo/app/agent.toml": turns(6) + server("project"),
      "repo/agent.toml": turns(7) + server("root"),
      "repo/app/.mcp.json": '{"mcpServers": {"s": {"command": "import"}}}',
    }
    const seen: unknown[] = []
    for (const highest of Object.keys(files)) {
      const configFiles = "repo/app/named.toml" in files ? ["named.toml"] : []
      const { config } = await loadTree(files, { configFiles, flags: { maxTurns: 2 } })
      const [first] = config.servers
      seen.push([config.agent.maxTurns, first?.transport === "stdio" && first.command])
      delete files[highest]
    }
    expect(seen).toEqual([
      [1, "managed"],
      [2, "named"],
      [2, "local"],
      [2, "user"],
      [2, "project"],
      [2, "root"],
      [2, "import"],
    ])
  })

  it("S3.18 keys are merged one by one, and the sources are named from the highest", async () => {
    const { config } = await loadTree(
      {
        "managed.toml": '[agent]\nmodel = "managed"\n',
        "repo/app/named.toml": "[agent]\nmax_tokens = 3\nmax_turns = 3\n",
        "repo/app/agent.local.toml": "[agent]\nmax_tokens = 4\nmax_output_tokens = 4\n[tools.bash]\ntimeout_sec = 4\n",
        [userFile]: '[agent]\neffort = "low"\nmax_output_tokens = 5\n[tools.bash]\nenv_vars = ["HOME"]\n',
        "repo/app/agent.toml": '[agent]\neffort = "max"\nfallback_models = ["nearest"]\n',
        "repo/agent.toml": '[agent]\nfallback_models = ["root"]\nmax_cost_usd = 7\n',
      },
      { configFiles: ["named.toml"], flags: { model: "flag", maxTurns: 2 } },
    )
    expect(config.agent).toMatchObject({
      model: "managed",
      maxTurns: 2,
      maxTokens: 3,
      maxOutputTokens: 4,
      effort: "low",
      fallbackModels: ["nearest"],
      maxCostUsd: 7,
    })
    expect(config.tools.bash.timeoutMs).toBe(4000)
    expect(config.sources.map((path) => path.replace(/.*(?=home|managed)/, ""))).toEqual([
      "managed.toml",
      "named.toml",
      "agent.local.toml",
      userFile,
      "agent.toml",
      "../agent.toml",
    ])
    expect(config.warnings.map(({ message }) => message.replace(/ [^ ]*managed/, " managed"))).toEqual([
      "--model has no effect: managed.toml:2 sets agent.model",
    ])
  })

  it("S0.4 S4.3 of several --config files a later one replaces a server whole, and the others merge", async () => {
    const { config } = await load(
      {
        "one.toml":
          '[mcp_servers.a]\ncommand = "a1"\nargs = ["x"]\n[mcp_servers.b]\ncommand = "b1"\n[agent]\nmax_turns = 1\n',
        "two.json": '{"mcpServers": {"a": {"command": "a2"}, "c": {"command": "c2"}}}',
        "three.toml": "[agent]\nmax_turns = 3\n",
      },
      { configFiles: ["one.toml", "two.json", "three.toml"] },
    )
    const commands = config.servers.map(
      (entry) => entry.transport === "stdio" && [entry.name, entry.command, entry.args],
    )
    expect(commands).toEqual([
      ["a", "a2", []],
      ["c", "c2", []],
      ["b", "b1", []],
    ])
    expect(config.agent.maxTurns).toBe(3)
    expect(config.sources).toEqual(["three.toml", "two.json", "one.toml"])
  })

  it("T5 a project cannot take away the sandbox that the runner requires", async () => {
    const sandbox = (mode: string) => `[security]\nsandbox = "${mode}"\n`
    const { config } = await load({ "agent.local.toml": sandbox("require"), "agent.toml": sandbox("off") })
    expect(config.security.sandbox).toBe("require")
  })

  it("rules, denylists and masks of all files add up", async () => {
    const rule = (tool: string) => `[[permissions.rules]]\ntool = "${tool}"\naction = "deny"\n`
    const security = (name: string) =>
      `[security]\nmcp_server_denylist = ["${name}"]\nredact = ["${name}+"]\nredact_env = ["${name}_*"]\n`
    const { config } = await load(
      { "agent.local.toml": rule("L") + security("local"), "agent.toml": rule("P") + security("project") },
      { allow: ["A"], deny: ["D"], broad: true },
    )
    expect(config.permissions.rules).toEqual([
      { tool: "D", action: "deny", broad: false, source: "--deny" },
      { tool: "A", action: "allow", broad: true, source: "--allow" },
      { tool: "L", action: "deny", broad: false, source: "agent.local.toml:1" },
      { tool: "P", action: "deny", broad: false, source: "agent.toml:1" },
    ])
    expect(config.security).toEqual({
      redact: ["local+", "project+"],
      redactEnv: ["local_*", "project_*"],
      sandbox: "auto",
    })
  })

  it.each<[managed: string | null, local: string | null, project: string | null, started: string[]]>([
    [null, null, '["a"]', ["a"]],
    [null, '["b"]', '["a"]', ["b"]],
    [null, "[]", '["a"]', ["a", "b", "c"]],
    ['["a", "b"]', null, null, ["a", "b"]],
    ['["a", "b"]', '["b", "c"]', null, ["b"]],
    ['["a"]', '["c"]', null, []],
    ['["a"]', "[]", null, ["a"]],
  ])("S2.11 allowlists managed %s, local %s, project %s start %j", async (managed, local, project, started) => {
    const list = (names: string | null) => (names === null ? "" : `[security]\nmcp_server_allowlist = ${names}\n`)
    const servers = ["a", "b", "c"].map((name) => `[mcp_servers.${name}]\ncommand = "${name}"\n`).join("")
    const { config } = await loadTree({
      "managed.toml": list(managed),
      "repo/app/agent.local.toml": list(local),
      "repo/app/agent.toml": list(project) + servers,
    })
    expect(config.servers.map(({ name }) => name)).toEqual(started)
  })

  it("the managed file counts only when it is its owner's and not everybody may write it", async () => {
    const root = createWorkspace({ "managed.toml": turns(1), "ws/x": "" })
    const options = optionsFor(join(root, "ws"), { managedFile: join(root, "managed.toml") })
    const stranger = await loadConfig({ ...options, managedOwnerId: owner + 1 })
    chmodSync(join(root, "managed.toml"), 0o666)
    const writable = await loadConfig({ ...options, managedOwnerId: owner })
    expect([stranger, writable].map(({ config }) => [config.agent.maxTurns, config.warnings])).toEqual([
      [50, [{ code: "config_ignored", message: "../managed.toml is ignored: it does not belong to root" }]],
      [50, [{ code: "config_ignored", message: "../managed.toml is ignored: everybody may write it" }]],
    ])
  })

  it("--bare reads only what is named and the managed file", async () => {
    const files = {
      "managed.toml": "[agent]\nmax_turns = 1\n",
      "repo/app/named.toml": "[agent]\nmax_tokens = 2\n",
      "repo/app/agent.local.toml": "broken",
      [userFile]: "broken",
      "repo/app/agent.toml": "broken",
      "repo/app/.mcp.json": "broken",
    }
    const { config } = await loadTree(files, { bare: true, configFiles: ["named.toml"] })
    expect(config.agent).toMatchObject({ maxTurns: 1, maxTokens: 2 })
    expect(config.servers).toEqual([])
    expect(config.sources).toHaveLength(2)
  })

  it("a project file that is also named by --config is read once, as the named one", async () => {
    const workspace = createWorkspace({ "agent.toml": '[[permissions.rules]]\ntool = "X"\naction = "deny"\n' })
    symlinkSync("agent.toml", join(workspace, "alias.toml"))
    const { config } = await loadConfig(optionsFor(workspace, { configFiles: ["alias.toml"] }))
    expect(config.permissions.rules.map(({ source }) => source)).toEqual(["alias.toml:1"])
    expect(config.sources).toEqual(["alias.toml"])
  })

  it("without a git root only the workspace itself is looked at", async () => {
    const root = createWorkspace({ "agent.toml": turns(9), "ws/x": "" })
    const { config } = await loadConfig(optionsFor(join(root, "ws")))
    expect(config.agent.maxTurns).toBe(50)
  })
})

describe("what a repository cannot do", () => {
  it("T8 a user configuration inside the repository is skipped with a warning, by XDG_CONFIG_HOME, HOME or a link", async () => {
    const root = createWorkspace({
      "repo/.git/HEAD": "",
      "repo/app/x": "",
      "repo/evil/agent-run/agent.toml": turns(9),
      "repo/app/home/.config/agent-run/agent.toml": turns(9),
    })
    mkdirSync(join(root, "linked"))
    symlinkSync(join(root, "repo/evil/agent-run"), join(root, "linked/agent-run"))
    const environments = [
      { XDG_CONFIG_HOME: join(root, "repo/evil") },
      { HOME: join(root, "repo/app/home") },
      { XDG_CONFIG_HOME: join(root, "linked") },
    ]
    for (const env of environments) {
      const { config } = await loadConfig(optionsFor(join(root, "repo/app"), { env }))
      expect([config.agent.maxTurns, config.warnings.map(({ code }) => code)]).toEqual([50, ["user_config_ignored"]])
    }
  })

  it("T8 a .env file is never read", async () => {
    const error = await failure(
      load({ ".env": "SECRET=from-dotenv\n", "agent.toml": '[mcp_servers.s]\ncommand = "x"\nargs = ["${SECRET}"]\n' }),
    )
    expect(error.code).toBe("unset_variable")
  })
})
