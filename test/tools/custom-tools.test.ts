import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { CustomToolSettings } from "../../src/contract/config.ts"
import type { JsonObject } from "../../src/contract/json.ts"
import { type Tool, textResult } from "../../src/contract/tool.ts"
import { createCustomTools } from "../../src/tools/custom-tools.ts"
import { scratchFolder } from "../support/scratch-folder.ts"
import { toolsetIn } from "./toolset.ts"

const inputSchema = {
  type: "object",
  description: "An issue.",
  properties: { owner: { type: "string" }, repo: { type: "string" }, title: { type: "string" }, draft: {} },
  required: ["owner", "repo", "title"],
}

const createIssue: Tool = {
  name: "mcp__github__create_issue",
  description: "Create an issue anywhere.",
  inputSchema,
  origin: { kind: "mcp", server: "github", tool: "create_issue" },
  hints: { readOnly: false, destructive: true, idempotent: true },
  subjects: (input) => [{ kind: "command", line: JSON.stringify(input) }],
  execute: async (input) => textResult(JSON.stringify(input)),
}

function custom(changes: Partial<CustomToolSettings> = {}): CustomToolSettings {
  return {
    name: "report_bug",
    description: "Report a bug of the docs.",
    uses: "mcp__github__create_issue",
    fixed: { owner: "acme", repo: "docs" },
    defaults: { title: "Bug" },
    source: "agent.toml:7",
    ...changes,
  }
}

function wrap(changes: Partial<CustomToolSettings> = {}, wrapped = createIssue): Tool {
  const { tools, warnings } = createCustomTools([custom(changes)], [wrapped])
  expect(warnings).toEqual([])
  const [tool] = tools
  if (tool === undefined) throw new Error("no tool")
  return tool
}

const context = { signal: new AbortController().signal, callId: "call-1" }

async function received(tool: Tool, input: JsonObject): Promise<unknown> {
  const result = await tool.execute(input, context)
  const text = result.content.map((block) => (block.type === "text" ? block.text : "")).join("")
  return result.isError ? `${result.errorCode}: ${text}` : JSON.parse(text)
}

describe("a custom tool", () => {
  it("S0.1 has its own name and description, the hints of the tool it calls, and a schema without fixed arguments", () => {
    const { name, description, hints, origin, inputSchema: schema } = wrap()
    expect({ name, description, hints, origin, schema }).toEqual({
      name: "report_bug",
      description: "Report a bug of the docs.",
      hints: createIssue.hints,
      origin: { kind: "custom" },
      schema: {
        type: "object",
        description: "An issue.",
        properties: { title: { type: "string", default: "Bug" }, draft: {} },
        required: [],
        additionalProperties: false,
      },
    })
  })

  it("S0.1 T21 fixed arguments are always sent, defaults when the model gives none", async () => {
    const tool = wrap()
    expect([await received(tool, {}), await received(tool, { title: "Typo", draft: true })]).toEqual([
      { title: "Bug", owner: "acme", repo: "docs" },
      { title: "Typo", draft: true, owner: "acme", repo: "docs" },
    ])
    expect(tool.subjects({ title: "Typo" })).toEqual([
      { kind: "command", line: '{"title":"Typo","owner":"acme","repo":"docs"}' },
    ])
  })

  it.each<JsonObject>([
    { repo: "evil" },
    { repo: "docs" },
    { Repo: "evil" },
    { "repo\u200b": "evil" },
    { "repo.name": "evil" },
    { "repo[]": "evil" },
    { other: "evil" },
    JSON.parse('{"__proto__": {"repo": "evil"}}'),
    { constructor: { repo: "evil" } },
  ])("T21 an argument that its schema does not name is refused: %j", async (input) => {
    const answer = await received(wrap(), input)
    expect(answer).toMatch(/^invalid_input: report_bug has no argument ".+"\. Its arguments are: title, draft\.$/)
  })

  it("T21 whatever the model sends, the wrapped call is judged and made with the fixed arguments", async () => {
    const tool = wrap()
    const keys = fc.oneof(fc.string(), fc.constantFrom("owner", "repo", "title", "Repo", "__proto__", "toString"))
    await fc.assert(
      fc.asyncProperty(fc.dictionary(keys, fc.jsonValue()), async (input) => {
        expect(tool.wraps?.complete(input)).toMatchObject({ owner: "acme", repo: "docs" })
        const answer = await received(tool, input)
        if (typeof answer !== "string") expect(answer).toMatchObject({ owner: "acme", repo: "docs" })
      }),
    )
  })

  it("fixed arguments also vanish from the parts of a schema, and a value may be anything", async () => {
    const composed = {
      type: "object",
      properties: { query: {} },
      allOf: [{ properties: { filter: {}, sort: {} }, required: ["filter", "sort"] }],
      anyOf: [{ required: ["filter"] }, { required: ["query"] }],
      dependentRequired: { filter: ["query"], query: ["sort"] },
    }
    const fixed = { filter: { owner: ["acme"], deep: { n: 1 } } }
    const tool = wrap({ fixed, defaults: {} }, { ...createIssue, inputSchema: composed })
    expect(tool.inputSchema).toEqual({
      type: "object",
      properties: { query: {} },
      allOf: [{ properties: { sort: {} }, required: ["sort"] }],
      anyOf: [{ required: [] }, { required: ["query"] }],
      dependentRequired: { query: ["sort"] },
    })
    expect(await received(tool, { query: "q", sort: "s" })).toEqual({ query: "q", sort: "s", ...fixed })
  })

  it("calls a built-in tool as well, which checks the whole input", async () => {
    const { tools } = toolsetIn(await scratchFolder())
    const settings = custom({ name: "say", uses: "Bash", fixed: { command: "echo hello" }, defaults: {} })
    const [say] = createCustomTools([settings], tools).tools
    expect(say?.subjects({})).toEqual([{ kind: "command", line: "echo hello" }])
    const result = await say?.execute({ timeout: "soon" }, context)
    expect(result?.errorCode).toBe("invalid_input")
  })

  it.each([
    ["the tool is not there", { uses: "mcp__github__gone" }, "there is no tool mcp__github__gone in this run"],
    [
      "a fixed argument does not exist",
      { fixed: { repository: "docs" } },
      'mcp__github__create_issue has no argument "repository"',
    ],
    ["a default does not exist", { defaults: { toString: 1 } }, 'mcp__github__create_issue has no argument "toString"'],
  ])("T21 is not offered when it could not hold what it promises: %s", (_, changes, why) => {
    expect(createCustomTools([custom(changes)], [createIssue])).toEqual({
      tools: [],
      warnings: [`agent.toml:7: the custom tool report_bug is not offered: ${why}`],
    })
  })
})
