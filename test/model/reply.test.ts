import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createReplyBuilder } from "../../src/model/reply.ts"
import { type Block, blockEvents, headEvents, tailEvents } from "../support/message-events.ts"

/** The data of server-sent events, as a builder takes it. */
function dataOf(events: readonly string[]): Record<string, unknown>[] {
  return events.map((event) => JSON.parse(event.slice(event.indexOf("data: ") + 6)))
}

function messageOf(blocks: readonly Block[], chunk: number): Record<string, unknown>[] {
  return dataOf([...headEvents("m", {}), ...blocks.flatMap(blockEvents({ chunk })), ...tailEvents(blocks, {})])
}

const blocks: fc.Arbitrary<Block> = fc.oneof(
  fc.record({ type: fc.constant("text"), text: fc.string({ unit: "binary", minLength: 1 }) }),
  fc.record({ type: fc.constant("thinking"), thinking: fc.string(), signature: fc.base64String() }),
  fc.record({ type: fc.constant("redacted_thinking"), data: fc.base64String() }),
  fc.record({ type: fc.constant("block_of_next_year"), data: fc.jsonValue() }),
  fc.record({
    type: fc.constant("tool_use"),
    id: fc.string(),
    name: fc.string(),
    input: fc.dictionary(fc.string(), fc.jsonValue()),
  }),
)

describe("a streamed reply", () => {
  it("is the same however its deltas are cut", () => {
    fc.assert(
      fc.property(fc.array(blocks, { maxLength: 5 }), fc.integer({ min: 1, max: 9 }), (content, chunk) => {
        const builder = createReplyBuilder()
        for (const event of messageOf(content, chunk)) builder.take(event)
        const result = builder.finish()
        const expected = content.map((block) => {
          if (block.type === "text" || block.type === "tool_use") return JSON.parse(JSON.stringify(block))
          return { type: "opaque", raw: JSON.parse(JSON.stringify(block)) }
        })
        expect(result).toMatchObject({ kind: "whole", reply: { content: expected } })
      }),
    )
  })

  it("F13 is broken wherever it stops short of message_stop", () => {
    const whole = messageOf(
      [
        { type: "text", text: "a b c d" },
        { type: "tool_use", id: "1", name: "N", input: { a: [1] } },
      ],
      2,
    )
    for (let length = 0; length < whole.length; length += 1) {
      const builder = createReplyBuilder()
      for (const event of whole.slice(0, length)) builder.take(event)
      expect(builder.finish().kind).toBe("broken")
    }
  })

  it("F12 is broken wherever an event inside a call's JSON is lost", () => {
    const whole = messageOf([{ type: "tool_use", id: "1", name: "N", input: { path: "a", deep: [1, { b: null }] } }], 3)
    const deltas = whole.flatMap((event, index) => (event.type === "content_block_delta" ? [index] : []))
    for (const lost of [deltas[0], deltas.at(-1)]) {
      const builder = createReplyBuilder()
      for (const event of whole.filter((_, index) => index !== lost)) builder.take(event)
      expect(builder.finish()).toEqual({ kind: "broken", why: "the input of the call to N is not JSON" })
    }
  })

  it("takes any JSON without an exception", () => {
    const shapes = fc.record({
      type: fc.constantFrom(
        "message_start",
        "content_block_start",
        "content_block_delta",
        "message_delta",
        "message_stop",
      ),
      index: fc.jsonValue(),
      message: fc.jsonValue(),
      content_block: fc.jsonValue(),
      delta: fc.jsonValue(),
      usage: fc.jsonValue(),
    })
    fc.assert(
      fc.property(fc.array(shapes), (events) => {
        const builder = createReplyBuilder()
        for (const event of events) builder.take(event)
        builder.partialText()
        builder.finish()
      }),
    )
  })
})
