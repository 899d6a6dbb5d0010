import { readFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { renderJunit } from "../../src/report/junit.ts"
import { runInProcess } from "../support/run-in-process.ts"
import { scratchFolder } from "../support/scratch-folder.ts"

const wellFormed =
  /^<\?xml [^<>]*\?>(?:<[^<>&]*(?:&(?:amp|lt|gt|quot|#10);[^<>&]*)*>|[^<>&]|&(?:amp|lt|gt|quot|#10);)*$/
const turns = [
  {
    calls: [{ tool: "Bash", input: { command: "ls" } }, { tool: "Glob", input: { pattern: "*" } }, { tool: 'nope<&"' }],
  },
  { text: "done" },
]

describe("JUnit", () => {
  it("the run, each expectation and each failed or denied call is a test case", async () => {
    const folder = await scratchFolder()
    const junit = join(folder, "junit.xml")
    const { report } = await runInProcess({
      turns,
      junit,
      set: ["expect.max_denied=0", 'expect.tools_called=["Glob"]'],
    })
    const xml = readFileSync(junit, "utf8")
    expect(xml).toBe(renderJunit(report))
    expect(xml).toMatch(wellFormed)
    const cases = [
      ...xml.matchAll(/<testcase classname="([^"]*)" name="([^"]*)"[^>]*?(\/?)>(?:<failure type="([^"]*)")?/g),
    ]
    expect(cases.map(([, group, name, , failure]) => [group, name?.replace(/ \(.*/, ""), failure ?? null])).toEqual([
      ["agent-run.run", "the run completes", "expectation_failed"],
      ["agent-run.expect", "some_call_succeeds", null],
      ["agent-run.expect", "tools_called: Glob", null],
      ["agent-run.expect", "max_denied", "expectation"],
      ["agent-run.call", "Bash", "denied"],
      ["agent-run.call", "nope&lt;&amp;&quot;", "unknown_tool"],
    ])
    expect(xml).toContain('tests="6" failures="4"')
  })

  it("F55 any text gives well-formed XML", async () => {
    const { report } = await runInProcess({ turns: [{ text: "done" }] })
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (message) => {
        const broken = { ...report, expectations: [{ name: message, ok: false, message }] }
        expect(renderJunit(broken)).toMatch(wellFormed)
      }),
    )
  })
})
