import { describe, expect } from "vitest"
import { allowing, fixture, it } from "../support/cli-test.ts"
import { hook, toldIn } from "../support/hooks.ts"

const script = [{ calls: [{ tool: "mcp__notes__echo", input: { text: "secret plan" } }] }, { text: "Done." }]

describe("hooks of the built CLI", () => {
  it.concurrent("S3.28 watch, change and block calls of MCP tools, and everything is in the transcript", async ({
    cli,
    folder,
  }) => {
    const mcp_servers = { notes: fixture(["--with", "echo,env"]) }
    const permissions = allowing("mcp__notes__echo")
    const pre_tool_use = [
      hook(
        folder,
        { answer: { input: { text: "public plan" }, note: "made public" } },
        { tool: "mcp__notes__*", args: { text: "*secret*" } },
      ),
      hook(folder, {}, { tool: "mcp__other__*" }),
    ]
    const run = await cli({ script, config: { mcp_servers, permissions, hooks: { pre_tool_use } } })
    expect(run.exitCode).toBe(0)
    expect(run.events.filter(({ type }) => type === "hook")).toMatchObject([
      {
        event: "pre_tool_use",
        tool: "mcp__notes__echo",
        call_id: "call_1_1",
        outcome: "changed",
        input: { text: "public plan" },
        note: "made public",
      },
    ])
    const content = [
      { type: "text", text: "public plan" },
      { type: "text", text: "[note of a hook] made public" },
    ]
    expect(run.events.find(({ type }) => type === "tool.result")).toMatchObject({ ok: true, content })
    expect(run.stderr).toMatch(/hook pre_tool_use agent.toml:\d+ on mcp__notes__echo: changed the input/)

    const block = [hook(folder, { exit: 1, stderr: "no" })]
    const config = { mcp_servers, permissions: { ...permissions, on_denied: "fail" }, hooks: { pre_tool_use: block } }
    const blocked = await cli({ script, config })
    expect([blocked.exitCode, blocked.report?.reason?.code]).toEqual([7, "call_denied"])
    expect(blocked.stderr).toMatch(/call mcp__notes__echo: denied by hook pre_tool_use \(agent.toml:\d+\)/)
  })

  it.concurrent("S3.28 S0.1 are told of the tool behind a custom tool, with its fixed arguments", async ({
    cli,
    folder,
  }) => {
    const hooks = { pre_tool_use: [hook(folder, {}, { tool: "mcp__notes__*", args: { text: "fixed" } })] }
    const custom = [{ name: "say", description: "Say it", uses: "mcp__notes__echo", fixed: { text: "fixed" } }]
    const config = {
      mcp_servers: { notes: fixture(["--with", "echo"]) },
      permissions: allowing("mcp__notes__echo", "say"),
      tools: { custom },
      hooks,
    }
    const run = await cli({ script: [{ calls: [{ tool: "say", input: {} }] }, { text: "Done." }], config })
    expect(run.exitCode).toBe(0)
    const wraps = { tool: "mcp__notes__echo", input: { text: "fixed" } }
    expect(toldIn(folder)).toMatchObject([{ tool: "say", server: "notes", input: {}, wraps }])
  })

  it.concurrent("S3.28 at the start block the run before a server or a request is started, with exit code 7", async ({
    cli,
    folder,
    serve,
  }) => {
    const api = await serve([])
    const hooks = { run_start: [hook(folder, { answer: { block: "the freeze lasts until Monday" } })] }
    const run = await cli({ api, config: { hooks, mcp_servers: { notes: fixture() } } })
    expect([run.exitCode, run.report?.status, run.report?.reason?.code]).toEqual([7, "stopped", "hook_blocked"])
    expect(run.report?.reason?.message).toMatch(
      /^the run_start hook \(agent.toml:\d+\) blocks the run: the freeze lasts/,
    )
    expect(api.requests).toEqual([])
    expect(run.events.map(({ type }) => type)).toEqual(["run.start", "hook", "run.end"])
    expect(toldIn(folder)).toMatchObject([{ event: "run_start", task: "Do what the test asks." }])
  })

  it.concurrent("S3.28 at the start may add a note to the task", async ({ cli, folder }) => {
    const hooks = { run_start: [hook(folder, { answer: { note: "Today is a Friday." } })] }
    const expected = [{ text: "Done.", expect: { last_message_contains: "Today is a Friday." } }]
    expect((await cli({ script: expected, config: { hooks } })).exitCode).toBe(0)
  })

  it.concurrent("S3.28 at the end are told how it ended, and turn green into red but never red into green", async ({
    cli,
    folder,
  }) => {
    const run_end = [hook(folder, { exit: 1, stderr: "tests are red" })]
    const green = await cli({ script: [{ text: "Done." }], config: { hooks: { run_end } } })
    expect([green.exitCode, green.report?.reason?.code, green.report?.answer]).toEqual([7, "hook_blocked", "Done."])
    expect(green.report?.reason?.message).toContain("exit code 1: tests are red")

    const fine = [hook(folder, {})]
    const red = await cli({ script: [], config: { hooks: { run_end: fine } } })
    expect([red.exitCode, red.report?.reason?.code]).toEqual([8, "script_mismatch"])
    expect(toldIn(folder)).toMatchObject([
      { event: "run_end", status: "completed", exit_code: 0, answer: "Done." },
      { event: "run_end", status: "failed", exit_code: 8, reason: { code: "script_mismatch" } },
    ])
  })

  it.concurrent("S3.28 that hang do not keep a run that is stopped", async ({ start, folder }) => {
    const hooks = { pre_tool_use: [hook(folder, { hang: true })], run_end: [hook(folder, { hang: true })] }
    const running = start({
      script: [{ calls: [{ tool: "Glob", input: { pattern: "*" } }] }, { text: "Done." }],
      config: { hooks },
    })
    await expect.poll(() => toldIn(folder).length, { timeout: 20_000 }).toBe(1)
    running.kill("SIGTERM")
    const run = await running.ended
    expect([run.exitCode, run.report?.reason?.code]).toEqual([143, "terminated"])
  })

  it.concurrent("T13 the agent cannot change a file that a hook runs", async ({ cli }) => {
    const files = { "hooks/check.sh": "exit 0\n" }
    const config = { permissions: allowing("Write"), hooks: { pre_tool_use: [{ command: ["sh", "hooks/check.sh"] }] } }
    const write = { tool: "Write", input: { file_path: "hooks/check.sh", content: "exit 0" } }
    const run = await cli({ files, config, script: [{ calls: [write] }, { text: "Done." }] })
    expect(run.report?.calls).toMatchObject([{ ok: false, error_code: "tool_error", decision: { action: "allow" } }])
  })

  it.concurrent("S3.28 mistakes in the configuration are named with their place", async ({ cli }) => {
    const config =
      '[[hooks.pre_tool_use]]\ncommand = []\n[[hooks.run_start]]\ncommand = ["true"]\ntool = "*"\n[[hooks.post_tool_use]]\ncommand = ["true"]\ntool = "Read"\ncommands = ["ls"]\n'
    const run = await cli({ config, script: [{ text: "Done." }] })
    expect(run.exitCode).toBe(2)
    for (const part of [
      "agent.toml:2:1 hooks.pre_tool_use[0].command: must not be empty",
      "agent.toml:5:1 hooks.run_start[0].tool: unknown key",
      "agent.toml:9:1 hooks.post_tool_use[0].commands: commands are for Bash",
    ])
      expect(run.stderr).toContain(part)
  })
})
