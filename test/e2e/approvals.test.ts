import { copyFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import type { RunEvent } from "../../src/contract/event.ts"
import { callsIn } from "../support/calls-file.ts"
import { it } from "../support/cli-test.ts"
import { eventsIn, pausedRun, pausingConfig } from "../support/paused-run.ts"
import type { CliOptions } from "../support/run-cli.ts"

const answerTurn = { text: "All done.", usage: { input_tokens: 50 }, cost_usd: 0.25 }

/** What happened to calls, in order: `save-1 tool.call`, … */
function stepsIn(events: readonly RunEvent[]): readonly string[] {
  return events.flatMap((event) => ("call_id" in event ? [`${event.call_id} ${event.type}`] : []))
}

describe("a run that pauses for approvals", { timeout: 120_000 }, () => {
  it("S1.1 S1.7 S1.8 S1.11 collects what needs a person, runs nothing of it, and goes on in another process", async ({
    folder,
    start,
    cli,
  }) => {
    const callsFile = join(folder, "calls.jsonl")
    const { run: paused, transcript } = await pausedRun(start, callsFile)
    expect(paused.report).toMatchObject({
      status: "paused",
      exit_code: 3,
      reason: { code: "approval_needed", message: "3 calls wait for approvals" },
      approvals: [
        {
          id: "send-1",
          tool: "mcp__notes__send_note",
          server: "notes",
          input: { text: "to all" },
          decision: { action: "ask", rule: "ask mcp__notes__send_note" },
          state: "pending",
        },
        { id: "send-2", input: { text: "to me" }, state: "pending" },
      ],
    })
    expect(paused.stdout).toBe("")
    expect(paused.stderr).toContain('approval needed send-1: mcp__notes__send_note {"text":"to all"}')
    expect(callsIn(callsFile)).toEqual(["save_note", "get_note"])

    const carried = join(folder, "carried.jsonl")
    copyFileSync(transcript, carried)
    const resume = (...args: string[]) =>
      cli({
        config: pausingConfig(callsFile),
        task: null,
        script: [{ ...answerTurn, expect: { messages: 3, last_result_contains: "to me" } }],
        args: ["--resume", carried, "--reason", "looks right", ...args],
      })
    const partly = await resume("--approve", "send-2")
    expect(partly.report).toMatchObject({
      exit_code: 3,
      reason: { message: "one call waits for an approval" },
      approvals: [{ state: "pending" }, { state: "approved", answer: "Yes, confirmed.", reason: "looks right" }],
    })
    expect(callsIn(callsFile)).toEqual(["save_note", "get_note"])

    const done = await resume("--approve", "all")
    expect(done.exitCode, done.stderr).toBe(0)
    expect(done.stdout).toBe("All done.\n")
    expect(callsIn(callsFile)).toEqual(["save_note", "get_note", "send_note", "save_note", "send_note"])
    const events = eventsIn(carried, done.report)
    expect(done.report).toMatchObject({ turns: 2, cost_usd: 0.5, usage: { input_tokens: 150, output_tokens: 10 } })
    expect(done.report?.calls.every((call) => call.ok)).toBe(true)
    expect(new Set(events.flatMap((event) => (event.type === "run.start" ? [event.run_id] : []))).size).toBe(1)
    expect(stepsIn(events)).toEqual([
      ...["save-1 tool.call", "save-1 tool.result", "send-1 tool.call", "send-1 approval.request", "get-1 tool.call"],
      ...["get-1 tool.result", "save-2 tool.call", "send-2 tool.call", "send-2 approval.request"],
      ...["send-2 approval.answer", "send-1 approval.answer"],
      ...["send-1 tool.started", "send-1 tool.result", "save-2 tool.started", "save-2 tool.result"],
      ...["send-2 tool.started", "send-2 tool.result"],
    ])

    const over = await resume("--approve", "all")
    expect(over).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("the run is over") })
  })

  it("S1.9 S1.12 a rejected call is answered with No, denied. and its reason, an approved one with its output", async ({
    folder,
    start,
    cli,
  }) => {
    const callsFile = join(folder, "calls.jsonl")
    const { transcript } = await pausedRun(start, callsFile)
    const done = await cli({
      config: pausingConfig(callsFile),
      task: null,
      script: [{ text: "One was sent.", expect: { last_message_contains: ["No, denied. Not at night.", "to all"] } }],
      args: ["--resume", transcript, "--approve", "all", "--reject", "send-2", "--reason", "Not at night"],
    })
    expect(done.exitCode, done.stderr).toBe(0)
    expect(callsIn(callsFile).filter((name) => name === "send_note")).toHaveLength(1)
    const events = eventsIn(transcript, done.report)
    const answers = events.flatMap((event) => (event.type === "approval.answer" ? [[event.call_id, event.answer]] : []))
    expect(answers).toEqual([
      ["send-1", "Yes, confirmed."],
      ["send-2", "No, denied."],
    ])
    const order = events.flatMap((event) => {
      if ("call_id" in event && event.call_id === "send-1") return [event.type]
      return event.type === "message" && event.role === "assistant" ? [event.type] : []
    })
    expect(order).toEqual([
      ...["message", "tool.call", "approval.request", "approval.answer", "tool.started", "tool.result", "message"],
    ])
    expect(done.report?.denied).toBe(1)
  })

  it("spent turns and dollars count, and limits hold across the pause", async ({ folder, start, cli }) => {
    const callsFile = join(folder, "calls.jsonl")
    const { transcript } = await pausedRun(start, callsFile)
    const resumed = await cli({
      config: pausingConfig(callsFile),
      task: null,
      script: [{ calls: [{ id: "get-9", tool: "mcp__notes__get_note" }] }, { text: "So far." }],
      args: ["--resume", transcript, "--approve", "all", "--max-turns", "2"],
    })
    expect(resumed.report).toMatchObject({ exit_code: 4, reason: { code: "max_turns" }, turns: 2, answer: "So far." })
  })

  it("a transcript that was edited or belongs to another configuration is refused, left alone, and still good afterwards", async ({
    folder,
    start,
    cli,
  }) => {
    const callsFile = join(folder, "calls.jsonl")
    const { transcript } = await pausedRun(start, callsFile)
    const original = readFileSync(transcript, "utf8")
    const resume = (more: CliOptions = {}) =>
      cli({
        config: pausingConfig(callsFile),
        task: null,
        script: [answerTurn],
        args: ["--resume", transcript, "--approve", "all"],
        ...more,
      })
    const edited = original.replace('"text":"to all"', '"text":"to none"')
    writeFileSync(transcript, edited)
    const refused = await resume()
    expect([refused.exitCode, refused.report?.reason?.code]).toEqual([2, "resume_refused"])
    expect(readFileSync(transcript, "utf8")).toBe(edited)
    writeFileSync(transcript, original)
    const other = await resume({ config: pausingConfig(callsFile, { max_denials: 3 }) })
    expect(other).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("another configuration") })
    const unanswered = await resume({ args: ["--resume", transcript] })
    expect(unanswered).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("Waiting: send-1, send-2") })
    const mistyped = await resume({ args: ["--resume", transcript, "--aprove", "all", "--transcript", transcript] })
    expect(mistyped.exitCode).toBe(2)
    expect(readFileSync(transcript, "utf8")).toBe(original)
    expect(callsIn(callsFile)).not.toContain("send_note")
    expect((await resume()).exitCode).toBe(0)
  })

  it("secrets of a call that waits are put back from their variables, and a call that cannot be kept is denied", async ({
    folder,
    start,
    cli,
  }) => {
    const callsFile = join(folder, "calls.jsonl")
    const secret = "canary-secret-value"
    const send = (id: string, text: string) => ({ id, tool: "mcp__notes__send_note", input: { text } })
    const calls = [send("plain", `token ${secret}`), send("encoded", Buffer.from(secret).toString("hex"))]
    const { transcript, run } = await pausedRun(start, callsFile, { env: { API_TOKEN: secret }, script: [{ calls }] })
    expect(run.report?.approvals.map(({ id, input }) => [id, input])).toEqual([
      ["plain", { text: "token [redacted:API_TOKEN]" }],
    ])
    expect(readFileSync(transcript, "utf8")).not.toContain(secret)
    const resume = (env: Record<string, string>) =>
      cli({
        config: pausingConfig(callsFile),
        task: null,
        script: [{ text: "Sent.", expect: { last_message_contains: "a form that a transcript cannot keep" } }],
        env,
        args: ["--resume", transcript, "--approve", "all"],
      })
    const missing = await resume({})
    expect([missing.exitCode, missing.report?.reason?.code]).toEqual([2, "unset_variable"])
    const done = await resume({ API_TOKEN: secret })
    expect(done.exitCode, done.stderr).toBe(0)
    expect(readFileSync(callsFile, "utf8")).toContain(`token ${secret}`)
    expect(readFileSync(transcript, "utf8")).not.toContain(secret)
  })
})
