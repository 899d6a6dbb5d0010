import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { runInProcess } from "../support/run-in-process.ts"
import { scratchFolder } from "../support/scratch-folder.ts"

const write = (file: string) => ({ tool: "Write", input: { file_path: file, content: "x\n" } })
const turns = [
  { calls: [write("docs/a.md"), { tool: "Bash", input: { command: "ls" } }], cost_usd: 0.02 },
  { text: "42 files", cost_usd: 0.01 },
]

describe("[expect]", () => {
  it.each([
    ["tools_called", '["Write"]', true],
    ["tools_called", '["Wr*", "Edit"]', false],
    ["tools_called", '["Bash"]', false],
    ["tools_not_called", '["Bash"]', true],
    ["tools_not_called", '["W*"]', false],
    ["files_changed", '["docs/**"]', true],
    ["files_changed", '["src/**"]', false],
    ["files_unchanged", '["src/**"]', true],
    ["files_unchanged", '["**/*.md"]', false],
    ["answer_matches", '"^\\\\d+ files$"', true],
    ["answer_matches", '"nothing"', false],
    ["max_cost_usd", "0.03", true],
    ["max_cost_usd", "0.02", false],
    ["max_turns", "2", true],
    ["max_turns", "1", false],
    ["max_denied", "1", true],
    ["max_denied", "0", false],
  ])("%s = %s holds: %s", async (key, value, holds) => {
    const { report } = await runInProcess({ turns, allow: ["Write"], set: [`expect.${key}=${value}`] })
    expect(report.exit_code).toBe(holds ? 0 : 8)
    expect(report.reason?.code ?? null).toBe(holds ? null : "expectation_failed")
    expect(report.answer).toBe("42 files")
    const asked = report.expectations.filter(({ name }) => name.startsWith(key))
    expect(asked.every(({ ok }) => ok)).toBe(holds)
    if (!holds) expect(report.reason?.message).toContain(key)
  })

  it("a pattern that is no regular expression is refused with its place", async () => {
    const { report } = await runInProcess({ turns, set: ['expect.answer_matches="("'] })
    expect(report.reason?.code).toBe("usage_error")
    expect(report.exit_code).toBe(2)
    expect(report.reason?.message).toContain("expect.answer_matches")
  })
})

describe("--output-schema", () => {
  const schema = {
    type: "object",
    required: ["count"],
    properties: { count: { type: "integer" } },
    additionalProperties: false,
  }

  async function schemaFile(content = JSON.stringify(schema)): Promise<string> {
    return join(await scratchFolder({ "schema.json": content }), "schema.json")
  }

  it("an answer that fits is in the report as JSON, with or without a fence", async () => {
    for (const text of ['{"count": 42}', '```json\n{"count": 42}\n```']) {
      const first = { text, expect: { system_contains: '"required":["count"]' } }
      const { report } = await runInProcess({ turns: [first], outputSchema: await schemaFile() })
      expect(report).toMatchObject({ exit_code: 0, answer: text, structured: { count: 42 } })
    }
  })

  it("an answer that does not fit is repaired, and the model is told which path is wrong", async () => {
    const mended = await runInProcess({
      turns: [
        { text: "42, I think" },
        { text: '{"count": "42"}', expect: { last_message_contains: "it is not JSON" } },
        { text: '{"count": 42}', expect: { last_message_contains: "count: " } },
      ],
      outputSchema: await schemaFile(),
    })
    expect(mended.report).toMatchObject({ exit_code: 0, structured: { count: 42 }, turns: 3 })
  })

  it("an answer that never fits ends with exit 8 after two repairs, and is kept", async () => {
    const turn = { text: '{"count": "many"}' }
    const { report } = await runInProcess({ turns: [turn, turn, turn, turn], outputSchema: await schemaFile() })
    expect(report).toMatchObject({
      exit_code: 8,
      reason: { code: "output_schema" },
      answer: turn.text,
      structured: null,
      turns: 3,
    })
    expect(report.reason?.message).toContain("count: ")
  })

  it.each([
    ["not JSON", "{"],
    ["no object", "[1]"],
  ])("a schema that is %s is refused before the model is asked", async (_, content) => {
    const { report } = await runInProcess({ turns: [], outputSchema: await schemaFile(content) })
    expect(report).toMatchObject({ exit_code: 2, reason: { code: "usage_error" }, turns: 0 })
  })
})
