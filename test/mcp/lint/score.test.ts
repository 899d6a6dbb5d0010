import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { JsonObject } from "../../../src/contract/json.ts"
import { lintServers, passingScore } from "../../../src/mcp/lint/lint.ts"

const good = {
  name: "create_issue",
  description: "Create an issue in a repository and return its number.",
  inputSchema: {
    type: "object",
    properties: { title: { type: "string", description: "One line." } },
    required: ["title"],
  },
}

function lint(tool: unknown, descriptionLimit = 2048) {
  const inventory = { server: "github", source: "agent.toml:1", instructions: null, tools: [tool], hidden: [] }
  const [server] = lintServers([inventory], { descriptionLimit })
  return server?.tools[0]
}

function judged(changes: JsonObject) {
  const found = lint({ ...good, ...changes })
  return { score: found?.score, rules: found?.findings.map(({ rule }) => rule) }
}

const schemaOf = (properties: JsonObject, more: JsonObject = { required: [] }) => ({
  inputSchema: { type: "object", properties, ...more },
})

describe("the score of a tool", () => {
  it("a good tool has 100 points", () => {
    expect(judged({})).toEqual({ score: 100, rules: [] })
  })

  it.each([undefined, null, "", "   ", "Creates an issue", 42])(
    "S0.20 a missing or short description costs 40 points: %j",
    (description) => {
      expect(judged({ description })).toEqual({ score: 60, rules: ["description-missing"] })
    },
  )

  it("S0.20 twenty characters are enough, counted as people count them", () => {
    expect([judged({ description: "x".repeat(20) }).score, judged({ description: "🚀".repeat(19) }).score]).toEqual([
      100, 60,
    ])
  })

  it.each([
    ["one of two", schemaOf({ a: { description: "A." }, b: {} })],
    ["an empty one", schemaOf({ a: { description: " " } })],
    ["behind a reference that leads nowhere", schemaOf({ a: { $ref: "#/$defs/b" } })],
    ["in a part of the schema", { inputSchema: { type: "object", required: [], allOf: [{ properties: { a: {} } }] } }],
  ])("S0.21 a property without description costs 20 points, once: %s", (_, changes) => {
    expect(judged(changes)).toEqual({ score: 80, rules: ["properties-undescribed"] })
  })

  it("S0.21 a description behind a reference or in a part counts", () => {
    const $defs = { text: { type: "string", description: "A text." } }
    const properties = { a: { $ref: "#/$defs/text" }, b: { anyOf: [{ $ref: "#/$defs/text" }, { type: "null" }] } }
    expect(judged(schemaOf(properties, { $defs, required: ["a"] })).score).toBe(100)
  })

  it.each([
    ["no list of required properties", schemaOf({ a: { description: "A." } }, {}), 90],
    ["a list that is no list", schemaOf({ a: { description: "A." } }, { required: "a" }), 90],
    ["an empty list says that all are optional", schemaOf({ a: { description: "A." } }, { required: [] }), 100],
    ["a default says that it is optional", schemaOf({ a: { description: "A.", default: 1 } }, {}), 100],
    ["its description says so", schemaOf({ a: { description: "Optional name." } }, {}), 100],
    ["there is nothing to require", schemaOf({}, {}), 100],
    ["there is no schema", { inputSchema: undefined }, 100],
  ])("S0.22 not marking what is required costs 10 points: %s", (_, changes, score) => {
    expect(judged(changes).score).toBe(score)
  })

  it.each([
    "Short. For example: {}",
    "Find code, e.g. functions by name.",
    "Use this to find functions.",
    "Finds code such as functions.",
    "Find code.\n```\nfind main\n```",
  ])("S0.23 usage or an example in the description adds points: %j", (description) => {
    const properties = { a: {} }
    expect(judged({ description, ...schemaOf(properties) })).toEqual({
      score: 90,
      rules: ["properties-undescribed", "usage-shown"],
    })
  })

  it.each([
    ["create_issue", 100],
    ["issue", 100],
    ["get_v2_issue", 100],
    ["createIssue", 95],
    ["create-issue", 95],
    ["Create_Issue", 95],
    ["create__issue", 95],
    ["issues.create", 95],
    ["größe", 95],
  ])("S0.24 a name that is not snake_case costs 5 points: %s", (name, score) => {
    expect(judged({ name }).score).toBe(score)
  })

  it("S0.25 the worst honest tool has 25 points, which do not pass; 40 do", () => {
    const worst = judged({ name: "Do-It", description: "", inputSchema: { type: "object", properties: { a: {} } } })
    expect([worst.score, passingScore]).toEqual([25, 40])
  })

  it("S0.25 whatever a server sends has a score from 0 to 100", () => {
    const anything = fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          name: fc.string(),
          description: fc.oneof(fc.string(), fc.jsonValue()),
          inputSchema: fc.oneof(fc.jsonValue(), fc.record({ type: fc.constant("object"), properties: fc.jsonValue() })),
        },
        { requiredKeys: ["name"] },
      ),
    )
    fc.assert(
      fc.property(anything, (tool) => {
        const score = lint(tool)?.score ?? -1
        expect(score >= 0 && score <= 100 && Number.isInteger(score)).toBe(true)
      }),
    )
  })

  it("S0.25 the whole description counts, also beyond what the model would see of it", () => {
    const description = `${"x".repeat(3000)} For example: {}`
    expect(judged({ description })).toEqual({ score: 100, rules: ["usage-shown", "description-too-long"] })
  })
})
