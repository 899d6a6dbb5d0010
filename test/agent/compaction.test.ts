import { expect, it } from "vitest"
import { createConversation } from "../../src/agent/conversation.ts"
import type { Message } from "../../src/contract/model.ts"
import type { ResultBlock } from "../../src/contract/tool.ts"

it("F16 making room keeps the references through which the API knows loaded tools", async () => {
  const sent: (readonly Message[])[] = []
  const talk = createConversation({
    model: {
      id: "m",
      priced: true,
      async ask({ messages }) {
        sent.push([...messages])
        return { kind: "failure", code: "interrupted", message: "", hint: null, partialText: null }
      },
    },
    system: "",
    task: "do it",
    answerSchema: null,
    definitions: () => [],
    emit: () => {},
    signal: new AbortController().signal,
  })
  const reference: ResultBlock = { type: "tool_reference", tool: "mcp__s__t" }
  for (const content of [
    reference,
    ...Array.from({ length: 4 }, (): ResultBlock => ({ type: "text", text: "long" })),
  ]) {
    const use = { type: "tool_use", id: "a", name: "t", input: {} } as const
    talk.addResults([{ use, result: { content: [content], isError: false } }])
  }
  expect([talk.compact(), talk.compact()]).toEqual([true, false])
  await talk.ask({ turn: 1, kind: "work", maxOutputTokens: 1 })
  const results = sent[0]?.flatMap((message) =>
    message.role === "user"
      ? message.content.flatMap((block) => (block.type === "tool_result" ? block.content : []))
      : [],
  )
  expect(results).toEqual([
    reference,
    { type: "text", text: expect.stringContaining("removed to make room") },
    { type: "text", text: "long" },
    { type: "text", text: "long" },
    { type: "text", text: "long" },
  ])
})
