import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { it } from "../support/cli-test.ts"

const canary = "canary-4b1d7c0a9e"
const message = `100% odd\n::error::${canary}`
const finding = { file: "src/a b.ts", line: 3, level: "error", rule: "odd/one", message }
const script = [{ calls: [{ tool: "report_finding", input: finding }] }, { text: "Found one." }]
const files = { "src/a b.ts": "1\n2\n3\n" }
const config = { output: { findings: true } }

describe("findings of a run", () => {
  it("are a SARIF file, a part of the summary and the page, and annotations on GitHub alone", async ({
    start,
    cli,
  }) => {
    const env = { GITHUB_ACTIONS: "true", MY_TOKEN: canary }
    const running = start({ script, files, config, env })
    const run = await running.ended
    const read = (name: string) => readFileSync(join(running.outDir, name), "utf8")
    const [log] = JSON.parse(read("results.sarif")).runs
    expect(log.tool.driver.rules).toEqual([{ id: "odd/one", shortDescription: { text: "Found by an agent: odd/one" } }])
    expect(log.invocations).toEqual([{ executionSuccessful: true, exitCode: 0 }])
    expect(log.results).toMatchObject([
      {
        ruleId: "odd/one",
        level: "error",
        locations: [{ physicalLocation: { artifactLocation: { uri: "src/a%20b.ts" }, region: { startLine: 3 } } }],
      },
    ])
    const commands = run.stderr.split("\n").filter((line) => /^\s*::/.test(line))
    expect(commands).toEqual([
      expect.stringMatching(
        /^::error file=src\/a b\.ts,line=3,title=src\/a b\.ts%3A3 \(odd\/one\)::100%25 odd : ?:error::/,
      ),
    ])
    expect(read("summary.md")).toContain("#### Findings (1)")
    expect(read("report.html")).toContain("src/a b.ts:3")
    for (const name of ["results.sarif", "summary.md", "report.html"]) expect(read(name)).not.toContain(canary)
    expect(run.stderr).not.toContain(canary)
    expect((await cli({ script, files, config })).stderr).not.toContain("::error file")
  })

  it("go where --sarif says; a wrong mcp command writes no SARIF of a run", async ({ start }) => {
    const asked = start({ script, files, config, outDir: false, args: ["--sarif", "r.sarif"] })
    expect((await asked.ended).exitCode).toBe(0)
    expect(JSON.parse(readFileSync(join(asked.workspace, "r.sarif"), "utf8")).runs[0].results).toHaveLength(1)
    const args = ["mcp", "lint", "--sarif", "l.sarif", "--no-such-option"]
    const wrong = start({ task: null, outDir: false, args })
    expect((await wrong.ended).exitCode).toBe(2)
    expect(existsSync(join(wrong.workspace, "l.sarif"))).toBe(false)
  })
})
