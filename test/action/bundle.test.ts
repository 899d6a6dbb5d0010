import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { parse } from "yaml"
import { inputNames } from "../../src/action/inputs.ts"
import { outputNames } from "../../src/action/outputs.ts"
import { applyOptions, runOptions } from "../../src/commands/options.ts"
import {
  answer,
  type MessagesServer,
  type Reply,
  silence,
  startMessagesServer,
  text,
  toolUse,
} from "../support/messages-server.ts"
import { runAction } from "../support/run-action.ts"
import { expectValidReport } from "../support/run-events.ts"
import { commandsIn } from "../support/runner-commands.ts"

const action = parse(readFileSync(new URL("../../action.yml", import.meta.url), "utf8"))
const key = "sk-ant-canary-0123456789"

async function startModel(replies: readonly Reply[]): Promise<MessagesServer> {
  const api = await startMessagesServer(replies)
  onTestFinished(api.close)
  return api
}

describe("the Action", () => {
  it("C2 action.yml names the inputs and outputs of the code, and the bundle", () => {
    expect(Object.keys(action.inputs)).toEqual([...inputNames])
    expect(Object.keys(action.outputs)).toEqual([...outputNames])
    expect(action.runs).toEqual({ using: "node24", main: "action/index.js" })
  })

  it("C2 every option of run and apply has an input of its name, but for single output files", () => {
    const others = ["workspace", "output", "report", "transcript", "summary", "junit", "html", "sarif"]
    const options = Object.keys({ ...runOptions, ...applyOptions }).filter((name) => !others.includes(name))
    expect(options.filter((name) => !inputNames.some((known) => known === name))).toEqual([])
    const own = ["apply", "working-directory", "api-key", "step-summary", "github-token", "allowed-bots"]
    expect(inputNames.filter((name) => !options.includes(name))).toEqual(own)
  })

  it("C2 T10 a step runs the agent with its inputs and hands the result to later steps", async () => {
    const api = await startModel([
      answer([toolUse("Read", { file_path: "a.txt" }), toolUse("Write", { file_path: "b.txt", content: "x" })]),
      answer([text('{"verdict":"good"}')]),
    ])
    const step = await runAction({
      event: "push",
      api,
      files: { "sub/a.txt": "hello", "sub/schema.json": '{"type":"object","required":["verdict"]}' },
      inputs: { "working-directory": "sub", "output-schema": "schema.json", model: "claude-haiku-5", "max-turns": "3" },
    })
    expect(step.exitCode, step.stderr).toBe(0)
    expectValidReport(step.report)
    expect({ ...step.outputs }).toEqual({
      status: "completed",
      "exit-code": "0",
      answer: '{"verdict":"good"}',
      structured: '{"verdict":"good"}',
      "cost-usd": step.report.cost_usd === null ? "" : String(step.report.cost_usd),
      turns: "2",
      denied: "1",
      report: expect.stringMatching(/temp\/agent-run-.+\/report\.json$/),
      transcript: expect.stringMatching(/transcript\.jsonl$/),
      plan: "",
      "out-dir": expect.stringMatching(/temp\/agent-run-/),
    })
    expect(step.report.run.model).toBe("claude-haiku-5")
    expect(step.report.run.workspace).toMatch(/checkout\/sub$/)
    expect(step.leaked).toBe("")
    expect(step.summary).toContain("agent-run completed (exit 0)")
    expect(api.requests[0]?.headers["x-api-key"] ?? api.requests[0]?.headers.authorization).toContain(key)
    expect(commandsIn(step.stdout)).toEqual(
      expect.arrayContaining([
        `::add-mask::${key}`,
        expect.stringMatching(/^::warning title=Write \(denied\)::denied once/),
      ]),
    )
    expect(step.stdout.startsWith(`::add-mask::${key}\n`)).toBe(true)
  })

  it("C2 what the agent reports becomes an annotation at its line", async () => {
    const finding = { rule: "off-by-one", level: "warning", message: "One too many.", file: "a.txt", line: 1 }
    const api = await startModel([answer([toolUse("report_finding", finding)]), answer([text("Found one.")])])
    const step = await runAction({
      event: "push",
      api,
      files: { "a.txt": "hello\n" },
      inputs: { set: "output.findings=true" },
    })
    expect(step.exitCode, step.stderr).toBe(0)
    expect(step.stdout).toMatch(/^::warning file=a\.txt,line=1,title=.+::One too many\.$/m)
  })

  it("C2 a wrong input ends with exit 2, a report and an annotation, and no model request", async () => {
    const api = await startModel([])
    const step = await runAction({ event: "push", api, inputs: { "max-turns": "many", "out-dir": "out" } })
    expect(step.exitCode).toBe(2)
    expect(step.outputs).toMatchObject({ status: "failed", "exit-code": "2", "out-dir": `${step.checkout}/out` })
    expect(step.report.reason).toMatchObject({ code: "usage_error", message: 'input max-turns: "many" is no number' })
    expect(step.stdout).toContain("::error title=agent-run failed%2C exit 2 (usage_error)::input max-turns")
    expect(api.requests).toEqual([])
  })

  it("C2 the step summary can be switched off, and the exit code is the run's", async () => {
    const api = await startModel([answer([toolUse("Write", { file_path: "b", content: "" })])])
    const step = await runAction({
      event: "schedule",
      api,
      inputs: { "step-summary": "false", set: "permissions.on_denied=fail" },
    })
    expect(step.exitCode, step.stderr).toBe(7)
    expect(step.summary).toBe("")
  })

  it("C2 one step plans, and another applies what was reviewed", async () => {
    const api = await startModel([
      answer([toolUse("Write", { file_path: "b.txt", content: "new" })]),
      answer([text("Planned.")]),
    ])
    const inputs = { plan: "../plan.json", set: "permissions.default=ask" }
    const planned = await runAction({ event: "schedule", api, inputs })
    expect(planned.exitCode, planned.stderr).toBe(0)
    expect(planned.outputs.plan).toBe(join(planned.checkout, "../plan.json"))
    expect(existsSync(join(planned.checkout, "b.txt"))).toBe(false)

    const applied = await runAction({
      event: "schedule",
      inputs: { task: "", "api-key": "", apply: planned.outputs.plan ?? "", set: "permissions.default=ask" },
    })
    expect(applied.exitCode, applied.stderr).toBe(0)
    expect(readFileSync(join(applied.checkout, "b.txt"), "utf8")).toBe("new")
    expect(api.requests).toHaveLength(2)
  })

  it("C2 with apply, only and keep-going are about the calls of the plan", async () => {
    const write = (name: string) => toolUse("Write", { file_path: name, content: "new" })
    const api = await startModel([answer([write("a"), write("b"), write("c")]), answer([text("Planned.")])])
    const set = "permissions.default=ask"
    const planned = await runAction({ event: "schedule", api, inputs: { plan: "../plan.json", set } })
    const applied = await runAction({
      event: "schedule",
      inputs: { task: "", apply: planned.outputs.plan ?? "", only: "P1\nP3", "keep-going": "true", set, quiet: "true" },
    })
    expect(applied.exitCode, applied.stderr).toBe(0)
    expect(["a", "b", "c"].map((name) => existsSync(join(applied.checkout, name)))).toEqual([true, false, true])
    expect(applied.stderr).not.toContain("call Write")
  })

  it("C2 S1.1 one step pauses, and another goes on with the answers of a person, in the same transcript", async () => {
    const api = await startModel([
      answer([toolUse("Write", { file_path: "b.txt", content: "new" }), toolUse("Bash", { command: "touch c.txt" })]),
      answer([text("Done.")]),
    ])
    const set = "permissions.default=ask\npermissions.on_ask=pause"
    const paused = await runAction({ event: "schedule", api, inputs: { set } })
    expect(paused.exitCode, paused.stderr).toBe(3)
    expect(paused.outputs.status).toBe("paused")
    const [first = "", second = ""] = paused.report.approvals.map(({ id }) => id)
    const resumed = await runAction({
      event: "workflow_dispatch",
      api,
      inputs: {
        task: "",
        resume: paused.outputs.transcript ?? "",
        approve: first,
        reject: second,
        reason: "Not today.",
        set,
        verbose: "true",
      },
    })
    expect(resumed.exitCode, resumed.stderr).toBe(0)
    expect(resumed.report.approvals.map(({ state }) => state)).toEqual(["approved", "rejected"])
    expect(resumed.outputs).toMatchObject({ answer: "Done.", transcript: paused.outputs.transcript })
    expect(["b.txt", "c.txt"].map((name) => existsSync(join(resumed.checkout, name)))).toEqual([true, false])
    expect(JSON.stringify(api.requests[1]?.body.messages)).toContain("Not today.")
    expect(resumed.stderr).toContain("turn 2: end_turn")
  })

  it.each<{ inputs: Readonly<Record<string, string>>; says: string }>([
    { inputs: { approve: "all" }, says: "input approve: answers a paused run, and none is named" },
    { inputs: { reason: "x" }, says: "input reason: answers a paused run" },
    { inputs: { resume: "gone.jsonl" }, says: "resume and task cannot be given together" },
    { inputs: { task: "", resume: "gone.jsonl" }, says: "gone.jsonl" },
  ])("C2 answers that cannot be heard end with exit 2: $inputs", async ({ inputs, says }) => {
    const step = await runAction({ event: "push", inputs })
    expect(step.exitCode).toBe(2)
    expect(step.report.reason?.message).toContain(says)
  })

  it("C2 a cancelled job still has its report, outputs and summary", async () => {
    let cancelled = false
    const api = await startModel([silence()])
    const step = await runAction({
      event: "workflow_dispatch",
      api,
      onOutput(output, kill) {
        if (cancelled || !output.includes("works on")) return
        cancelled = true
        kill("SIGINT")
      },
    })
    expect(step.exitCode).toBe(130)
    expect(step.outputs).toMatchObject({ status: "stopped", "exit-code": "130" })
    expect(step.report.reason?.code).toBe("interrupted")
    expect(step.summary).toContain("agent-run stopped (exit 130)")
  })

  it("T10 T9 an answer full of commands adds no output and no command", async () => {
    const hostile = "ok\nagent_run_\nexit-code=9\n::set-output name=status::x\n::stop-commands::t\n##[add-mask]y"
    const step = await runAction({ event: "push", api: await startModel([answer([text(hostile)])]) })
    expect(step.outputs).toMatchObject({ answer: hostile, "exit-code": "0", status: "completed" })
    expect(Object.keys(step.outputs)).toEqual([...outputNames])
    expect(new Set(commandsIn(step.stdout + step.stderr))).toEqual(new Set([`::add-mask::${key}`]))
    expect(commandsIn(step.summary)).toEqual([])
  })

  it("T3 a command sees neither the inputs of the step nor the files and tokens of the runner", async () => {
    const api = await startModel([answer([toolUse("Bash", { command: "env" })]), answer([text("Seen.")])])
    const step = await runAction({
      event: "push",
      api,
      inputs: { allow: "Bash", broad: "true", "github-token": "ghs_canary0123456789" },
      env: { ACTIONS_RUNTIME_TOKEN: "canary-runtime", ACTIONS_ID_TOKEN_REQUEST_TOKEN: "canary-id" },
    })
    expect(step.report.calls, step.stderr).toMatchObject([{ tool: "Bash", ok: true }])
    const seen = JSON.stringify(api.requests[1]?.body.messages.at(-1))
    expect(seen).toContain("HOME=")
    expect(seen).not.toMatch(/canary|INPUT_|GITHUB_|ANTHROPIC_|ACTIONS_/)
  })

  it("C2 without rg on the PATH a search is an error that says what to install", async () => {
    const api = await startModel([answer([toolUse("Grep", { pattern: "a" })]), answer([text("No search.")])])
    const step = await runAction({ event: "push", api, env: { PATH: "/nowhere" } })
    expect(step.report.calls).toMatchObject([{ tool: "Grep", ok: false }])
    expect(JSON.stringify(api.requests[1]?.body.messages)).toContain("ripgrep is not available")
  })
})
