import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { fixture, it } from "../support/cli-test.ts"
import { until } from "../support/run-cli.ts"

const noRun = { task: null, outDir: false } as const

describe("mcp list", () => {
  it.concurrent("S0.27 S1.6 shows every server with its state, and why one is not there", async ({ cli }) => {
    const config = {
      mcp_servers: {
        good: fixture(["--resources"]),
        broken: { command: "no-such-program-anywhere" },
        off: { ...fixture(), enabled: false },
      },
    }
    const { exitCode, stdout, stderr } = await cli({ ...noRun, config, args: ["mcp", "list"] })
    expect(exitCode).toBe(0)
    const rows = stdout.trimEnd().split("\n")
    expect(rows).toHaveLength(4)
    expect(rows[0]).toMatch(/^SERVER +TRANSPORT +STATE +TOOLS +RESOURCES +PROMPTS +CONNECTED IN +WHY NOT$/)
    expect(rows[1]).toMatch(/^good +stdio +connected +1 +4 +0 +\d/)
    expect(rows[2]).toMatch(/^broken +stdio +failed +- +- +- +- +MCP server "broken": /)
    expect(rows[3]).toMatch(/^off +stdio +disabled +- +- +- +- +it is switched off \(agent\.toml:\d+\)$/)
    expect(stderr).toMatch(/^server good: connected, 1 tool, 4 resources/m)
  })

  it.concurrent("S0.27 S1.6 gives the same with --json, and exit code 5 when a required server is down", async ({
    cli,
  }) => {
    const config = {
      mcp_servers: { good: fixture(), broken: { command: "no-such-program-anywhere", required: true } },
    }
    const { exitCode, stdout } = await cli({ ...noRun, config, args: ["mcp", "list", "--json", "-q"] })
    expect(exitCode).toBe(5)
    expect(JSON.parse(stdout)).toEqual({
      servers: [
        {
          ...{ name: "good", transport: "stdio", required: false, state: "connected" },
          ...{ tools: 1, resources: 0, prompts: 0, connect_ms: expect.any(Number), error: null },
        },
        {
          ...{ name: "broken", transport: "stdio", required: true, state: "failed" },
          ...{ tools: 0, resources: 0, prompts: 0, connect_ms: null, error: expect.stringContaining('"broken"') },
        },
      ],
    })
  })

  it.concurrent("ends with 143 on SIGTERM while a server starts, and leaves no process", async ({ start, folder }) => {
    const running = start({
      ...noRun,
      config: { mcp_servers: { slow: fixture(["--silent", "--started-file", join(folder, "started")]) } },
      args: ["mcp", "list"],
    })
    await until(() => existsSync(join(folder, "started")), "the server has started")
    running.kill("SIGTERM")
    const { exitCode, stdout, stderr } = await running.ended
    expect({ exitCode, stdout }).toEqual({ exitCode: 143, stdout: "" })
    expect(stderr).toContain("stopped by SIGTERM")
  })

  it.concurrent("an unknown action is a usage error", async ({ cli }) => {
    const { exitCode, stderr } = await cli({ ...noRun, args: ["mcp", "lst"] })
    expect(exitCode).toBe(2)
    expect(stderr).toContain("list")
  })
})
