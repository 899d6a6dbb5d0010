import { describe, expect, it } from "vitest"
import { errorResult, textResult } from "../../src/contract/tool.ts"
import { UserError } from "../../src/contract/user-error.ts"
import { defineTool } from "../../src/tools/define-tool.ts"

const context = { signal: new AbortController().signal, callId: "call-1" }

const greet = defineTool({
  name: "greet",
  description: "Say hello.",
  inputSchema: {
    type: "object",
    properties: {
      name: { type: "string" },
      times: { type: "integer" },
      tags: { type: "array", items: { type: "string" } },
    },
    required: ["name"],
  },
  execute: async (input) => {
    if (input.name === "nobody") throw new Error("nobody is here")
    if (input.name === "silent") return errorResult("timeout", "no answer")
    return `Hello ${input.name}`
  },
})

describe("defineTool", () => {
  it("fills in a custom origin and claims no hints", () => {
    expect({ ...greet, inputSchema: null }).toMatchObject({
      name: "greet",
      description: "Say hello.",
      origin: { kind: "custom" },
      hints: { readOnly: false, destructive: false, idempotent: false },
    })
    expect(greet.subjects({ name: "x" })).toEqual([])
  })

  it("turns a string into a result, keeps a result, and turns an exception into a failed result", async () => {
    expect(await greet.execute({ name: "Ada" }, context)).toEqual(textResult("Hello Ada"))
    expect(await greet.execute({ name: "silent" }, context)).toEqual(errorResult("timeout", "no answer"))
    expect(await greet.execute({ name: "nobody" }, context)).toEqual(errorResult("tool_error", "nobody is here"))
  })

  it("names an exception after the run was stopped as aborted", async () => {
    const stopped = { signal: AbortSignal.abort(), callId: "call-1" }
    expect(await greet.execute({ name: "nobody" }, stopped)).toEqual(errorResult("aborted", "nobody is here"))
  })

  it.each([
    [{}, /Invalid input for greet: .*"name"/],
    [{ name: 3 }, /name: .*"string"/],
    [{ name: "a", times: 1.5 }, /times: .*"integer"/],
    [{ name: "a", tags: ["x", 1] }, /tags\.1: .*"string"/],
  ])("answers invalid input %j without running", async (input, problem) => {
    const result = await greet.execute(input, context)
    expect(result).toMatchObject({ isError: true, errorCode: "invalid_input" })
    expect(result.content).toEqual([{ type: "text", text: expect.stringMatching(problem) }])
  })

  it("refuses a name the API would refuse", () => {
    expect(() => defineTool({ ...greet, name: "say hello" })).toThrow(UserError)
  })
})
