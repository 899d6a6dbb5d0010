import { afterEach, describe, expect, it } from "vitest"
import {
  answer,
  brokenAnswer,
  errorEvent,
  errorReply,
  forever,
  hangUp,
  type MessagesServer,
  type Reply,
  silence,
  startMessagesServer,
  text,
  toolUse,
} from "../support/messages-server.ts"
import { ask, errorsOf, gist, hello, modelFor, userText } from "./ask.ts"

const servers: MessagesServer[] = []
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())))

async function serve(...replies: Reply[]): Promise<MessagesServer> {
  const server = await startMessagesServer(replies)
  servers.push(server)
  return server
}

const done = answer([text("Done.")])
const overloaded = errorReply(529, "overloaded_error")
const limited = (seconds: string) => errorReply(429, "rate_limit_error", { headers: { "retry-after": seconds } })

describe("a busy API", () => {
  it("F1 a 429 with retry-after is waited for, then asked again, and the retry is an event", async () => {
    const server = await serve(limited("0.2"), done)
    const { answer, events } = await ask(modelFor(server))
    expect(gist(answer)).toBe("Done.")
    expect(events).toEqual([
      {
        type: "retry",
        what: "model",
        attempt: 1,
        delay_ms: 200,
        error: "The model API is busy: HTTP 429: this is a rate_limit_error.",
      },
    ])
  })

  it("F2 retry-after 0 again and again meets our own growing backoff", async () => {
    const server = await serve(limited("0"), limited("0"), limited("0"), done)
    const { answer, events } = await ask(modelFor(server, { waits: { backoffMs: 20, maxBackoffMs: 1000 } }))
    expect(gist(answer)).toBe("Done.")
    const delays = events.map((event) => (event.type === "retry" ? event.delay_ms : 0))
    expect(delays.map((delay, index) => delay >= 15 * 2 ** index && delay <= 20 * 2 ** index)).toEqual([
      true,
      true,
      true,
    ])
  })

  it("F3 a retry-after over the budget ends the request at once", async () => {
    const server = await serve(forever(limited("3600")))
    const { answer, events } = await ask(modelFor(server))
    expect(answer).toEqual({
      kind: "failure",
      code: "model_overloaded",
      message:
        "The model API is busy: HTTP 429: this is a rate_limit_error (the API asks to wait 3600 s, and 120 s is the most we wait).",
      hint: "Try again later, or name other models in agent.fallback_models.",
      partialText: null,
    })
    expect([server.requests.length, events]).toEqual([1, []])
  })

  it("F4 529 three times and then an answer is a success", async () => {
    const server = await serve(overloaded, overloaded, overloaded, done)
    const { answer, events } = await ask(modelFor(server))
    expect([gist(answer), server.requests.length, events.length]).toEqual(["Done.", 4, 3])
  })

  it("F5 529 for ever ends after six attempts", async () => {
    const server = await serve(forever(overloaded))
    const { answer } = await ask(modelFor(server))
    expect(answer).toMatchObject({
      kind: "failure",
      code: "model_overloaded",
      message: expect.stringMatching(/\(after 6 attempts\)\.$/),
    })
    expect(server.requests).toHaveLength(6)
  })

  it("F6 an error event at the start of a stream is retried like a 529", async () => {
    const server = await serve(errorEvent(), errorEvent("api_error"), done)
    const { answer, events } = await ask(modelFor(server))
    expect(gist(answer)).toBe("Done.")
    expect(errorsOf(events)[0]).toContain("an error in the stream: overloaded_error")
  })

  it("F27 overload for ever moves on to the fallback model, says so, and stays there", async () => {
    const server = await startMessagesServer(({ body }) => (body.model === "claude-opus-5-5" ? overloaded : done))
    servers.push(server)
    const model = modelFor(server, { model: "claude-opus-5-5", fallbackModels: ["claude-sonnet-5-5"] })
    const { answer, events } = await ask(model)
    expect(answer).toMatchObject({ kind: "reply", model: "claude-sonnet-5-5" })
    expect(errorsOf(events).at(-1)).toContain(
      "Going on with the fallback model claude-sonnet-5-5 instead of claude-opus-5-5",
    )
    await ask(model)
    expect(server.requests.map(({ body }) => body.model)).toEqual([
      ...Array(6).fill("claude-opus-5-5"),
      "claude-sonnet-5-5",
      "claude-sonnet-5-5",
    ])
  })
})

describe("a broken stream", () => {
  it("F7 an error after partial text discards the text, says so and asks again", async () => {
    const server = await serve(brokenAnswer([text("Half an answer, never to be used")], "error"), done)
    const { answer, events } = await ask(modelFor(server))
    expect(gist(answer)).toBe("Done.")
    expect(errorsOf(events)[0]).toMatch(/overloaded_error.* The partial text \(\d+ characters\) was discarded\.$/)
  })

  it("F12 a reset inside the JSON of a call delivers nothing of the call and asks again", async () => {
    const call = toolUse("Bash", { command: "rm -rf important && echo gone" })
    const server = await serve(brokenAnswer([text("Look:"), call], "reset"), hangUp(), done)
    const { answer, events } = await ask(modelFor(server))
    expect(answer).toMatchObject({ kind: "reply", content: [{ type: "text", text: "Done." }] })
    expect([server.requests.length, events.length]).toEqual([3, 2])
  })

  it("F13 an end without message_stop is never a success", async () => {
    const server = await serve(forever(brokenAnswer([text("Almost everything")], "end")))
    const { answer } = await ask(modelFor(server))
    expect(answer).toMatchObject({
      kind: "failure",
      code: "model_stream_broken",
      message: "The answer of the model broke off: it ended before message_stop (after 6 attempts).",
      partialText: expect.stringContaining("Almost"),
    })
    expect(server.requests).toHaveLength(6)
  })

  it.each([
    ["JSON that is none", answer([{ ...toolUse("Read", {}), input: '{"file_path": ' }])],
    ["no stop reason", answer([text("Hm")], { stopReason: null })],
  ])("F13 a message with %s is a broken stream", async (_name, reply) => {
    const server = await serve(reply, done)
    const { answer, events } = await ask(modelFor(server))
    expect([gist(answer), errorsOf(events).length]).toEqual(["Done.", 1])
  })

  it("a call that max_tokens cut off is delivered without its input, for the loop to deal with", async () => {
    const cut = { ...toolUse("Write", {}, "toolu_1"), input: '{"file_path": "a' }
    const server = await serve(answer([cut], { stopReason: "max_tokens" }))
    const { answer: reply } = await ask(modelFor(server))
    expect(reply).toMatchObject({
      stopReason: "max_tokens",
      content: [{ type: "tool_use", id: "toolu_1", name: "Write", input: null }],
    })
  })

  it("a whole message counts even when its stream never ends", async () => {
    const server = await serve(answer([text("Done.")], { staysOpen: true }))
    const { answer: reply } = await ask(modelFor(server, { waits: { idleMs: 100 } }))
    expect(gist(reply)).toBe("Done.")
  })
})

describe.concurrent("waiting", () => {
  it("F8 connected and no byte: the first-byte timeout ends the attempt, and it is made again", async () => {
    const server = await startMessagesServer((_request, index) => (index === 0 ? silence() : done))
    const { answer, events } = await ask(modelFor(server, { waits: { firstByteMs: 500 } }))
    await server.close()
    expect(gist(answer)).toBe("Done.")
    expect(errorsOf(events)[0]).toBe("The model API did not begin to answer within 500 ms.")
  })

  it("F9 a stall in the middle of a stream is ended and retried", async () => {
    const stalled = brokenAnswer([text("Half an answer")], "stall")
    const server = await startMessagesServer((_request, index) => (index === 0 ? stalled : done))
    const { answer, events } = await ask(modelFor(server, { waits: { idleMs: 500 } }))
    await server.close()
    expect(gist(answer)).toBe("Done.")
    expect(errorsOf(events)[0]).toContain("nothing arrived for 500 ms")
  })

  it.each([
    ["pings only", "pings" as const],
    ["deltas for ever", "drip" as const],
  ])("F10 F11 %s are not idle, and the deadline of the request ends them", async (_name, how) => {
    const server = await startMessagesServer([forever(brokenAnswer([text("On and on")], how))])
    const { answer } = await ask(modelFor(server, { waits: { idleMs: 800, requestMs: 1500 } }))
    await server.close()
    expect(answer).toMatchObject({
      code: "model_stream_broken",
      message: "The answer of the model broke off: it was not complete within 1.5 s.",
      partialText: expect.stringContaining("On a"),
    })
    expect(server.requests).toHaveLength(1)
  })

  it.each([
    ["before the first byte", silence()],
    ["in the middle of a stream", brokenAnswer([text("Half an answer")], "pings")],
    ["between two attempts", limited("100")],
  ])("an abort %s ends the request", async (_name, reply) => {
    const controller = new AbortController()
    const server = await startMessagesServer([
      async (exchange) => {
        setTimeout(() => controller.abort(), 50)
        await reply(exchange)
      },
    ])
    const { answer } = await ask(modelFor(server), hello, controller.signal)
    await server.close()
    expect(gist(answer)).toBe("interrupted")
    expect(server.requests).toHaveLength(1)
  })
})

describe("a request that cannot be", () => {
  it("F17 a request over 32 MB is never sent", async () => {
    const server = await serve(done)
    const { answer } = await ask(modelFor(server), { ...hello, messages: [userText("x".repeat(33_000_000))] })
    expect(answer).toMatchObject({
      code: "context_overflow",
      message: expect.stringMatching(/^The request has 33.0 MB/),
    })
    expect(server.requests).toEqual([])
  })

  it.each([
    ["F17 413", errorReply(413, "request_too_large"), "context_overflow"],
    [
      "400 for a prompt that is too long",
      errorReply(400, "invalid_request_error", { message: "prompt is too long: 210000 tokens > 200000 maximum" }),
      "context_overflow",
    ],
    ["400", errorReply(400, "invalid_request_error", { message: "tools.0: bad schema" }), "model_request_rejected"],
    ["404", errorReply(404, "not_found_error", { message: "model: claude-nonesuch" }), "model_request_rejected"],
    ["F22 401", errorReply(401, "authentication_error"), "model_auth"],
    ["F22 402", errorReply(402, "billing_error"), "model_auth"],
    ["F22 403", errorReply(403, "permission_error"), "model_auth"],
  ])("%s is not retried, and the API's words are passed on", async (_name, reply, code) => {
    const server = await serve(forever(reply))
    const { answer, events } = await ask(modelFor(server, { fallbackModels: ["claude-haiku-5-5"] }))
    expect([gist(answer), server.requests.length, events]).toEqual([code, 1, []])
    expect(answer).toMatchObject({
      message: expect.stringMatching(/HTTP 4\d\d: (this is|prompt is too long|tools\.0|model: )/),
    })
  })
})
