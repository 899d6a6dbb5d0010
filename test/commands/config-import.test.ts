import { parse } from "smol-toml"
import { describe, expect, it } from "vitest"
import { runConfigCommand } from "../../src/commands/config.ts"
import { exportServers } from "../../src/config/exchange/export-json.ts"
import { createWorkspace, failure, load, optionsFor } from "../config/workspace.ts"

async function importJson(contents: unknown, more: { readonly json?: boolean; readonly name?: string } = {}) {
  const { json = false, name = "theirs.json" } = more
  let output = ""
  const notes: string[] = []
  const workspace = createWorkspace({ [name]: typeof contents === "string" ? contents : JSON.stringify(contents) })
  const exitCode = await runConfigCommand({
    ...{ action: "import", json, file: name, options: optionsFor(workspace) },
    write: (text) => {
      output += text
    },
    note: (line) => notes.push(line),
  })
  return { exitCode, output, notes }
}

const servers = {
  files: { command: "npx", args: ["-y", "some-server", "."], env: { MODE: "${MODE:-fast}" }, cwd: "sub" },
  "far away": { type: "http", url: "https://h.example/mcp", headers: { Authorization: "Bearer ${TOKEN}" } },
}

describe("config import", () => {
  it.each<[string, unknown]>([
    ["mcpServers", { mcpServers: servers }],
    ["servers", { servers, inputs: [] }],
    ["a flat map", servers],
  ])("S1.5 S4.2 prints %s as TOML that means the same", async (_, contents) => {
    const { exitCode, output } = await importJson(contents)
    expect(exitCode).toBe(0)
    expect(parse(output)).toEqual({ mcp_servers: servers })
  })

  it("S1.5 names what it leaves out, and secrets in plain text", async () => {
    const { output, notes } = await importJson({
      mcpServers: {
        a: { command: "x", env: { API_KEY: "hunter22" }, autoApprove: ["*"], disabled: true, color: "red" },
      },
    })
    expect(parse(output)).toEqual({
      mcp_servers: { a: { command: "x", env: { API_KEY: "hunter22" }, enabled: false } },
    })
    expect(notes).toEqual([
      expect.stringMatching(/^warning auto_approve_ignored: theirs\.json:1:\d+ mcpServers\.a\.autoApprove never has/),
      expect.stringMatching(/^warning import_key_ignored: theirs\.json:1:\d+ mcpServers\.a\.color is unknown/),
      "warning plain_secret: theirs.json mcp_servers.a.env holds a secret in plain text; write ${NAME} and set the variable",
    ])
  })

  it("S1.5 gives servers and warnings with --json", async () => {
    const { output } = await importJson({ mcpServers: servers }, { json: true })
    expect(JSON.parse(output)).toEqual({ mcp_servers: servers, warnings: [] })
  })

  it.each<[string, unknown, string]>([
    ["theirs.json", "{", "theirs.json:1:2 not valid JSON"],
    ["theirs.json", { mcpServers: { a: { command: 7 } } }, "theirs.json:1:21 mcp_servers.a.command: expected text"],
    ["theirs.json", { mcpServers: { a: {} } }, "mcp_servers.a: needs command (stdio) or url (remote)"],
    ["theirs.toml", "", "theirs.toml is not a .json file"],
  ])("S1.5 refuses a wrong file %s %j with its place", async (name, contents, said) => {
    expect((await failure(importJson(contents, { name }))).message).toContain(said)
  })

  it("needs a file, and the other actions take none", async () => {
    const options = optionsFor(createWorkspace({}))
    const around = { json: false, options, write: () => {}, note: () => {} }
    const messages = await Promise.all([
      failure(runConfigCommand({ ...around, action: "import", file: undefined })),
      failure(runConfigCommand({ ...around, action: "check", file: "x.json" })),
    ])
    expect(messages.map(({ message }) => message)).toEqual(["config import needs a file", "config check takes no file"])
  })
})

describe("the export of servers", () => {
  it("S1.5 is mcpServers JSON with variables unexpanded and secrets masked, and can be imported again", async () => {
    const { effective } = await load(
      {
        "agent.toml": `
[mcp_servers.files]
command = "npx"
args = ["-y", "x", "--token", "hunter22"]
env = { MODE = "\${MODE:-fast}" }
env_vars = ["GH_TOKEN"]
tool_timeout_sec = 5

[mcp_servers.far]
type = "http"
url = "https://h.example/mcp"
headers = { X-Plain = "hunter22" }
env_headers = { X-Key = "FAR_KEY" }
bearer_token_env_var = "GH_TOKEN"
enabled = false
`,
      },
      { env: { GH_TOKEN: "canary-value", FAR_KEY: "canary-value" } },
    )
    const exported = exportServers(effective)
    expect(exported).toEqual({
      mcpServers: {
        files: {
          command: "npx",
          args: ["-y", "x", "--token", "***"],
          env: { GH_TOKEN: "${GH_TOKEN}", MODE: "${MODE:-fast}" },
        },
        far: {
          type: "http",
          url: "https://h.example/mcp",
          headers: { "X-Plain": "***", "X-Key": "${FAR_KEY}", Authorization: "Bearer ${GH_TOKEN}" },
          disabled: true,
        },
      },
      masked: ["mcp_servers.files.args", "mcp_servers.far.headers"],
    })
    const again = await importJson({ mcpServers: exported.mcpServers })
    expect(again.exitCode).toBe(0)
    expect(parse(again.output)).toMatchObject({ mcp_servers: { far: { enabled: false } } })
  })
})
