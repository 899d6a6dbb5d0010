import { describe, expect, it } from "vitest"
import { adaptResult } from "../../src/mcp/adapt-result.ts"
import { fixtureServer, startPool } from "../support/mcp-servers.ts"

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const image = { type: "image", mediaType: "image/png", data: png }
const text = (words: string) => ({ type: "text", text: words })

describe("the result of an MCP call", () => {
  it("S3.2 S4.14 becomes text, images and notes; one odd block never costs the rest", async () => {
    const { call } = await startPool([fixtureServer("srv", ["--with", "odd,image,structured,empty"])])
    const notes = [
      "first",
      "[content of unknown type hologram]",
      "[content that is no block]",
      "[audio audio/wav, 3 bytes]",
      "[image image/tiff, 3 bytes, not shown: it is not PNG, JPEG, GIF or WebP]",
      "[resource note://1, text/plain]\ninside",
      "[binary resource note://2, application/zip, 3 bytes]",
      "[resource link note://3 (third)]",
      "last",
    ]
    expect(await call("mcp__srv__odd")).toEqual({ content: [text(notes.join("\n")), image], isError: false })
    expect(await call("mcp__srv__image")).toEqual({ content: [image], isError: false })
    expect(await call("mcp__srv__structured")).toEqual({
      content: [text('{"sum":3}')],
      isError: false,
      structured: { sum: 3 },
    })
    expect(await call("mcp__srv__empty")).toEqual({ content: [text("(no output)")], isError: false })
  })

  const deep = JSON.parse(`${"[".repeat(5000)}${"]".repeat(5000)}`)

  it.each([
    ["text parts", { content: [text("a"), text("b")] }, { content: [text("a\nb")], isError: false }],
    [
      "an error",
      { content: [text("no")], isError: true },
      { content: [text("no")], isError: true, errorCode: "tool_error" },
    ],
    ["nothing", {}, { content: [text("(no output)")], isError: false }],
    ["content that is no list", { content: "x" }, { content: [text("(no output)")], isError: false }],
    ["the first protocol's form", { toolResult: "old" }, { content: [text("old")], isError: false }],
    [
      "both forms",
      { content: [text("a")], structuredContent: [1] },
      { content: [text("a")], isError: false, structured: [1] },
    ],
    [
      "a structure too deep to walk",
      { structuredContent: deep },
      { content: [text("[structured content, nested too deeply]")], isError: false },
    ],
    [
      "an image that lies about its type",
      { content: [{ type: "image", data: png, mimeType: "image/jpeg" }] },
      { content: [image], isError: false },
    ],
    [
      "an image that is too large",
      { content: [{ type: "image", data: "A".repeat(5 * 1024 * 1024 + 4), mimeType: "image/png" }] },
      { content: [text("[image image/png, 3932163 bytes, not shown: it is larger than 5 MB]")], isError: false },
    ],
    [
      "no object",
      [1],
      {
        content: [text("The server answered with something that is no result.")],
        isError: true,
        errorCode: "protocol_error",
      },
    ],
  ])("S3.2 S4.14 of %s", (_, result, expected) => {
    expect(adaptResult(result)).toEqual(expected)
  })
})
