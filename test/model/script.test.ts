import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { ModelRequest } from "../../src/contract/model.ts"
import { createScriptModel, loadScript } from "../../src/model/script.ts"
import type { ScriptExpectation } from "../../src/model/script-schema.ts"
import { ask, hello, userText } from "./ask.ts"

let folder = ""
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "script-"))
})
afterAll(() => rm(folder, { recursive: true }))

async function load(name: string, text: string) {
  const path = join(folder, name)
  await writeFile(path, text)
  return loadScript(path)
}

const toml = `
model = "quick"
[[turns]]
text = "I look first."
[[turns.calls]]
tool = "Read"
input = { file_path = "a.txt", when = 2026-01-01 }
[[turns.calls]]
tool = "Bash"
id = "mine"
[[turns]]
text = "Done."
stop_reason = "max_tokens"
usage = { input_tokens = 10, output_tokens = 5 }
cost_usd = 0.25
`

describe("a script", () => {
  it.each([
    ["TOML", "script.toml", toml],
    [
      "JSON",
      "script.json",
      JSON.stringify({
        model: "quick",
        turns: [
          {
            text: "I look first.",
            calls: [
              { tool: "Read", input: { file_path: "a.txt", when: "2026-01-01" } },
              { tool: "Bash", id: "mine" },
            ],
          },
          { text: "Done.", stop_reason: "max_tokens", usage: { input_tokens: 10, output_tokens: 5 }, cost_usd: 0.25 },
        ],
      }),
    ],
  ])("in %s is answered turn by turn, and a request too many is a mismatch", async (_name, file, source) => {
    const model = await load(file, source)
    const usage = { inputTokens: 0, outputTokens: 0, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 }
    const answers = [await ask(model), await ask(model), await ask(model)].map(({ answer }) => answer)
    expect([model.id, model.priced]).toEqual(["quick", true])
    expect(answers).toEqual([
      {
        kind: "reply",
        model: "quick",
        content: [
          { type: "text", text: "I look first." },
          { type: "tool_use", id: "call_1_1", name: "Read", input: { file_path: "a.txt", when: "2026-01-01" } },
          { type: "tool_use", id: "mine", name: "Bash", input: {} },
        ],
        stopReason: "tool_use",
        stopDetails: null,
        usage,
        costUsd: 0,
      },
      {
        kind: "reply",
        model: "quick",
        content: [{ type: "text", text: "Done." }],
        stopReason: "max_tokens",
        stopDetails: null,
        usage: { ...usage, inputTokens: 10, outputTokens: 5 },
        costUsd: 0.25,
      },
      {
        kind: "failure",
        code: "script_mismatch",
        message: "The script has 2 turns, request 3 was made.",
        hint: "Change the script, or what the run does.",
        partialText: null,
      },
    ])
  })

  it.each([
    ["broken TOML", "a.toml", '[[turns]]\ntext = "open', /a\.toml:2:\d+ Invalid TOML/],
    ["broken JSON", "b.json", '{\n"turns": [}', /b\.json(:2)? is not JSON/],
    ["no turns", "c.toml", 'model = "x"', /c\.toml turns: is missing, it should be an array/],
    [
      "an unknown key of a turn",
      "d.toml",
      '[[turns]]\ntext = "a"\n[[turns]]\ntxt = "b"',
      /d\.toml:4 turns\[1\]\.txt: unknown key/,
    ],
    [
      "a call without a tool",
      "e.toml",
      '[[turns]]\n[[turns.calls]]\ntool = "A"\n[[turns.calls]]\ninput = {}',
      /e\.toml:4 turns\[0\]\.calls\[1\]\.tool: is missing/,
    ],
    ["a wrong type", "f.toml", '[[turns]]\n\ndelay_ms = "soon"', /f\.toml:3 turns\[0\]\.delay_ms: should be a /],
    [
      "an unknown expectation",
      "g.toml",
      "[[turns]]\n[turns.expect]\ntool = 1",
      /g\.toml:3 turns\[0\]\.expect\.tool: unknown key/,
    ],
    ["a wrong type in JSON", "h.json", '{"turns": [{"text": 1}]}', /h\.json turns\[0\]\.text: should be a string/],
    ["endless nesting", "i.toml", `[[turns]]\n${"a.".repeat(100_000)}b = 1`, /i\.toml/],
  ])("with %s is refused with its place", async (_name, file, source, message) => {
    const loading = load(file, source)
    await expect(loading).rejects.toMatchObject({ name: "UserError", code: "script_error" })
    await expect(loading).rejects.toThrow(message)
  })

  it("that is not there is refused by name", async () => {
    await expect(loadScript(join(folder, "none.toml"))).rejects.toMatchObject({
      code: "script_error",
      message: expect.stringContaining("none.toml cannot be read: ENOENT"),
    })
  })

  it("waits as long as it says, unless it is aborted", async () => {
    const patient = createScriptModel({ turns: [{ text: "late", delay_ms: 1 }] })
    expect((await ask(patient)).answer).toMatchObject({ kind: "reply" })
    const endless = createScriptModel({ turns: [{ text: "late", delay_ms: 1_000_000 }] })
    expect((await ask(endless, hello, AbortSignal.timeout(10))).answer).toMatchObject({ code: "interrupted" })
  })
})

describe("an expectation", () => {
  const results: ModelRequest = {
    ...hello,
    messages: [
      userText("Go"),
      { role: "assistant", content: [{ type: "tool_use", id: "a", name: "Read", input: {} }] },
      {
        role: "user",
        content: [
          { type: "tool_result", toolUseId: "a", content: [{ type: "text", text: "first" }], isError: true },
          { type: "tool_result", toolUseId: "b", content: [{ type: "text", text: "denied by rule" }], isError: true },
        ],
      },
    ],
  }
  const met: ScriptExpectation = {
    tools_offered: ["Read"],
    tools_not_offered: ["Bash"],
    system_contains: "a test",
    messages: 3,
    last_message_contains: ["first", "denied"],
    last_result_contains: "rule",
    last_result_is_error: true,
  }

  it("that is met changes nothing", async () => {
    const model = createScriptModel({ turns: [{ text: "ok", expect: met }] })
    expect((await ask(model, results)).answer).toMatchObject({ kind: "reply", content: [{ text: "ok" }] })
  })

  it.each<[ScriptExpectation, ModelRequest, string]>([
    [{ tools_offered: ["Bash"] }, hello, "the tool Bash should be offered, but only these are: Read"],
    [{ tools_offered: ["Bash"] }, { ...hello, tools: [] }, "the tool Bash should be offered, but only these are: none"],
    [{ tools_not_offered: ["Read"] }, hello, "the tool Read should not be offered, but it is"],
    [{ system_contains: "sing" }, hello, 'the system prompt should contain "sing", but it is "You are a test."'],
    [{ messages: 2 }, hello, "2 messages were expected, and 1 were sent"],
    [{ last_message_contains: ["Hel", "bye"] }, hello, 'the last message should contain "bye", but it is "Hello"'],
    [{ last_result_contains: "x" }, hello, 'the last result should contain "x", but there is none'],
    [{ last_result_contains: "first" }, results, 'the last result should contain "first", but it is "denied by rule"'],
    [{ last_result_is_error: false }, results, 'the last result should be no error, but it is "denied by rule"'],
    [{ last_result_is_error: true }, hello, "the last result should be an error, but there is no result"],
  ])("%j that is not met says what was expected and what was sent", async (expectation, request, message) => {
    const model = createScriptModel({ turns: [{ text: "ok", expect: expectation }] })
    expect((await ask(model, request)).answer).toMatchObject({
      kind: "failure",
      code: "script_mismatch",
      message: `Turn 1 of the script: ${message}.`,
    })
  })
})
