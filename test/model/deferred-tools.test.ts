import { describe, expect, it } from "vitest"
import type { ModelRequest, ToolDefinition } from "../../src/contract/model.ts"
import { toWireRequest } from "../../src/model/wire.ts"

const definition = (name: string): ToolDefinition => ({ name, description: name, inputSchema: { type: "object" } })
const request: ModelRequest = {
  system: "",
  tools: [definition("search"), { ...definition("found"), deferred: true }],
  messages: [
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          toolUseId: "a",
          content: [
            { type: "text", text: "Loaded." },
            { type: "tool_reference", tool: "found" },
            { type: "tool_reference", tool: "gone" },
          ],
          isError: false,
        },
      ],
    },
  ],
  maxOutputTokens: 10,
}

function resultIn(tools: readonly ToolDefinition[]): unknown {
  const { messages } = toWireRequest({ ...request, tools }, { model: "m", effort: null })
  return messages[0]?.content
}

describe("deferred tools on the wire", () => {
  it("are marked as such and never carry the mark of the cache, which the API refuses", () => {
    const { tools } = toWireRequest(request, { model: "m", effort: null })
    expect(tools).toEqual([
      expect.objectContaining({ name: "search", cache_control: { type: "ephemeral" } }),
      { name: "found", description: "found", input_schema: { type: "object" }, defer_loading: true },
    ])
  })

  it("a reference stands alone in its result, and only to a tool that is sent; elsewhere the text stands", () => {
    const mark = { cache_control: { type: "ephemeral" } }
    const block = { type: "tool_result", tool_use_id: "a", ...mark }
    expect(resultIn(request.tools)).toEqual([{ ...block, content: [{ type: "tool_reference", tool_name: "found" }] }])
    const asText = [{ ...block, content: [{ type: "text", text: "Loaded." }] }]
    expect(resultIn([definition("search"), definition("found")])).toEqual(asText)
    expect(resultIn([definition("search")])).toEqual(asText)
  })
})
