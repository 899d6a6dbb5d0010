import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { type ConfigOptions, loadConfig } from "../../src/config/load.ts"
import { createWorkspace, load, optionsFor, problemsOf } from "./workspace.ts"

const server = (name: string, keys: string) => `[mcp_servers.${name}]\n${keys}\n`

/** Load with a managed file beside the workspace. */
function loadManaged(managed: string, project: string, options: Partial<ConfigOptions> = {}) {
  const root = createWorkspace({ "managed.toml": managed, "ws/agent.toml": project })
  return loadConfig(
    optionsFor(join(root, "ws"), {
      managedFile: join(root, "managed.toml"),
      managedOwnerId: process.getuid?.() ?? 0,
      ...options,
    }),
  )
}

describe("the same server in two scopes", () => {
  it.each<[same: boolean, string, string]>([
    [true, 'url = "https://h.example/mcp"', 'url = "HTTPS://H.EXAMPLE:443/a/../mcp/#x"'],
    [true, 'url = "https://h.example/mcp?a=1&b=2"', 'type = "http"\nurl = "https://h.example/mcp?b=2&a=1"'],
    [true, 'url = "https://h.example/%6a"', 'url = "https://h.example/%6A"'],
    [true, 'url = "https://${HOST}/mcp"', 'url = "https://h.example/mcp"'],
    [true, 'command = "npx"\nargs = ["x"]', 'command = "npx"\nargs = ["${ARG:-x}"]\ncwd = "."'],
    [false, 'url = "https://h.example/mcp"', 'url = "http://h.example/mcp"'],
    [false, 'url = "https://h.example/mcp"', 'url = "https://h.example:8443/mcp"'],
    [false, 'url = "https://h.example/mcp"', 'url = "https://h.example/other"'],
    [false, 'url = "https://h.example/mcp?a=1"', 'url = "https://h.example/mcp?a=2"'],
    [false, 'command = "npx"\nargs = ["x"]', 'command = "npx"\nargs = ["x", "y"]'],
    [false, 'command = "npx"\nargs = ["x"]', 'command = "npx"\nargs = ["x"]\ncwd = "sub"'],
  ])("S3.20 is the same: %s, for %j and %j", async (same, local, project) => {
    const { config } = await load(
      { "agent.local.toml": server("mine", local), "agent.toml": server("theirs", project) },
      { env: { HOST: "h.example" } },
    )
    expect(config.servers.map(({ name }) => name)).toEqual(same ? ["mine"] : ["mine", "theirs"])
    expect(config.warnings.map(({ code }) => code)).toEqual(same ? ["duplicate_server"] : [])
  })

  const endpoint = 'url = "https://h.example/mcp"'

  it("S3.20 counts once, from the higher scope, and both are named", async () => {
    const { config } = await load({
      "agent.local.toml": server("mine", endpoint),
      "agent.toml": server("theirs", `${endpoint}\nrequired = true`),
    })
    expect(config.servers).toMatchObject([{ name: "mine", required: true }])
    expect(config.disabledServers).toEqual([
      {
        ...{ name: "theirs", transport: "url", required: false },
        why: 'it is the same server as "mine" (agent.local.toml:1), which has the higher scope',
      },
    ])
    expect(config.warnings.map(({ message }) => message)).toEqual([
      'the MCP server "theirs" (agent.toml:1) is the same as "mine" (agent.local.toml:1); only the one of the higher scope, "mine", counts',
    ])
  })

  it("S3.20 two in one scope are both started", async () => {
    const { config } = await load({ "agent.toml": server("one", endpoint) + server("two", endpoint) })
    expect([config.servers.length, config.warnings]).toEqual([2, []])
  })

  it("S3.20 one that is switched off above stays off below, unless --only or --without chooses", async () => {
    const files = { "agent.local.toml": server("mine", endpoint), "agent.toml": server("theirs", endpoint) }
    const off = { ...files, "agent.local.toml": server("mine", `${endpoint}\nenabled = false`) }
    const started = await Promise.all([
      load(off),
      load(files, { only: ["theirs"] }),
      load(files, { without: ["mine"] }),
      load({ "agent.toml": server("theirs", endpoint) }, { mcpServers: ["again=https://h.example/mcp"] }),
    ])
    expect(started.map(({ config }) => config.servers.map(({ name }) => name))).toEqual([
      [],
      ["theirs"],
      ["theirs"],
      ["theirs"],
    ])
  })
})

describe("an exclusive managed file", () => {
  it("S3.18 leaves no server but its own, and says so of each", async () => {
    const managed = `[mcp]\nexclusive = true\n${server("house", 'command = "house"')}`
    const { config } = await loadManaged(managed, server("theirs", 'command = "theirs"'), {
      mcpServers: ["mine=https://h.example/mcp"],
    })
    expect(config.servers.map(({ name }) => name)).toEqual(["house"])
    expect(config.disabledServers.map(({ name, why }) => [name, why])).toEqual([
      ["theirs", expect.stringMatching(/^only servers of the managed configuration start \(.*managed\.toml:2\)$/)],
      ["mine", expect.stringMatching(/^only servers of the managed configuration start/)],
    ])
  })

  it("is the managed file's to say", async () => {
    expect(await problemsOf({ "agent.toml": "[mcp]\nexclusive = true\n" })).toEqual([
      "agent.toml:2:1 mcp.exclusive: only the managed file may say so",
    ])
  })
})
