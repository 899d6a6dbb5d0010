import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { fixture, it } from "../support/cli-test.ts"

describe("commands that need no server", () => {
  it.for([
    ["config", "check"],
    ["config", "show", "--json"],
    ["config", "schema"],
    ["mcp", "export"],
    ["mcp", "--help"],
    ["--help"],
    ["--version"],
  ])("S4.19 %j starts none", async (args, { cli, folder }) => {
    const started = join(folder, "started")
    const config = { mcp_servers: { s: fixture(["--started-file", started]) } }
    const { exitCode, stdout, stderr } = await cli({ task: null, outDir: false, config, args })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
    expect(stdout).not.toBe("")
    expect(existsSync(started)).toBe(false)
  })
})
