import { join } from "node:path"
import { describe, expect } from "vitest"
import { fixture, it } from "../support/cli-test.ts"
import { processesOf } from "../support/left-processes.ts"
import { type CliOptions, textOf } from "../support/run-cli.ts"

const script = [{ text: "Never said." }]

describe("servers that are started while the run is still being prepared", () => {
  it.concurrent("are ended when the rest of the preparation finds a mistake", async ({ cli, folder }) => {
    const started = join(folder, "started")
    const config = { mcp_servers: { notes: fixture(["--started-file", started, "--ignore-sigterm"]) } }
    const run = await cli({ config, script, args: ["--allow", "Read(x)"] })
    expect(run.report).toMatchObject({ exit_code: 2, servers: [], calls: [] })
    expect(run.events.map(({ type }) => type)).not.toContain("server.connecting")
    expect(processesOf(folder)).toEqual([])
  })

  it.concurrent("are not started again for the run: one process each", async ({ cli, folder }) => {
    const started = join(folder, "started")
    const servers = ["one", "two", "three", "four"].map((name) => [name, fixture(["--started-file", started])])
    const run = await cli({ config: { mcp_servers: Object.fromEntries(servers) }, script: [{ text: "Done." }] })
    expect(run.report?.servers.map(({ name, state }) => [name, state])).toEqual(
      servers.map(([name]) => [name, "connected"]),
    )
    expect(textOf(started).trim().split("\n")).toHaveLength(4)
    expect(run.events.filter(({ type }) => type === "server.connecting")).toHaveLength(4)
  })

  it.concurrent("say why they could not be started, as any other", async ({ cli }) => {
    const run = await cli({ config: { mcp_servers: { gone: { command: "no-such-command" } } }, script })
    expect(run.report?.servers).toMatchObject([
      { state: "failed", error: expect.stringContaining('the command "no-such-command" was not found') },
    ])
  })

  it.concurrent.for<[string, CliOptions & { readonly hook?: readonly string[] }]>([
    ["a key is missing", {}],
    ["the task is missing", { script, task: null, args: ["--task-file", "no-such-file"] }],
    ["there are two tasks", { script, args: ["--task-file", "agent.toml"] }],
    ["an input is missing", { script, args: ["--input", "no-such-file"] }],
    ["the lock is missing", { script, args: ["--locked"] }],
    ["a hook may still refuse the run", { script, hook: ["sh", "-c", "exit 2"] }],
    ["the configuration is wrong", { script, args: ["--set", "agent.max_turns=none"] }],
  ])("are not started when %s", async ([, { hook, ...options }], { cli, folder }) => {
    const started = join(folder, "started")
    const config = {
      mcp_servers: { notes: fixture(["--started-file", started]) },
      ...(hook ? { hooks: { run_start: [{ command: hook }] } } : {}),
    }
    const run = await cli({ config, ...options })
    expect(run.exitCode).not.toBe(0)
    expect(textOf(started)).toBe("")
  })
})
