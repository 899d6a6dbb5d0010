import { fileURLToPath } from "node:url"
import { describe, expect } from "vitest"
import { allowing, fixture, it } from "../support/cli-test.ts"
import type { Block } from "../support/message-events.ts"
import { answer, type MessagesServer, text, toolUse } from "../support/messages-server.ts"
import type { CliRun } from "../support/run-cli.ts"

const meetingPath = fileURLToPath(new URL("../fixtures/servers/meeting-server.mjs", import.meta.url))
const meeting = { command: process.execPath, args: [meetingPath] }
const done = answer([text("Done.")])

/** Every call in the messages has exactly one result, in the message right after it and in the same order. */
function expectOneResultEach(api: MessagesServer): void {
  for (const { body } of api.requests) {
    body.messages.forEach((message, index) => {
      const next = body.messages[index + 1]?.content ?? []
      const asked = message.content.filter((block) => block.type === "tool_use").map((block) => block.id)
      const answered = next.filter((block) => block.type === "tool_result").map((block) => block.tool_use_id)
      if (message.role === "assistant") expect(answered).toEqual(asked)
    })
  }
}

function resultsIn(api: MessagesServer, request: number): readonly Block[] {
  return (api.requests[request]?.body.messages.at(-1)?.content ?? []).filter((block) => block.type === "tool_result")
}

/** `call a`, `result a`, … in the order of the transcript. */
function orderOf(run: CliRun): readonly string[] {
  return run.events.flatMap((event) => {
    if (event.type === "tool.call") return [`call ${event.call_id}`]
    return event.type === "tool.result" ? [`result ${event.call_id}`] : []
  })
}

describe("the calls of one turn", () => {
  it.concurrent("S3.7 read-only ones run side by side, and a destructive one needs a rule that names it", async ({
    cli,
    serve,
  }) => {
    const meet = (id: string) => toolUse("mcp__meeting__meet", { size: 3 }, id)
    const destroy = (id: string) => toolUse("mcp__notes__delete_note", {}, id)
    const api = await serve([answer([meet("a"), meet("b"), meet("c"), destroy("d")]), done])
    const mcp_servers = { meeting, notes: fixture(["--with", "delete_note"]) }
    const byGlob = await cli({
      api,
      config: { mcp_servers, permissions: allowing("mcp__meeting__*", "mcp__notes__*") },
    })
    expect(byGlob.report?.calls.map((call) => call.error_code)).toEqual([null, null, null, "denied"])
    expect(orderOf(byGlob).slice(0, 3)).toEqual(["call a", "call b", "call c"])

    const again = await serve([answer([destroy("d")]), done])
    const permissions = allowing("mcp__notes__delete_note")
    const byName = await cli({ api: again, config: { mcp_servers, permissions } })
    expect(byName.report?.calls).toMatchObject([{ ok: true, decision: { action: "allow" } }])
  })

  it.concurrent("writes run one after the other, in the order asked for, and after the reads before them", async ({
    cli,
    serve,
  }) => {
    const slow = (id: string, ms: number) => toolUse("mcp__notes__slow_echo", { text: id, ms }, id)
    const read = (id: string) => toolUse("mcp__notes__read_note", {}, id)
    const api = await serve([answer([read("a"), slow("b", 60), slow("c", 30), read("d"), slow("e", 1)]), done])
    const config = {
      mcp_servers: { notes: fixture(["--with", "slow_echo,read_note"]) },
      permissions: allowing("mcp__notes__*"),
    }
    const run = await cli({ api, config })
    expect(run.exitCode).toBe(0)
    expect(orderOf(run)).toEqual(["a", "b", "c", "d", "e"].flatMap((id) => [`call ${id}`, `result ${id}`]))
    expectOneResultEach(api)
  })

  it.concurrent("F58 of a thousand calls 8 run at a time, and each gets exactly one result", async ({ cli, serve }) => {
    const ids = Array.from({ length: 1000 }, (_, index) => `call-${index}`)
    const api = await serve([answer(ids.map((id) => toolUse("mcp__meeting__meet", { size: 8 }, id))), done])
    const run = await cli({ api, config: { mcp_servers: { meeting }, permissions: allowing("mcp__meeting__meet") } })
    expect(run.exitCode).toBe(0)
    const results = resultsIn(api, 1)
    expect(results.map((block) => block.tool_use_id)).toEqual(ids)
    expect(new Set(results.map((block) => JSON.stringify(block.content)))).toEqual(
      new Set([JSON.stringify([{ type: "text", text: "most at once: 8" }])]),
    )
    expect(run.report?.calls.filter((call) => call.ok)).toHaveLength(1000)
  })
})

describe("odd calls", () => {
  it.concurrent("F60 an unknown tool and input that is no object are answered with errors, and the run goes on", async ({
    cli,
    serve,
  }) => {
    const odd = (id: string, input: string): Block => ({ type: "tool_use", id, name: "Read", input })
    const calls = [toolUse("Teleport", {}, "a"), odd("b", "[1,2]"), odd("c", '"a.txt"'), odd("d", "null")]
    const good = toolUse("Read", { file_path: "a.txt" }, "e")
    const wrong = toolUse("Read", { path: "a.txt" }, "f")
    const api = await serve([answer([...calls, good, wrong]), done])
    const run = await cli({ api, files: { "a.txt": "a" } })
    expect(run.exitCode).toBe(0)
    expect(run.report?.calls.map((call) => call.error_code)).toEqual([
      "unknown_tool",
      ...["invalid_input", "invalid_input", "invalid_input"],
      null,
      "invalid_input",
    ])
    expect(resultsIn(api, 1).map((block) => block.is_error === true)).toEqual([true, true, true, true, false, true])
    expectOneResultEach(api)
  })

  it.concurrent.for([
    ["repeated", "a", "a"],
    ["empty", "", "b"],
  ] as const)("F60 %s call ids end the run clearly, and nothing is run", async ([, first, second], { cli, serve }) => {
    const write = (id: string) => toolUse("Write", { file_path: "a.txt", content: "a" }, id)
    const api = await serve([answer([write(first), write(second)]), done])
    const run = await cli({ api, config: { permissions: allowing("Write") } })
    expect([run.exitCode, run.report?.reason?.code]).toEqual([6, "model_bad_response"])
    expect(run.stderr).toMatch(/empty or repeated ids/)
    expect([run.report?.calls, run.report?.files_changed, api.requests.length]).toEqual([[], [], 1])
  })

  it.concurrent("F59 a model that repeats one call again and again is told, then stopped", async ({ cli, serve }) => {
    const api = await serve(() => answer([toolUse("Read", { file_path: "a.txt" })]))
    const run = await cli({ api, files: { "a.txt": "a" } })
    expect([run.exitCode, run.report?.reason?.code]).toEqual([4, "repeated_call"])
    const told = api.requests.findIndex(({ raw }) => raw.includes("the same calls with the same results 5 times"))
    expect([told, api.requests.length]).toEqual([5, 20])
    expectOneResultEach(api)
  })

  it.concurrent("S2.18 S2.19 a call that fails and one that takes too long are error results, and the run goes on", async ({
    cli,
    serve,
  }) => {
    const calls = ["fail", "hang", "echo"].map((tool) => toolUse(`mcp__notes__${tool}`, { text: "fine" }, tool))
    const api = await serve([answer(calls), done])
    const notes = fixture(["--with", "fail,hang,echo"], { tool_timeout_sec: 1 })
    const run = await cli({ api, config: { mcp_servers: { notes }, permissions: allowing("mcp__notes__*") } })
    expect(run.exitCode).toBe(0)
    expect(run.report?.calls.map((call) => call.error_code)).toEqual(["tool_error", "timeout", null])
    expect(resultsIn(api, 1)).toMatchObject([
      { is_error: true, content: [{ type: "text", text: "it did not work" }] },
      { is_error: true, content: [{ type: "text", text: expect.stringMatching(/notes.*1\.0 s/) }] },
      { content: [{ type: "text", text: "fine" }] },
    ])
    expect(run.stderr).toMatch(/failed: mcp__notes__fail/)
  })
})
