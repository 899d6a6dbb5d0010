import { afterEach, describe, expect, it } from "vitest"
import type { Message, ModelRequest } from "../../src/contract/model.ts"
import {
  answer,
  errorReply,
  type MessagesServer,
  startMessagesServer,
  text,
  thinking,
  toolUse,
} from "../support/messages-server.ts"
import { ask, hello, modelFor, userText } from "./ask.ts"

let server: MessagesServer | undefined
afterEach(() => server?.close())

const redacted = { type: "redacted_thinking", data: "b3BhcXVl" }

/** Talk for this many turns, every reply with thinking and calls whose results go back. */
async function converse(turns: number): Promise<MessagesServer> {
  const replies = Array.from({ length: turns }, (_, turn) =>
    answer(
      [
        thinking(`thought ${turn}`, `signature-${turn}`),
        redacted,
        text(`turn ${turn}`),
        toolUse("Read", { turn }, `t${turn}`),
      ],
      { chunk: 3 },
    ),
  )
  const running = await startMessagesServer(replies)
  server = running
  const model = modelFor(running)
  let messages: readonly Message[] = hello.messages
  for (let turn = 0; turn < turns; turn += 1) {
    const { answer: reply } = await ask(model, { ...hello, messages })
    if (reply.kind !== "reply") throw new Error(reply.message)
    const result = {
      type: "tool_result",
      toolUseId: `t${turn}`,
      content: [{ type: "text", text: `r${turn}` }],
    } as const
    messages = [
      ...messages,
      { role: "assistant", content: reply.content },
      { role: "user", content: [{ ...result, isError: turn % 3 === 0 }] },
    ]
  }
  return running
}

describe("the prompt cache", () => {
  it("over 50 turns everything before the newest message stays byte for byte, but for the marks", async () => {
    const { requests } = await converse(50)
    const stripped = requests.map(({ raw }) => raw.replaceAll(/,?"cache_control":\{"type":"ephemeral"\}/g, ""))
    const endOfHistory = '],"stream":true}'
    for (const [turn, body] of stripped.slice(1).entries()) {
      const before = stripped[turn] ?? ""
      expect(before.endsWith(endOfHistory)).toBe(true)
      expect(body.startsWith(before.slice(0, -endOfHistory.length))).toBe(true)
    }
  })

  it("marks the end of the system prompt, the newest message of the user, and the one before", async () => {
    const { requests } = await converse(4)
    const marks = requests.map(({ body }) => ({
      tools: body.tools.filter((tool) => "cache_control" in tool).length,
      system: body.system?.map((block) => "cache_control" in block),
      messages: body.messages.map((message) => message.content.map((block) => "cache_control" in block)),
    }))
    const said = [false, false, false, false]
    expect(marks.map((mark) => [mark.tools, mark.system])).toEqual(Array(4).fill([0, [true]]))
    expect(marks.map((mark) => mark.messages)).toEqual([
      [[true]],
      [[true], said, [true]],
      [[false], said, [true], said, [true]],
      [[false], said, [false], said, [true], said, [true]],
    ])
  })

  it("without a system prompt the last tool carries the mark", async () => {
    server = await startMessagesServer([answer([text("Hi")])])
    const tools = ["A", "B"].map((name) => ({ name, description: name, inputSchema: { type: "object" } }))
    await ask(modelFor(server), { ...hello, system: "", tools })
    expect(server.requests[0]?.body.tools.map((tool) => "cache_control" in tool)).toEqual([false, true])
    expect(server.requests[0]?.body).not.toHaveProperty("system")
  })
})

describe("the request", () => {
  it("is what the API documents and nothing more", async () => {
    server = await startMessagesServer([answer([text("Hi")])])
    await ask(modelFor(server, { effort: "low" }))
    expect(server.requests[0]?.body).toEqual({
      model: "claude-sonnet-5-5",
      max_tokens: 1000,
      output_config: { effort: "low" },
      tools: [{ name: "Read", description: "Read a file", input_schema: { type: "object", properties: {} } }],
      system: [{ type: "text", text: "You are a test.", cache_control: { type: "ephemeral" } }],
      messages: [{ role: "user", content: [{ type: "text", text: "Hello", cache_control: { type: "ephemeral" } }] }],
      stream: true,
    })
  })

  it("thinking goes back unchanged", async () => {
    const { requests } = await converse(2)
    expect(requests[1]?.body.messages[1]).toEqual({
      role: "assistant",
      content: [
        { type: "thinking", thinking: "thought 0", signature: "signature-0" },
        redacted,
        { type: "text", text: "turn 0" },
        { type: "tool_use", id: "t0", name: "Read", input: { turn: 0 } },
      ],
    })
  })

  it("holds nothing that the API refuses", async () => {
    server = await startMessagesServer([answer([text("Hi")])])
    const image = { type: "image", mediaType: "image/png", data: "aWNvbg==" } as const
    const request: ModelRequest = {
      ...hello,
      messages: [
        userText("half a surrogate: \ud800"),
        { role: "assistant", content: [{ type: "text", text: " " }] },
        {
          role: "user",
          content: [
            { type: "text", text: "" },
            { type: "tool_result", toolUseId: "a", content: [image, { type: "text", text: "" }], isError: false },
            { type: "tool_result", toolUseId: "b", content: [image], isError: true },
            { type: "tool_result", toolUseId: "c", content: [], isError: true },
            {
              type: "tool_result",
              toolUseId: "d",
              content: [{ ...image, mediaType: "image/svg+xml" }],
              isError: false,
            },
          ],
        },
      ],
    }
    await ask(modelFor(server), request)
    const mark = { cache_control: { type: "ephemeral" } }
    const note = (type: string) => [{ type: "text", text: `[an image of type ${type} that cannot be shown]` }]
    expect(server.requests[0]?.body.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "half a surrogate: \ufffd", ...mark }] },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "a",
            content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: "aWNvbg==" } }],
          },
          { type: "tool_result", tool_use_id: "b", content: note("image/png"), is_error: true },
          {
            type: "tool_result",
            tool_use_id: "c",
            content: [{ type: "text", text: "The call failed without a message." }],
            is_error: true,
          },
          { type: "tool_result", tool_use_id: "d", content: note("image/svg+xml"), ...mark },
        ],
      },
    ])
  })
})

describe("the reply", () => {
  it("carries content, stop, usage and cost", async () => {
    const usage = {
      input_tokens: 100,
      output_tokens: 40,
      cache_read_input_tokens: 2000,
      cache_creation_input_tokens: 300,
    }
    server = await startMessagesServer([answer([text("Hi")], { usage, model: "claude-sonnet-5-5-20261001" })])
    const { answer: reply, events } = await ask(modelFor(server))
    expect([reply, events]).toEqual([
      {
        kind: "reply",
        model: "claude-sonnet-5-5-20261001",
        content: [{ type: "text", text: "Hi" }],
        stopReason: "end_turn",
        stopDetails: null,
        usage: { inputTokens: 100, outputTokens: 40, cacheReadInputTokens: 2000, cacheCreationInputTokens: 300 },
        costUsd: (100 * 2 + 40 * 10 + 2000 * 0.1 + 300 * 2.5) / 1_000_000,
      },
      [],
    ])
  })

  it("passes a refusal through with its category", async () => {
    const stopDetails = { type: "refusal", category: "cyber", explanation: "It looks like malware." }
    server = await startMessagesServer([answer([], { stopReason: "refusal", stopDetails })])
    const { answer: reply } = await ask(modelFor(server))
    expect(reply).toMatchObject({ stopReason: "refusal", stopDetails: "cyber: It looks like malware." })
  })

  it("has no cost when the price is unknown, and a model is priced only with all its fallbacks", async () => {
    server = await startMessagesServer([answer([text("Hi")])])
    const unknown = modelFor(server, { model: "someone-else-1" })
    const { answer: reply } = await ask(unknown)
    const price = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 }
    expect(reply).toMatchObject({ costUsd: null })
    expect([
      unknown.priced,
      modelFor(server, { fallbackModels: ["someone-else-1"] }).priced,
      modelFor(server, { fallbackModels: ["someone-else-1"], prices: { "someone-else-1": price } }).priced,
    ]).toEqual([false, false, true])
  })

  it("the schema of the answer is sent where the API knows it, and left out once the API refuses it", async () => {
    const answerSchema = { type: "object", properties: { count: { type: "integer" } } }
    const format = { type: "json_schema", schema: answerSchema }
    const refused = errorReply(400, "invalid_request_error", { message: "this schema is not supported" })
    server = await startMessagesServer([answer([text("{}")]), refused, ...Array(3).fill(answer([text("{}")]))])
    const model = modelFor(server, { structuredAnswers: true, effort: "low" })
    for (let round = 0; round < 3; round += 1) {
      expect((await ask(model, { ...hello, answerSchema })).answer.kind).toBe("reply")
    }
    await ask(modelFor(server), { ...hello, answerSchema })
    const sent = [{ effort: "low", format }, { effort: "low", format }, { effort: "low" }, { effort: "low" }, undefined]
    expect(server.requests.map(({ body }) => ("output_config" in body ? body.output_config : undefined))).toEqual(sent)
  })
})
