import { describe, expect, it } from "vitest"
import { load, problemsOf } from "../workspace.ts"

const entry = '{ "command": "npx", "args": ["-y", "srv"], "env": { "A": "1" }, "cwd": "sub" }'

describe("JSON import", () => {
  it.each([
    ["mcpServers as Claude Desktop and Cursor write it", `{ "mcpServers": { "s": ${entry} } }`],
    ["servers", `{ "servers": { "s": ${entry} } }`],
    ["a flat map", `{ "s": ${entry} }`],
    ["a settings file with other keys", `{ "theme": "dark", "hooks": { "x": 1 }, "mcpServers": { "s": ${entry} } }`],
    ["both tables, mcpServers wins", `{ "mcpServers": { "s": ${entry} }, "servers": { "s": { "command": "no" } } }`],
  ])("S0.2 S0.3 S1.2 S1.3 S4.2 a JSON file is read as it is: %s", async (_, json) => {
    for (const [name, configFiles] of [
      [".mcp.json", []],
      ["other.json", ["other.json"]],
    ] as const) {
      const { config } = await load({ [name]: json }, { configFiles })
      expect(config.servers).toMatchObject([
        { name: "s", transport: "stdio", command: "npx", args: ["-y", "srv"], env: { A: "1" }, source: `${name}:1` },
      ])
      expect(config.servers[0]).toHaveProperty("cwd", expect.stringMatching(/\/sub$/))
      expect(config.warnings).toEqual([])
    }
  })

  it.each([
    ['{ "url": "https://h" }', "url"],
    ['{ "type": "http", "url": "https://h" }', "http"],
    ['{ "type": "streamable-http", "url": "https://h" }', "http"],
    ['{ "type": "streamableHttp", "url": "https://h" }', "http"],
    ['{ "type": "sse", "url": "https://h", "headers": { "X": "1" } }', "sse"],
    ['{ "type": "stdio", "command": "x" }', "stdio"],
  ])("S3.9 %s has the transport %s", async (json, transport) => {
    const { config } = await load({ ".mcp.json": `{ "mcpServers": { "s": ${json} } }` })
    expect(config.servers).toMatchObject([{ transport }])
  })

  it("disabled counts, and keys that mean nothing here are named and have no effect", async () => {
    const json = `{
  "mcpServers": {
    "off": { "command": "x", "disabled": true },
    "on": {
      "command": "x",
      "disabled": false,
      "alwaysAllow": ["*"],
      "autoApprove": true,
      "trust": true,
      "envFile": ".env",
      "timeout": 5
    },
    "far": { "url": "https://h", "env": { "A": "1" } }
  }
}`
    const { config } = await load({ ".mcp.json": json })
    expect(config.servers.map(({ name }) => name)).toEqual(["on", "far"])
    expect(config.disabledServers).toMatchObject([{ name: "off", why: "it is switched off (.mcp.json:3)" }])
    expect(config.permissions).toMatchObject({ default: { action: "deny" }, rules: [] })
    const rule = "never has an effect; write a rule under [[permissions.rules]] instead"
    expect(config.warnings).toEqual([
      { code: "auto_approve_ignored", message: `.mcp.json:7:7 mcpServers.on.alwaysAllow ${rule}` },
      { code: "auto_approve_ignored", message: `.mcp.json:8:7 mcpServers.on.autoApprove ${rule}` },
      { code: "auto_approve_ignored", message: `.mcp.json:9:7 mcpServers.on.trust ${rule}` },
      {
        code: "import_key_ignored",
        message: ".mcp.json:10:7 mcpServers.on.envFile is not read; set the variables in the environment",
      },
      { code: "import_key_ignored", message: ".mcp.json:11:7 mcpServers.on.timeout is unknown and ignored" },
      {
        code: "import_key_ignored",
        message: ".mcp.json:13:34 mcpServers.far.env means nothing for a remote server and is ignored",
      },
    ])
  })

  it.each([
    [
      '{\n  "mcpServers": {\n    "s": { "command": "x", }\n  }\n}',
      '.mcp.json:3:28 not valid JSON: a comma before "}" is not allowed in JSON',
    ],
    ["[]", ".mcp.json:1:1 expected a JSON object with MCP servers"],
    [
      '{\n "mcpServers": { "s": { "command": 5 } } }',
      ".mcp.json:2:25 mcp_servers.s.command: expected text, got a whole number: write it in quotes",
    ],
    [
      '{ "mcpServers": { "s": { "type": "tcp", "url": "x" } } }',
      '.mcp.json:1:26 mcp_servers.s.type: expected one of "stdio", "http", "sse", "ws", "sdk", got "tcp"',
    ],
    ['{ "mcpServers": { "s": {} } }', ".mcp.json:1:19 mcp_servers.s: needs command (stdio) or url (remote)"],
    [
      '{ "mcpServers": { "s": { "command": "x", "url": "y" } } }',
      ".mcp.json:1:42 mcp_servers.s.url: a server has either command or url, not both",
    ],
    [
      '{ "mcpServers": { "s": { "command": "x", "disabled": "no" } } }',
      ".mcp.json:1:42 mcp_servers.s.enabled: expected true or false, got text",
    ],
  ])("%j is an error with its place", async (json, problem) => {
    expect(await problemsOf({ ".mcp.json": json })).toEqual([problem])
  })

  it("mcp.import names other files, relative to the file that says so, and can be empty", async () => {
    const files = {
      ".mcp.json": '{ "default": { "command": "x" } }',
      "conf/agent.toml": '[mcp]\nimport = ["a.json", "b.json"]',
      "conf/a.json": '{ "s": { "command": "a" }, "only-a": { "command": "a" } }',
      "conf/b.json": '{ "s": { "command": "b" } }',
    }
    const { config } = await load(files, { configFiles: ["conf/agent.toml"] })
    expect(config.servers.map((server) => [server.name, server.source])).toEqual([
      ["s", "conf/b.json:1"],
      ["only-a", "conf/a.json:1"],
    ])
    expect((await load(files, { set: ["mcp.import=[]"] })).config.servers).toEqual([])
  })
})
