import { join } from "node:path"
import { describe, expect } from "vitest"
import { fixture, it } from "../support/cli-test.ts"
import { answer, text, toolUse } from "../support/messages-server.ts"
import { textOf } from "../support/run-cli.ts"

const reportBug = {
  name: "report_bug",
  description: "Report a bug of the docs.",
  uses: "mcp__github__create_issue",
  fixed: { text: "acme/docs" },
}

function configOf(calls: string, rules: readonly object[], ...custom: readonly object[]) {
  return {
    mcp_servers: { github: fixture(["--named", "create_issue", "--calls-file", calls]) },
    permissions: { rules },
    tools: { custom },
  }
}

const allow = (tool: string, more: object = {}) => ({ tool, action: "allow", ...more })
const both = [allow("report_bug"), allow("mcp__github__create_issue", { args: { text: "acme/docs" } })]

function callsIn(file: string): readonly unknown[] {
  const lines = textOf(file).trim().split("\n")
  return lines.map((line) => JSON.parse(line)).filter((entry) => "call" in entry)
}

describe("custom tools", () => {
  it.concurrent("S0.1 T21 the model sees a tool without the fixed argument, and the server gets it all the same", async ({
    cli,
    serve,
    folder,
  }) => {
    const calls = join(folder, "calls")
    const api = await serve([
      answer([toolUse("report_bug", {}, "c1"), toolUse("report_bug", { text: "evil/repo" }, "c2")]),
      answer([toolUse("mcp__github__create_issue", { text: "evil/repo" }, "c3")]),
      answer([text("Done.")]),
    ])
    const run = await cli({ api, config: configOf(calls, both, reportBug) })
    expect(run.exitCode).toBe(0)
    const offered = api.requests[0]?.body.tools.find((tool) => tool.name === "report_bug")
    expect(offered).toMatchObject({
      description: "Report a bug of the docs.",
      input_schema: { type: "object", properties: {}, additionalProperties: false },
    })
    expect(JSON.stringify(api.requests[0]?.body)).not.toContain("acme/docs")
    expect(callsIn(calls)).toEqual([{ call: "create_issue", input: { text: "acme/docs" } }])
    expect(run.report?.calls.map((call) => [call.tool, call.server, call.ok, call.error_code])).toEqual([
      ["report_bug", "github", true, null],
      ["report_bug", "github", false, "invalid_input"],
      ["mcp__github__create_issue", "github", false, "denied"],
    ])
    const [first] = run.events.filter((event) => event.type === "tool.call")
    expect(first).toMatchObject({
      input: {},
      wraps: { tool: "mcp__github__create_issue", input: { text: "acme/docs" } },
    })
  })

  it.concurrent("T21 a call that only one of the two rules allows is denied, and the decision says which was missing", async ({
    cli,
    folder,
  }) => {
    const calls = join(folder, "calls")
    const script = [{ calls: [{ tool: "report_bug" }] }, { text: "Done." }]
    const runs = await Promise.all(
      [
        [allow("report_bug")],
        [allow("mcp__github__create_issue")],
        [both[0], allow("mcp__github__*", { args: { text: "other" } })],
      ].map((rules) => cli({ config: configOf(calls, rules as readonly object[], reportBug), script })),
    )
    expect(runs.map((run) => run.report?.calls.map((call) => [call.error_code, call.decision?.rule]))).toEqual([
      [["denied", "default, for mcp__github__create_issue"]],
      [["denied", "default"]],
      [["denied", "default, for mcp__github__create_issue"]],
    ])
    expect(textOf(calls)).not.toContain("create_issue")
  })

  it.concurrent("a tool that is not there, or has no such argument, is a warning, and the custom tool is not offered", async ({
    cli,
    folder,
  }) => {
    const gone = { ...reportBug, name: "gone", uses: "mcp__github__gone" }
    const loose = { ...reportBug, name: "loose", fixed: { repo: "acme/docs" } }
    const config = configOf(join(folder, "calls"), [], gone, loose)
    const run = await cli({ config, script: [{ calls: [{ tool: "gone" }, { tool: "loose" }] }, { text: "Done." }] })
    expect(run.events.flatMap((event) => (event.type === "warning" ? [event.message] : []))).toEqual([
      expect.stringMatching(
        /^agent\.toml:\d+: the custom tool gone is not offered: there is no tool mcp__github__gone/,
      ),
      expect.stringMatching(
        /^agent\.toml:\d+: the custom tool loose is not offered: mcp__github__create_issue has no argument "repo"$/,
      ),
    ])
    expect(run.report?.calls.map((call) => call.error_code)).toEqual(["unknown_tool", "unknown_tool"])
  })

  it.concurrent("a custom tool follows the tool it calls: withdrawn it explains itself, back again it works", async ({
    cli,
  }) => {
    const custom = { name: "say", description: "Say hello.", uses: "mcp__srv__echo" }
    const config = {
      mcp_servers: { srv: fixture(["--with", "echo,offer,withdraw"]) },
      permissions: { rules: [allow("say"), allow("mcp__srv__*")] },
      tools: { custom: [custom] },
    }
    const step = (tool: string, input: object = {}) => ({ calls: [{ tool, input }] })
    const script = [
      step("mcp__srv__withdraw", { name: "echo" }),
      step("say"),
      step("mcp__srv__offer", { name: "echo" }),
      step("say"),
      { text: "Done." },
    ]
    const run = await cli({ config, script })
    const results = run.events.flatMap((event) => (event.type === "tool.result" && event.tool === "say" ? [event] : []))
    expect(results.map(({ ok, server, content }) => [ok, server, content[0]])).toEqual([
      [false, "srv", { type: "text", text: expect.stringContaining('no longer offers "echo"') }],
      [true, "srv", { type: "text", text: "{}" }],
    ])
    expect(run.events.filter((event) => event.type === "warning" && event.code === "custom_tool")).toEqual([])
  })

  it.concurrent("a built-in tool is wrapped under its own rules too", async ({ cli }) => {
    const custom = { name: "run_tests", description: "Run the tests.", uses: "Bash", fixed: { command: "echo tested" } }
    const config = {
      tools: { custom: [custom] },
      permissions: { rules: [allow("run_tests"), allow("Bash", { commands: ["echo tested"] })] },
    }
    const script = [
      { calls: [{ tool: "run_tests" }, { tool: "run_tests", input: { command: "rm -rf ." } }] },
      { text: "Done." },
    ]
    const run = await cli({ config, script })
    const results = run.events.flatMap((event) => (event.type === "tool.result" ? [event] : []))
    expect(results.map(({ ok, error_code }) => [ok, error_code])).toEqual([
      [true, null],
      [false, "invalid_input"],
    ])
    expect(results[0]?.content).toMatchObject([{ type: "text", text: expect.stringContaining("tested") }])
  })
})
