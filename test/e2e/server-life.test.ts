import { mkdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { allowing, fixture, it } from "../support/cli-test.ts"
import { answer, text, toolUse } from "../support/messages-server.ts"
import { type CliRun, textOf, until } from "../support/run-cli.ts"

const done = answer([text("Done.")])
const quick = { retry: { initial_ms: 10, max_ms: 20 } }
const permissions = allowing("mcp__srv__*")

const callsOf = (run: CliRun) => run.report?.calls.map(({ tool, ok, error_code }) => [tool, ok ? "ok" : error_code])
const startsIn = (file: string) => textOf(file).trim().split("\n").length
const resultOf = (run: CliRun, tool: string) =>
  run.events.flatMap((event) => (event.type === "tool.result" && event.tool === tool ? event.content : []))

describe("a server that dies during the run", () => {
  it.concurrent("S3.13 F32 is restarted once per call, and the run goes on with it", async ({ cli, serve, folder }) => {
    const started = join(folder, "started")
    const die = (id: string) => answer([toolUse("mcp__srv__die", {}, id)])
    const api = await serve([die("one"), die("two"), answer([toolUse("mcp__srv__echo", { text: "x" })]), done])
    const srv = fixture(["--with", "die,echo", "--started-file", started], { required: true })
    const run = await cli({ api, config: { mcp: quick, mcp_servers: { srv }, permissions } })
    expect([run.exitCode, startsIn(started)]).toEqual([0, 3])
    expect(callsOf(run)).toEqual([
      ["mcp__srv__die", "server_unavailable"],
      ["mcp__srv__die", "server_unavailable"],
      ["mcp__srv__echo", "ok"],
    ])
    const [first, ...others] = api.requests.map(({ body }) => JSON.stringify(body.tools))
    expect(others).toEqual([first, first, first])
    expect(run.report?.servers).toMatchObject([{ name: "srv", state: "connected", tools: 2, error: null }])
  })

  it.concurrent("S0.8 S3.11 S3.26 is pending, then failed, in events and report, and its tools are gone", async ({
    cli,
    serve,
    folder,
  }) => {
    const api = await serve([answer([toolUse("mcp__srv__die", {}), toolUse("Glob", { pattern: "*" }, "glob")]), done])
    const srv = fixture(["--with", "die,echo", "--started-file", join(folder, "started"), "--starts", "1"])
    const run = await cli({ api, config: { mcp: quick, mcp_servers: { srv }, permissions } })
    const life = run.events.flatMap((event) =>
      event.type.startsWith("server.") && "state" in event ? [`${event.type} ${event.state}`] : [],
    )
    expect(life).toEqual([
      "server.connecting pending",
      "server.connected connected",
      "server.disconnected pending",
      ...Array.from({ length: 3 }, () => "server.connecting pending"),
      "server.error failed",
    ])
    expect([run.exitCode, run.report?.retries]).toEqual([0, 2])
    expect(run.report?.servers).toMatchObject([
      { state: "failed", error: expect.stringContaining("exited with code 9") },
    ])
    const offered = api.requests.map(({ body }) => body.tools.filter(({ name }) => name.startsWith("mcp__")).length)
    expect(offered).toEqual([2, 0])
  })

  it.concurrent("a required one that is gone for good while the model thinks: its calls are answered, exit 5", async ({
    start,
    serve,
    folder,
  }) => {
    const started = join(folder, "started")
    const api = await serve((_, index) => async (exchange) => {
      if (index === 0) {
        process.kill(Number(textOf(started).trim()), "SIGKILL")
        await until(() => running.events().some(({ type }) => type === "server.error"), "the server is given up")
      }
      return answer([toolUse("mcp__srv__echo", {}), toolUse("Glob", { pattern: "*" }, "glob")])(exchange)
    })
    const srv = fixture(["--started-file", started, "--starts", "1"], { required: true })
    const running = start({ api, config: { mcp: quick, mcp_servers: { srv }, permissions } })
    const run = await running.ended
    expect([run.exitCode, run.report?.reason?.code]).toEqual([5, "required_server_unavailable"])
    expect(callsOf(run)).toEqual([
      ["mcp__srv__echo", "not_run"],
      ["Glob", "not_run"],
    ])
    expect(api.requests).toHaveLength(1)
  })

  it.concurrent("a required one that is not back at the end spoils the answer", async ({ start, serve, folder }) => {
    const started = join(folder, "started")
    const api = await serve(() => async (exchange) => {
      process.kill(Number(textOf(started).trim()), "SIGKILL")
      await until(() => running.events().some(({ type }) => type === "server.disconnected"), "the server is lost")
      return done(exchange)
    })
    const srv = fixture(["--started-file", started, "--starts", "1"], { required: true })
    const running = start({ api, config: { mcp: quick, mcp_servers: { srv }, permissions } })
    const run = await running.ended
    expect([run.exitCode, run.report?.answer]).toEqual([5, "Done."])
  })
})

describe("a server whose tools change during the run", () => {
  it.concurrent("S4.22 new tools are callable under the same rules, withdrawn ones are a clear error, the order holds", async ({
    cli,
    serve,
  }) => {
    const api = await serve([
      answer([toolUse("mcp__srv__offer", { name: "Aa" }), toolUse("mcp__srv__offer", { name: "bad_one" }, "second")]),
      answer([toolUse("mcp__srv__Aa", { text: "hi" }), toolUse("mcp__srv__bad_one", {}, "denied")]),
      answer([toolUse("mcp__srv__withdraw", { name: "Aa" })]),
      answer([toolUse("mcp__srv__Aa", {})]),
      done,
    ])
    const rules = [
      { tool: "mcp__srv__*", action: "allow" },
      { tool: "mcp__srv__bad_*", action: "deny" },
    ]
    const config = { mcp_servers: { srv: fixture(["--with", "offer,withdraw"]) }, permissions: { rules } }
    const run = await cli({ api, config })
    const [first = [], second = [], , fourth = []] = api.requests.map(({ body }) => body.tools.map(({ name }) => name))
    expect(second).toEqual([...first, "mcp__srv__Aa"])
    expect(fourth).toEqual(first)
    expect(callsOf(run)).toEqual([
      ["mcp__srv__offer", "ok"],
      ["mcp__srv__offer", "ok"],
      ["mcp__srv__Aa", "ok"],
      ["mcp__srv__bad_one", "denied"],
      ["mcp__srv__withdraw", "ok"],
      ["mcp__srv__Aa", "unknown_tool"],
    ])
    expect(resultOf(run, "mcp__srv__Aa").at(-1)).toEqual({
      type: "text",
      text: 'MCP server "srv" no longer offers "Aa": it was withdrawn during the run.',
    })
    expect(run.exitCode).toBe(0)
    expect(run.stderr).toMatch(/server srv: offers changed: \+Aa/)
  })

  it.concurrent("a description that changes is offered from the next turn on, with a warning", async ({
    cli,
    serve,
  }) => {
    const api = await serve([answer([toolUse("mcp__srv__offer", { name: "echo", description: "Other words" })]), done])
    const config = { mcp_servers: { srv: fixture(["--with", "offer,echo"]) }, permissions }
    const run = await cli({ api, config })
    const described = api.requests.map(
      ({ body }) => body.tools.find(({ name }) => name === "mcp__srv__echo")?.description,
    )
    expect(described).toEqual(["Tool echo of the fixture", "Other words"])
    expect(run.report?.warnings).toMatchObject([
      { code: "mcp_tool_changed", message: expect.stringContaining('"echo"') },
    ])
  })
})

describe("dead_letter_file", () => {
  it.concurrent("S0.30 T22 keeps what failed for good, without secrets, and out of the agent's reach", async ({
    start,
  }) => {
    const env = { DEPLOY_TOKEN: "canary-0123456789" }
    const srv = fixture(["--with", "hang"], { tool_timeout_sec: 0.2 })
    const calls = [
      { tool: "mcp__srv__hang", input: { key: env.DEPLOY_TOKEN, n: 1 } },
      { tool: "Read", input: { file_path: "letters/dead.jsonl" } },
    ]
    const running = start({
      env,
      config: { mcp: { dead_letter_file: "letters/dead.jsonl" }, mcp_servers: { srv }, permissions },
      script: [{ calls }, { text: "Done." }],
    })
    const run = await running.ended
    expect(callsOf(run)).toEqual([
      ["mcp__srv__hang", "timeout"],
      ["Read", expect.stringMatching(/denied|tool_error/)],
    ])
    const path = join(running.workspace, "letters", "dead.jsonl")
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({
      server: "srv",
      tool: "hang",
      args: { key: "[redacted:DEPLOY_TOKEN]", n: 1 },
      error: { code: "timeout" },
      attempts: 1,
    })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(run.report?.files_changed).toEqual([])
  })

  it.concurrent("S0.30 one that cannot be written ends the run before any request", async ({ cli, serve, folder }) => {
    mkdirSync(join(folder, "taken"))
    const api = await serve([done])
    const run = await cli({ api, config: { mcp: { dead_letter_file: join(folder, "taken") } } })
    expect([run.exitCode, run.report?.reason?.code, api.requests.length]).toEqual([2, "output_unwritable", 0])
  })
})
