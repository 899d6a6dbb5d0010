import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import type { Report } from "../../src/contract/report.ts"
import { it } from "../support/cli-test.ts"

const look = { tool: "Glob", input: { pattern: "*" } }

describe("agent-run diff", () => {
  it("compares two reports, and the exit code judges the increase of the cost", async ({ cli, folder }) => {
    const reports: (Report | null)[] = []
    for (const [cost, calls] of [
      [0.1, 1],
      [0.125, 2],
    ] as const) {
      const script = [...Array(calls).fill({ calls: [look] }), { text: "done", cost_usd: cost }]
      reports.push((await cli({ script })).report)
    }
    const [before, after] = reports.map((report, index) => {
      const path = join(folder, `${index}.json`)
      writeFileSync(path, JSON.stringify(report))
      return path
    })
    const diff = (...args: string[]) =>
      cli({ task: null, outDir: false, args: ["diff", before ?? "", after ?? "", ...args] })

    const table = await diff()
    expect(table.exitCode).toBe(0)
    expect(table.stdout).toMatch(/cost_usd +0\.1 +0\.125 +\+25 %/)
    expect(table.stdout).toMatch(/CALLS OF +BEFORE +AFTER\nGlob +1 +2/)
    expect((await diff("--max-cost-increase", "25%")).exitCode).toBe(0)
    const worse = await diff("--max-cost-increase", "0.2", "--json")
    expect([worse.exitCode, worse.stderr]).toEqual([
      8,
      "agent-run: the cost rose by 25 %, more than the 20 % that are allowed\n",
    ])
    expect(JSON.parse(worse.stdout)).toMatchObject({
      cost_increase: 0.25,
      tools: [{ tool: "Glob", before: 1, after: 2 }],
    })
  })

  it.for([
    ["missing.json", /no report: ENOENT/],
    ["--max-cost-increase=lots", /is no share/],
  ] as const)("%s is refused with exit 2", async ([word, says], { cli }) => {
    const { exitCode, stderr } = await cli({
      task: null,
      outDir: false,
      args: ["diff", "a.json", "b.json", word].slice(0, word.startsWith("-") ? 4 : 3),
    })
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(word.startsWith("-") ? says : /is no report/)
  })
})
