import { spawn } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { RunEventBody } from "../../src/contract/event.ts"
import { createBus } from "../../src/events/bus.ts"
import { createRedactor } from "../../src/events/redact.ts"
import { createReportFold } from "../../src/report/fold.ts"
import { toJsonReport } from "../../src/report/json.ts"
import { renderSummary } from "../../src/report/markdown.ts"
import { createConsoleSink } from "../../src/sinks/console.ts"
import { writeOutput } from "../../src/sinks/files.ts"
import { createJsonlFileSink } from "../../src/sinks/jsonl-file.ts"
import { createStreamSink } from "../../src/sinks/stream.ts"
import { encodings } from "../support/encodings.ts"
import { createClock, reply, runEnd, runStart, serverError, toolCall, toolResult } from "../support/run-events.ts"

const secret = `pa"ss\\wörd & <more>/'it'+~ 1`

/** The text in every place that others can fill. */
function leakingRun(text: string): readonly RunEventBody[] {
  const decision = { action: "deny", rule: text, source: text } as const
  const reason = { code: "call_denied", message: text, hint: text } as const
  return [
    runStart({ task: text, model: text, workspace: text, config_sources: [text] }),
    { ...serverError(text, text), hint: text, stderr_tail: text },
    { type: "warning", code: text, message: text },
    { type: "retry", what: "model", attempt: 1, delay_ms: 1, error: text },
    reply(text, { stop_reason: text }),
    toolCall("c1", { tool: text, server: text, input: { [text]: [text] }, decision }),
    toolResult("c1", {
      tool: text,
      state: "denied",
      ok: false,
      error_code: "denied",
      content: [{ type: "text", text }],
    }),
    toolCall("c2"),
    toolResult("c2", { content: [{ type: "text", text }], structured: { [text]: text } }),
    runEnd({
      ...{ status: "stopped", exit_code: 7, reason, answer: text },
      files_changed: [{ path: text, added: 1, removed: 0 }],
      expectations: [{ name: text, ok: false, message: text }],
    }),
  ]
}

describe("every output of a run", () => {
  let folder = ""
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "outputs-"))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it("T22 holds none of twelve spellings of a secret, and is private", async () => {
    const forms = Object.values(encodings).map((encode) => encode(secret))
    expect(forms).toHaveLength(12)
    const outputs = await runInto(folder, forms.map((form) => `before ${form} after`).join("\n"))
    expect(Object.keys(outputs).sort()).toEqual(["report.json", "stderr", "stdout", "summary.md", "transcript.jsonl"])

    const hits = Object.entries(outputs).flatMap(([name, contents]) =>
      forms.flatMap((form) =>
        [form, JSON.stringify(form).slice(1, -1)].filter((hit) => contents.includes(hit)).map(() => name),
      ),
    )
    expect(hits).toEqual([])
    for (const contents of Object.values(outputs)) expect(contents).toContain("[redacted:DEPLOY_TOKEN]")
    for (const file of readdirSync(folder)) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600)
  })

  it.each([
    ["a colour", "\x1b[31m"],
    ["an invisible character", "\u200b"],
    ["a control character", "\x07"],
  ])("T22 does not put together a secret that had %s inside it", async (_what, inside) => {
    const outputs = await runInto(folder, `before ${secret.slice(0, 9)}${inside}${secret.slice(9)} after`)
    for (const contents of Object.values(outputs)) {
      expect(contents).toContain("[redacted:DEPLOY_TOKEN]")
      expect(contents).not.toContain("& <more>/")
    }
  })

  it("T22 the check itself finds a secret that nobody hides", async () => {
    const outputs = await runInto(folder, "before some-public-words after")
    for (const contents of Object.values(outputs)) expect(contents).toContain("some-public-words")
  })
})

async function runInto(folder: string, text: string): Promise<Readonly<Record<string, string>>> {
  const redactor = createRedactor({ env: { DEPLOY_TOKEN: secret }, envGlobs: [], patterns: [] })
  const bus = createBus({ redactor, now: createClock() })
  const fold = createReportFold()
  const reader = spawn("cat")
  const stderr: string[] = []
  bus.attach({ write: fold.write, close: async () => null })
  bus.attach(createJsonlFileSink(join(folder, "transcript.jsonl")))
  bus.attach(createStreamSink(reader.stdin))
  bus.attach(createConsoleSink({ write: (lines) => void stderr.push(lines), verbosity: "verbose", color: true }))
  for (const body of leakingRun(text)) bus.emit(body)
  expect(await bus.close()).toEqual([])
  await writeOutput(join(folder, "report.json"), toJsonReport(fold.report()))
  await writeOutput(join(folder, "summary.md"), renderSummary(fold.report()))

  reader.stdin.end()
  let stdout = ""
  for await (const chunk of reader.stdout) stdout += chunk
  const files = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")])
  return { ...Object.fromEntries(files), stdout, stderr: stderr.join("") }
}
