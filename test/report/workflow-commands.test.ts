import { describe, expect, it } from "vitest"
import type { RunEventBody } from "../../src/contract/event.ts"
import { neutraliseCommands } from "../../src/report/escape.ts"
import { foldReport } from "../../src/report/fold.ts"
import { toJsonLine, toJsonReport } from "../../src/report/json.ts"
import { renderSummary } from "../../src/report/markdown.ts"
import { createProgress } from "../../src/report/progress.ts"
import { renderRunEnd } from "../../src/report/run-end.ts"
import { emitted, reply, runEnd, runStart, serverError, toolCall, toolResult } from "../support/run-events.ts"
import { commandsIn } from "../support/runner-commands.ts"

const forms = [
  "::add-mask::x",
  "::stop-commands::pause",
  "  \t::error file=a.js,line=1::message",
  "::set-output name=a::b",
  "text\n::warning::message",
  "text\r::add-mask::x",
  "text\u2028::add-mask::x\x85::debug::y",
  "\x1b[31m::error::message\x1b[0m",
  "##[add-matcher]matcher.json",
  "text ##[group]name ###[error]more",
  "#\u200b#[error]x ##vso[task.setvariable variable=a]b #\x07#[command]c",
]

const failed = { state: "error", ok: false, duration_ms: 1, error_code: "tool_error" } as const

const answered = { model: null, usage: null, cost_usd: null }
const request = { type: "server.request", outcome: "refused", request: {}, response: null, ...answered } as const

const sources: Readonly<Record<string, (text: string) => readonly RunEventBody[]>> = {
  "model text": (text) => [reply(text), runEnd({ answer: text, ...endedBy("m") })],
  "tool output": (text) => [toolCall("c"), toolResult("c", { ...failed, content: [{ type: "text", text }] }), runEnd()],
  "server stderr": (text) => [{ ...serverError("s", "failed"), stderr_tail: text }, runEnd()],
  error: (text) => [
    serverError("s", text),
    { type: "retry", what: "model", attempt: 1, delay_ms: 1, error: text },
    { type: "warning", code: "w", message: text },
    runEnd(endedBy(text)),
  ],
  "tool name": (text) => [
    toolCall("c", {
      tool: text,
      server: text,
      input: { [text]: text },
      decision: { action: "deny", rule: text, source: text },
    }),
    toolResult("c", { tool: text, state: "denied", ok: false, error_code: "denied" }),
    runEnd(),
  ],
  "server log, request and progress": (text) => [
    { type: "server.log", server: text, level: "info", logger: text, text },
    { ...request, server: text, method: text, detail: text },
    { type: "tool.progress", call_id: "c", tool: text, server: text, progress: 1, total: null, message: text },
    runEnd(),
  ],
  path: (text) => [
    runStart({ workspace: text, model: text }),
    runEnd({ files_changed: [{ path: text, added: 1, removed: 1 }] }),
  ],
}

function endedBy(message: string) {
  return { status: "failed", exit_code: 6, reason: { code: "model_refused", message, hint: message } } as const
}

const cases = Object.entries(sources).flatMap(([source, bodiesOf]) =>
  forms.map((form) => ({ source, form: JSON.stringify(form), text: form, bodies: bodiesOf(form) })),
)

describe("untrusted text in the log of a CI runner", () => {
  it("T9 the reader of these tests does see every form", () => {
    const unseen = forms.filter((form) => commandsIn(form).length === 0)
    expect(unseen).toEqual([])
    expect(cases).toHaveLength(77)
  })

  it.each(cases)("T9 $source $form is no command", ({ text, bodies }) => {
    const events = emitted(bodies)
    const report = foldReport(events)
    for (const color of [false, true]) {
      const progress = events.flatMap(createProgress({ verbosity: "verbose", color }))
      const end = renderRunEnd(report, { verbosity: "verbose", color })
      const stderr = [...progress, ...end].join("\n")
      expect(commandsIn(stderr)).toEqual([])
      if (!color) expect(stderr).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028]/)
    }
    const stdout = [...events.map(toJsonLine), toJsonReport(report), neutraliseCommands(text)]
    for (const output of stdout) expect(commandsIn(output)).toEqual([])
    expect(commandsIn(renderSummary(report))).toEqual([])
  })

  it("JSON means the same after it was made safe, and ordinary text is left alone", () => {
    for (const event of emitted(cases.flatMap(({ bodies }) => bodies.slice(0, -1)))) {
      expect(JSON.parse(toJsonLine(event))).toEqual(event)
    }
    for (const text of ["std::vector<int> a;", "# heading\n## second [link]", "a :: b", "C#[] arrays", "12:30::45"]) {
      expect(neutraliseCommands(text)).toBe(text)
    }
  })
})
