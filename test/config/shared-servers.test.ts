import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { loadConfig } from "../../src/config/load.ts"
import { createWorkspace, failure, load, optionsFor } from "./workspace.ts"

describe("a server that is shared", () => {
  it("starts in the working folder of agent-run, since it serves many workspaces", async () => {
    const toml =
      '[mcp_servers.a]\ncommand = "a"\nshared = true\ncwd = "tools"\n[mcp_servers.b]\ncommand = "b"\ncwd = "tools"\n'
    const workspace = createWorkspace({ "agent.toml": toml })
    const cwd = join(workspace, "..")
    const { config } = await loadConfig({ ...optionsFor(workspace), cwd })
    expect(config.servers).toMatchObject([
      { name: "a", shared: true, cwd: join(cwd, "tools") },
      { name: "b", shared: false, cwd: join(workspace, "tools") },
    ])
  })

  it.each(["roots", "sampling"])("has no %s: it could not know of which task", async (key) => {
    const toml = `[mcp_servers.a]\ncommand = "a"\nshared = true\n${key} = true\n`
    expect((await failure(load({ "agent.toml": toml }))).message).toContain(
      `agent.toml:4:1 mcp_servers.a.${key}: not for a shared server`,
    )
  })
})
