import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect } from "vitest"
import { allowing, fixture, it } from "../support/cli-test.ts"
import { brokenAnswer, errorReply, text } from "../support/messages-server.ts"
import { type CliRun, textOf, until } from "../support/run-cli.ts"

const look = { calls: [{ tool: "Glob", input: { pattern: "*" } }] }
const write = { calls: [{ tool: "Write", input: { file_path: "a.txt", content: "a" } }] }
const files = { "b.txt": "b" }

function endOf({ exitCode, report, stdout }: CliRun) {
  return { exitCode, status: report?.status, code: report?.reason?.code ?? null, answer: report?.answer, stdout }
}

describe("exit codes", () => {
  it.concurrent("C1 0: completed, and stdout carries the answer", async ({ cli }) => {
    const run = await cli({ files, script: [look, { text: "There is b.txt." }] })
    const answered = "There is b.txt."
    expect(endOf(run)).toEqual({
      exitCode: 0,
      status: "completed",
      code: null,
      answer: answered,
      stdout: `${answered}\n`,
    })
  })

  it.concurrent("1: a bug of ours still leaves a report", async ({ cli }) => {
    const preload = fileURLToPath(new URL("../fixtures/preloads/break-loop.mjs", import.meta.url))
    const run = await cli({ nodeArgs: ["--import", preload], unbundled: true, script: [{ text: "Never said." }] })
    expect(endOf(run)).toEqual({ exitCode: 1, status: "failed", code: "internal_error", answer: null, stdout: "" })
    expect(run.report?.reason?.message).toContain("the loop is broken")
    expect(run.stderr).toContain("the loop is broken")
    expect(run.stderr).toContain("This is a bug in agent-run")
  })

  it.concurrent("2: a configuration error", async ({ cli }) => {
    const run = await cli({ config: "[agent]\nmax_turn = 3\n", script: [{ text: "Never said." }] })
    expect(endOf(run)).toEqual({ exitCode: 2, status: "failed", code: "config_error", answer: null, stdout: "" })
  })

  it.concurrent("5: a required server is not connected", async ({ cli }) => {
    const config = { mcp_servers: { files: { command: "no-such-command", required: true } } }
    const run = await cli({ config, script: [{ text: "Never said." }] })
    expect(endOf(run)).toMatchObject({ exitCode: 5, status: "failed", code: "required_server_unavailable" })
  })

  it.concurrent("6: the model", async ({ cli, serve }) => {
    const api = await serve([errorReply(400, "invalid_request_error", { message: "no such beta" })])
    const run = await cli({ api })
    expect(endOf(run)).toMatchObject({ exitCode: 6, status: "failed", code: "model_request_rejected", stdout: "" })
  })

  it.concurrent("7: a denied call with on_denied = fail, and no write after it", async ({ cli }) => {
    const rules = [{ tool: "Write", action: "allow", paths: ["docs/**"] }]
    const allowed = { tool: "Write", input: { file_path: "docs/a.md", content: "a" } }
    const script = [{ calls: [...write.calls, allowed] }, { text: "Never said." }]
    const run = await cli({ config: { permissions: { on_denied: "fail", rules } }, script })
    expect(endOf(run)).toEqual({ exitCode: 7, status: "stopped", code: "call_denied", answer: null, stdout: "" })
    expect(run.report?.calls.map((call) => call.error_code)).toEqual(["denied", "not_run"])
    expect(run.report?.files_changed).toEqual([])
    expect(run.stderr).toMatch(/call_denied: Write was denied/)
  })

  it.concurrent("8: tools were called and none succeeded, unless that is expected", async ({ cli }) => {
    const script = [write, { text: "I could not." }]
    const strict = await cli({ script })
    const lenient = await cli({ script, config: { expect: { some_call_succeeds: false } } })
    expect(endOf(strict)).toMatchObject({ exitCode: 8, status: "failed", code: "no_call_succeeded", stdout: "" })
    expect(strict.report?.expectations).toMatchObject([{ name: "some_call_succeeds", ok: false }])
    expect(endOf(lenient)).toMatchObject({ exitCode: 0, status: "completed", code: null, stdout: "I could not.\n" })
    expect(lenient.stderr).toMatch(/denied: Write/)
  })

  it.concurrent("8: the run did not go as the script expects", async ({ cli }) => {
    const run = await cli({ script: [{ text: "Hm.", expect: { tools_offered: ["mcp__files__echo"] } }] })
    expect(endOf(run)).toMatchObject({ exitCode: 8, status: "failed", code: "script_mismatch", stdout: "" })
    expect(run.stderr).toContain("mcp__files__echo should be offered")
  })
})

describe("exit code 4", () => {
  it.concurrent.for([
    { limit: "max_turns", args: ["--max-turns", "1"], script: [look, { text: "So far." }], answer: "So far." },
    {
      limit: "max_cost_usd",
      args: ["--max-cost-usd", "0.6"],
      script: [{ ...look, cost_usd: 0.5 }, { text: "Never." }],
      answer: null,
    },
    {
      limit: "max_tokens",
      args: ["--max-tokens", "250"],
      script: [{ ...look, usage: { input_tokens: 80, output_tokens: 20 } }, { text: "So far." }],
      answer: "So far.",
    },
    {
      limit: "timeout",
      args: ["--timeout", "700ms"],
      script: [{ text: "Too late.", delay_ms: 600_000 }],
      answer: null,
    },
    { limit: "max_denials", args: ["--max-denials", "0"], script: [write, { text: "So far." }], answer: "So far." },
    {
      limit: "repeated_call",
      args: [],
      script: Array.from({ length: 30 }, () => look),
      answer: null,
    },
  ])("F79 $limit has a reason of its own", async ({ limit, args, script, answer: summary }, { cli }) => {
    const run = await cli({ args, script, files })
    const code = limit === "max_cost_usd" ? "max_cost" : limit
    expect(endOf(run)).toEqual({ exitCode: 4, status: "stopped", code, answer: summary, stdout: "" })
    const limits = run.events.flatMap((event) => (event.type === "limit" ? [event.limit] : []))
    expect(new Set(limits)).toEqual(new Set([limit]))
    expect(run.stderr).toContain(`${code}: limit reached: ${limit} = `)
    if (summary !== null) expect(run.stderr).toContain(summary)
  })
})

describe("exit codes 130 and 143", () => {
  it.concurrent("F70 SIGINT in the middle of an answer", async ({ start, serve }) => {
    const api = await serve([brokenAnswer([text("A long answer that never ends")], "drip")])
    const running = start({ api, config: { mcp_servers: { files: fixture() } } })
    await until(() => api.requests.length === 1, "the model is being asked")
    expect(running.processes()).toHaveLength(2)
    running.kill("SIGINT")
    const run = await running.ended
    expect(endOf(run)).toMatchObject({ exitCode: 130, status: "stopped", code: "interrupted", stdout: "" })
  })

  it.concurrent("F71 SIGTERM in the middle of a shell command", async ({ start }) => {
    const command = "echo $$ > started; sleep 600 & sleep 600"
    const script = [{ calls: [{ tool: "Bash", input: { command } }] }, { text: "Never said." }]
    const running = start({ script, config: { permissions: allowing("Bash") } })
    await until(() => textOf(join(running.workspace, "started")) !== "", "the command runs")
    expect(running.processes().length).toBeGreaterThanOrEqual(3)
    running.kill("SIGTERM")
    const run = await running.ended
    expect(endOf(run)).toMatchObject({ exitCode: 143, status: "stopped", code: "terminated", stdout: "" })
    expect(run.report?.calls).toMatchObject([{ tool: "Bash", ok: false, error_code: "aborted" }])
    expect(run.report?.files_changed.map((file) => file.path)).toEqual(["started"])
  })

  it.concurrent("SIGTERM while servers are starting", async ({ start, folder }) => {
    const started = join(folder, "started")
    const files = fixture(["--silent", "--started-file", started])
    const running = start({ script: [{ text: "Never said." }], config: { mcp_servers: { files } } })
    await until(() => textOf(started) !== "", "the server is started")
    running.kill("SIGTERM")
    expect(endOf(await running.ended)).toMatchObject({ exitCode: 143, status: "stopped", code: "terminated" })
  })

  it.concurrent("F72 a second signal does not wait for the orderly end", async ({ start }) => {
    const stubborn = fixture(["--ignore-sigterm"], { shutdown_grace_ms: 2000 })
    const script = [{ text: "Too late.", delay_ms: 600_000 }]
    const running = start({ script, config: { mcp_servers: { stubborn } }, cutShort: true })
    await until(() => running.events().some((event) => event.type === "turn.start"), "the run has begun")
    running.kill("SIGINT")
    await until(
      () => running.events().some((event) => event.type === "server.disconnected"),
      "servers are being closed",
    )
    running.kill("SIGTERM")
    const run = await running.ended
    expect({ exitCode: run.exitCode, last: run.events.at(-1)?.type, report: run.report }).toEqual({
      exitCode: 143,
      last: "server.disconnected",
      report: null,
    })
  })
})
