import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { eventsOf, runInProcess } from "../support/run-in-process.ts"
import { scratchFolder } from "../support/scratch-folder.ts"

const report = (input: object) => ({ tool: "report_finding", input: { level: "warning", message: "odd", ...input } })
const done = { text: "Done." }
const set = ["output.findings=true"]

describe("report_finding", () => {
  it("records what the agent found, without a rule, as an event and in the report", async () => {
    const workspace = await scratchFolder({ "src/a.ts": "let a\n" })
    const calls = [
      report({ file: "src/a.ts", line: 1, rule: "no-unused", level: "error" }),
      report({ file: join(workspace, "src/../src/a.ts"), line: 1 }),
    ]
    const run = await runInProcess({ workspace, set, turns: [{ calls }, done] })
    const place = { file: "src/a.ts", line: 1, message: "odd" }
    expect(run.report.findings).toEqual([
      { ...place, level: "error", rule: "no-unused" },
      { ...place, level: "warning", rule: "finding" },
    ])
    expect(eventsOf(run.events, "finding").map(({ call_id }) => call_id)).toEqual(run.report.calls.map(({ id }) => id))
    expect(run.report.calls.map(({ decision }) => decision?.rule)).toEqual(["baseline", "baseline"])
  })

  it("is not there unless it is asked for", async () => {
    const run = await runInProcess({ turns: [{ calls: [report({ file: "a", line: 1 })] }, done] })
    expect(run.report.calls.map(({ error_code }) => error_code)).toEqual(["unknown_tool"])
  })

  it("takes only a line of a file inside the workspace that may be read", async () => {
    const workspace = await scratchFolder({ "a.ts": "", ".git/config": "", "folder/x": "" })
    symlinkSync("/etc/passwd", join(workspace, "link"))
    const inputs = [
      { file: "/etc/passwd", line: 1 },
      { file: "link", line: 1 },
      { file: "../a.ts", line: 1 },
      { file: ".git/config", line: 1 },
      { file: "missing", line: 1 },
      { file: "folder", line: 1 },
      { file: "a.ts", line: 0 },
      { file: "a.ts", line: 1.5 },
      { file: "a.ts", line: 1, level: "fatal" },
      { file: "a.ts", line: 1, rule: "::error::" },
      { file: "a.ts", line: 1, message: "" },
    ]
    const run = await runInProcess({
      workspace,
      set,
      allow: ["report_finding"],
      turns: [{ calls: inputs.map(report) }, done],
    })
    expect(run.report.findings).toEqual([])
    expect(run.report.calls.map(({ error_code }) => error_code)).toEqual([
      ...Array(6).fill("tool_error"),
      ...Array(5).fill("invalid_input"),
    ])
  })

  it("needs a rule for a file outside the workspace", async () => {
    const workspace = await scratchFolder({ "a.ts": "" })
    const calls = [report({ file: "/etc/passwd", line: 1 })]
    const run = await runInProcess({ workspace, set, turns: [{ calls }, done] })
    expect(run.report.calls.map(({ error_code }) => error_code)).toEqual(["denied"])
  })

  it("records a thousand and no more", async () => {
    const workspace = await scratchFolder({ "a.ts": "" })
    const calls = Array.from({ length: 1001 }, (_, index) => report({ file: "a.ts", line: index + 1 }))
    const run = await runInProcess({ workspace, set, turns: [{ calls }, done] })
    expect([run.report.findings.length, run.report.calls.filter(({ ok }) => !ok).length]).toEqual([1000, 1])
  })
})
