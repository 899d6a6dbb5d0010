import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { allowing, it } from "../support/cli-test.ts"
import { answer, brokenAnswer, errorReply, forever, text, thinking, toolUse } from "../support/messages-server.ts"

const files = { "a.txt": "the contents of a" }
const read = () => answer([toolUse("Read", { file_path: "a.txt" })])
const write = toolUse("Write", { file_path: "b.txt", content: "written" })

describe("why the model stopped", () => {
  it.concurrent("F14 a call cut off by max_tokens is not run; one retry has a higher cap, then exit 6", async ({
    start,
    serve,
  }) => {
    const api = await serve([forever(answer([write], { stopReason: "max_tokens" }))])
    const running = start({ api, config: { permissions: allowing("Write") } })
    const run = await running.ended
    expect([run.exitCode, run.report?.reason?.code]).toEqual([6, "model_truncated"])
    const caps = api.requests.map((request) => request.body.max_tokens ?? 0)
    expect(caps).toEqual([16_384, 32_768])
    expect(run.report?.calls).toEqual([])
    expect(existsSync(join(running.workspace, "b.txt"))).toBe(false)
  })

  it.concurrent("F14 a call that fits the higher cap is run", async ({ cli, serve }) => {
    const api = await serve([answer([write], { stopReason: "max_tokens" }), answer([write]), answer([text("Done.")])])
    const run = await cli({ api, config: { permissions: allowing("Write") } })
    expect([run.exitCode, run.report?.files_changed]).toEqual([0, [{ path: "b.txt", added: 1, removed: 0 }]])
  })

  it.concurrent("F16 a conversation too long for the model is compacted once by clearing its oldest results", async ({
    cli,
    serve,
  }) => {
    const overflow = errorReply(400, "invalid_request_error", { message: "prompt is too long: 210000 tokens > 200000" })
    const api = await serve([read(), read(), read(), read(), read(), overflow, answer([text("It fits.")])])
    const run = await cli({ api, files })
    expect([run.exitCode, run.stdout]).toEqual([0, "It fits.\n"])
    const kept = api.requests.map(({ raw }) => raw.split("the contents of a").length - 1)
    expect(kept).toEqual([0, 1, 2, 3, 4, 5, 3])
  })

  it.concurrent("F16 a conversation that still does not fit ends with exit 6, and no request is made twice", async ({
    cli,
    serve,
  }) => {
    const api = await serve((_, index) =>
      index < 5 ? read() : errorReply(400, "invalid_request_error", { message: "prompt is too long: 9 > 8" }),
    )
    const run = await cli({ api, files })
    expect([run.exitCode, run.report?.reason?.code]).toEqual([6, "context_overflow"])
    const bodies = api.requests.map((request) => request.raw)
    expect([bodies.length, new Set(bodies).size]).toEqual([7, 7])
  })

  it.concurrent("F19 a paused turn is continued with what it said", async ({ cli, serve }) => {
    const paused = answer([text("I go on soon.")], { stopReason: "pause_turn" })
    const api = await serve([paused, paused, answer([text("Done.")])])
    const run = await cli({ api })
    expect([run.exitCode, run.stdout, api.requests.length]).toEqual([0, "Done.\n", 3])
    expect(api.requests[1]?.body.messages.at(-1)).toMatchObject({
      role: "assistant",
      content: [{ text: "I go on soon." }],
    })
  })

  it.concurrent("F19 a model that pauses for ever is stopped after 10 times", async ({ cli, serve }) => {
    const api = await serve([forever(answer([text("Soon.")], { stopReason: "pause_turn" }))])
    const run = await cli({ api })
    expect([run.exitCode, run.report?.reason?.code, api.requests.length]).toEqual([6, "model_empty", 11])
  })

  it.concurrent("F20 a nudge after an empty turn can still lead to an answer", async ({ cli, serve }) => {
    const api = await serve([answer([]), answer([text("Here it is.")])])
    const run = await cli({ api })
    expect([run.exitCode, run.stdout]).toEqual([0, "Here it is.\n"])
    expect(api.requests[1]?.raw).toContain("You ended your turn without an answer")
  })

  it.concurrent("F21 an unknown stop reason ends the run and is named", async ({ cli, serve }) => {
    const api = await serve([answer([text("Half of it.")], { stopReason: "solar_flare" })])
    const run = await cli({ api })
    expect([run.exitCode, run.report?.reason?.code, run.stdout]).toEqual([6, "unknown_stop_reason", ""])
    expect(run.stderr).toMatch(/stopped with "solar_flare"/)
  })
})

describe("a stream in trouble", () => {
  it.concurrent.for([
    ["an error event after some text", "error"],
    ["an end without message_stop", "end"],
  ] as const)("F7 F13 %s discards that turn and asks again", async ([, how], { cli, serve }) => {
    const api = await serve([brokenAnswer([text("A first, discarded answer")], how), answer([text("The answer.")])])
    const run = await cli({ api, args: ["--output", "json"] })
    expect([run.exitCode, run.report?.answer, run.report?.retries]).toEqual([0, "The answer.", 1])
    expect(run.stdout).not.toContain("discarded answer")
    const retries = run.events.filter((event) => event.type === "retry")
    expect(retries).toMatchObject([
      { what: "model", attempt: 1, error: expect.stringMatching(/partial text .*discarded/) },
    ])
  })

  it.concurrent("thinking goes back unchanged, and each request begins with the one before it", async ({
    cli,
    serve,
  }) => {
    const thought = thinking("Let me look.", "c2lnbmVkIGJ5IHRoZSBtb2RlbA==")
    const call = toolUse("Read", { file_path: "a.txt" }, "look")
    const api = await serve([answer([thought, call], { chunk: 3 }), read(), answer([text("Done.")])])
    const run = await cli({ api, files })
    expect(run.exitCode).toBe(0)
    const [, second, third] = api.requests.map((request) => request.body.messages.map(withoutCacheMarks))
    expect(second?.[1]).toEqual({ role: "assistant", content: [thought, call] })
    expect(third?.slice(0, second?.length)).toEqual(second)
    expect(new Set(api.requests.map(({ body }) => JSON.stringify([body.system, body.tools]))).size).toBe(1)
  })
})

function withoutCacheMarks(message: { readonly role: string; readonly content: readonly object[] }) {
  return JSON.parse(JSON.stringify(message, (key, value) => (key === "cache_control" ? undefined : value)))
}
