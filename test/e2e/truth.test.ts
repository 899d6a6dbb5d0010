import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { allowing, fixture, it } from "../support/cli-test.ts"
import { answer, brokenAnswer, errorReply, forever, type Reply, text, toolUse } from "../support/messages-server.ts"
import { type CliRun, textOf, until } from "../support/run-cli.ts"

/** What a run that did not do its job must say: the exit code, the reason, and the cause in words wherever people look. */
function expectTruth(run: CliRun, truth: { exitCode: number; code: string; cause: RegExp }): void {
  expect({ exitCode: run.exitCode, code: run.report?.reason?.code }).toEqual({
    exitCode: truth.exitCode,
    code: truth.code,
  })
  expect(run.stderr).toMatch(truth.cause)
  expect(JSON.stringify(run.report)).toMatch(truth.cause)
  expect(run.stderr).toContain(run.report?.reason?.message.split("\n")[0])
  expect(run.stdout).toBe("")
}

const calls = (tool: string, input: object = {}): readonly Reply[] => [
  answer([text("I call a tool."), toolUse(tool, input)]),
  answer([text("All is done.")]),
]

describe("the step tells the truth about servers", () => {
  it.concurrent("S2.16 F31 a required server whose command is missing ends the run before any request", async ({
    cli,
    serve,
  }) => {
    const api = await serve(calls("mcp__files__echo"))
    const config = { mcp_servers: { files: { command: "no-such-command", required: true } } }
    const run = await cli({ api, config })
    expectTruth(run, {
      exitCode: 5,
      code: "required_server_unavailable",
      cause: /files.*\\?"no-such-command\\?" was not found/,
    })
    expect(api.requests).toHaveLength(0)
  })

  it.concurrent("S2.16 F31 a server whose command is missing is left out, and a run that needed it is not green", async ({
    cli,
    serve,
  }) => {
    const api = await serve(calls("mcp__files__echo"))
    const run = await cli({ api, config: { mcp_servers: { files: { command: "no-such-command" } } } })
    expectTruth(run, { exitCode: 8, code: "no_call_succeeded", cause: /files.*\\?"no-such-command\\?" was not found/ })
    expect(run.report?.calls).toMatchObject([{ tool: "mcp__files__echo", decision: null, error_code: "unknown_tool" }])
    expect(run.report?.servers).toMatchObject([{ name: "files", state: "failed", tools: 0 }])
    expect(run.report?.answer).toBe("All is done.")
  })

  it.concurrent("F30 a required server that never answers initialize", async ({ cli, serve }) => {
    const api = await serve(calls("mcp__files__echo"))
    const files = fixture(["--silent"], { required: true, startup_timeout_sec: 1 })
    const run = await cli({ api, config: { mcp_servers: { files } } })
    const cause = /files.*did not answer initialize within 1\.0 s/
    expectTruth(run, { exitCode: 5, code: "required_server_unavailable", cause })
    expect(api.requests).toHaveLength(0)
  })

  it.concurrent("F31 a required server that exits at start, with its last words", async ({ cli, serve }) => {
    const api = await serve(calls("mcp__files__echo"))
    const files = fixture(["--exit-at-start", "3", "--stderr", "the licence has expired"], { required: true })
    const run = await cli({ api, config: { mcp_servers: { files } } })
    const cause = /files.*exited with code 3.*the licence has expired/
    expectTruth(run, { exitCode: 5, code: "required_server_unavailable", cause })
    expect(api.requests).toHaveLength(0)
  })

  it.concurrent("S2.17 a server that dies for good fails that call and the next, and the run is not green", async ({
    cli,
    serve,
    folder,
  }) => {
    const api = await serve([answer([toolUse("mcp__files__die", {})]), ...calls("mcp__files__echo")])
    const files = fixture(["--with", "die,echo", "--started-file", join(folder, "started"), "--starts", "1"])
    const mcp = { retry: { max_attempts: 2, initial_ms: 10 } }
    const run = await cli({ api, config: { mcp, mcp_servers: { files }, permissions: allowing("mcp__files__*") } })
    expectTruth(run, { exitCode: 8, code: "no_call_succeeded", cause: /files.*exited with code 9/ })
    expect(run.stderr).toMatch(/files: lost: .*exited with code 7.*dying as asked/)
    expect(run.report?.calls).toMatchObject([
      { tool: "mcp__files__die", ok: false, error_code: "server_unavailable" },
      { tool: "mcp__files__echo", ok: false, error_code: "server_unavailable" },
    ])
  })

  it.concurrent("S2.17 a required server that dies for good ends the run without another request", async ({
    cli,
    serve,
    folder,
  }) => {
    const api = await serve(calls("mcp__files__die"))
    const switches = ["--with", "die", "--started-file", join(folder, "started"), "--starts", "1"]
    const files = fixture([...switches, "--stderr", "no disk left"], { required: true })
    const mcp = { retry: { initial_ms: 10, max_ms: 20 } }
    const run = await cli({ api, config: { mcp, mcp_servers: { files }, permissions: allowing("mcp__files__*") } })
    const cause = /files.*exited with code 9.*no disk left/
    expectTruth(run, { exitCode: 5, code: "required_server_unavailable", cause })
    expect(api.requests).toHaveLength(1)
  })
})

describe("the step tells the truth about calls", () => {
  it.concurrent("a run whose only call was denied is not green, and says by what it was denied", async ({
    cli,
    serve,
  }) => {
    const api = await serve(calls("Write", { file_path: "note.txt", content: "hello" }))
    const run = await cli({ api })
    expectTruth(run, { exitCode: 8, code: "no_call_succeeded", cause: /0 of 1 calls succeeded/ })
    expect(run.stderr).toMatch(/denied: Write/)
    expect(run.report).toMatchObject({ denied: 1, files_changed: [], calls: [{ tool: "Write", error_code: "denied" }] })
  })

  it.concurrent("a run whose only call was for an unknown tool is not green, and names the tool", async ({
    cli,
    serve,
  }) => {
    const api = await serve(calls("launch_rocket"))
    const run = await cli({ api })
    expectTruth(run, { exitCode: 8, code: "no_call_succeeded", cause: /0 of 1 calls succeeded/ })
    expect(run.stderr).toMatch(/unknown tool: launch_rocket/)
    expect(run.report?.calls).toMatchObject([{ tool: "launch_rocket", decision: null, error_code: "unknown_tool" }])
  })

  it.concurrent("SIGTERM in a hanging call: the report is written, the server is gone", async ({
    start,
    serve,
    folder,
  }) => {
    const api = await serve(calls("mcp__files__hang"))
    const callsFile = join(folder, "calls")
    const files = fixture(["--with", "hang", "--calls-file", callsFile])
    const running = start({ api, config: { mcp_servers: { files }, permissions: allowing("mcp__files__*") } })
    await until(() => textOf(callsFile).includes('"call":"hang"'), "the call has reached the server")
    expect(running.processes()).toHaveLength(2)
    running.kill("SIGTERM")
    const run = await running.ended
    expectTruth(run, { exitCode: 143, code: "terminated", cause: /stopped by SIGTERM/ })
    expect(run.report?.calls).toMatchObject([{ tool: "mcp__files__hang", ok: false, error_code: "aborted" }])
    expect(api.requests).toHaveLength(1)
  })
})

describe("the step tells the truth about the model", () => {
  it.concurrent("F20 an empty answer, also after a nudge", async ({ cli, serve }) => {
    const api = await serve([forever(answer([]))])
    const run = await cli({ api })
    expectTruth(run, { exitCode: 6, code: "model_empty", cause: /without an answer/ })
    expect(api.requests).toHaveLength(2)
  })

  it.concurrent("F15 an answer cut off by max_tokens is shown as partial and is no success", async ({ cli, serve }) => {
    const api = await serve([answer([text("The first half of")], { stopReason: "max_tokens" })])
    const run = await cli({ api })
    expectTruth(run, { exitCode: 6, code: "model_truncated", cause: /cut off at the output limit/ })
    expect(run.report?.answer).toBe("The first half of")
    expect(run.stderr).toContain("The first half of")
  })

  it.concurrent("F18 a refusal, with its category", async ({ cli, serve }) => {
    const stopDetails = { type: "refusal", category: "cyber", explanation: "this looks like an attack" }
    const api = await serve([answer([text("I will not.")], { stopReason: "refusal", stopDetails })])
    const run = await cli({ api })
    expectTruth(run, { exitCode: 6, code: "model_refused", cause: /refused.*cyber/ })
    expect(api.requests).toHaveLength(1)
  })

  it.concurrent.for([
    [401, "authentication_error"],
    [402, "billing_error"],
    [403, "permission_error"],
  ] as const)(
    "F22 credentials or an account that are refused (%i), without a retry",
    async ([status, type], { cli, serve }) => {
      const api = await serve([forever(errorReply(status, type, { message: "not with this key" }))])
      const run = await cli({ api })
      expectTruth(run, { exitCode: 6, code: "model_auth", cause: new RegExp(`HTTP ${status}: not with this key`) })
      expect(api.requests).toHaveLength(1)
      expect(run.stderr).toContain("ANTHROPIC_API_KEY")
    },
  )

  it.concurrent("F5 an API that is overloaded for ever, after 6 attempts", { timeout: 60_000 }, async ({
    cli,
    serve,
  }) => {
    const api = await serve([forever(errorReply(529, "overloaded_error", { message: "Overloaded" }))])
    const run = await cli({ api, timeoutMs: 55_000 })
    expectTruth(run, { exitCode: 6, code: "model_overloaded", cause: /HTTP 529: Overloaded \(after 6 attempts\)/ })
    expect([api.requests.length, run.report?.retries]).toEqual([6, 5])
  })

  it.concurrent("F3 an API that asks to wait for an hour", async ({ cli, serve }) => {
    const headers = { "retry-after": "3600" }
    const api = await serve([forever(errorReply(429, "rate_limit_error", { message: "Slow down", headers }))])
    const run = await cli({ api })
    expectTruth(run, { exitCode: 6, code: "model_overloaded", cause: /Slow down.*asks to wait 3600 s/ })
    expect(api.requests).toHaveLength(1)
  })

  it.concurrent("F12 a stream that breaks inside a tool call every time: nothing is run", { timeout: 60_000 }, async ({
    start,
    serve,
  }) => {
    const write = toolUse("Write", { file_path: "note.txt", content: "a text that is long enough to be cut" })
    const api = await serve([forever(brokenAnswer([text("I write."), write], "reset"))])
    const running = start({ api, config: { permissions: allowing("Write") }, timeoutMs: 55_000 })
    const run = await running.ended
    expectTruth(run, { exitCode: 6, code: "model_stream_broken", cause: /broke off.*\(after 6 attempts\)/ })
    expect(api.requests).toHaveLength(6)
    expect(run.report?.calls).toEqual([])
    expect(existsSync(join(running.workspace, "note.txt"))).toBe(false)
  })
})

describe("the step tells the truth about its start", () => {
  it.concurrent("S0.31 a variable that is not set is named, with its key, before any request", async ({
    cli,
    serve,
  }) => {
    const api = await serve(calls("mcp__files__echo"))
    const files = fixture([], { env: { TOKEN: "${DEPLOY_TOKEN}" } })
    const run = await cli({ api, config: { mcp_servers: { files } } })
    expectTruth(run, { exitCode: 2, code: "unset_variable", cause: /agent\.toml:\d+.*files\.env\.TOKEN.*DEPLOY_TOKEN/ })
    expect(api.requests).toHaveLength(0)
  })

  it.concurrent("C10 F77 a stdin that is left open and silent is no trouble", async ({ cli, serve }) => {
    const api = await serve([answer([text("I look."), toolUse("Glob", { pattern: "*" })]), answer([text("Done.")])])
    const run = await cli({ api, stdin: "open", files: { "a.txt": "a" } })
    expect({ exitCode: run.exitCode, stdout: run.stdout, reason: run.report?.reason }).toEqual({
      exitCode: 0,
      stdout: "Done.\n",
      reason: null,
    })
  })
})
