import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { fixture, it } from "../support/cli-test.ts"
import { commandsIn } from "../support/runner-commands.ts"

const noRun = { task: null, outDir: false } as const

describe("mcp lint", () => {
  it.concurrent("S0.25 scores every tool as it came and ends with 8 when one is below 40", async ({ cli }) => {
    const config = { mcp_servers: { good: fixture(), bad: fixture(["--bad-tool"]) } }
    const { exitCode, stdout, stderr } = await cli({ ...noRun, config, args: ["mcp", "lint", "-q"] })
    expect(exitCode).toBe(8)
    expect(stdout).toBe(
      [
        "good: score 70, 1 tool",
        "TOOL  SCORE  FINDING",
        "echo  70     warning: has a property without description: text (−20) [properties-undescribed]",
        "             warning: does not say which properties are required; list them in required, or write an empty list: text (−10) [required-unmarked]",
        "",
        "bad: score 0, 6 tools, 4 below 40",
        "TOOL           SCORE  FINDING",
        "entry 1        0      error: is no object with a name [entry-unusable]",
        "entry 2        0      error: is no object with a name [entry-unusable]",
        'array_schema   0      error: has an inputSchema without type "object" [schema-not-object]',
        'string_schema  0      error: has an inputSchema without type "object" [schema-not-object]',
        "bare           60     warning: has no description (−40) [description-missing]",
        "echo           70     warning: has a property without description: text (−20) [properties-undescribed]",
        "                      warning: does not say which properties are required; list them in required, or write an empty list: text (−10) [required-unmarked]",
        "",
      ].join("\n"),
    )
    expect(stderr).toMatch(/^agent-run: below the score of 40: bad \(0\)$/m)
  })

  it.concurrent("S0.20 S0.21 S0.22 S0.24 the minimum can be chosen, and --json says the same", async ({ cli }) => {
    const config = { mcp_servers: { one: fixture(["--named", "Echo", "--description-bytes", "5"]) } }
    const lint = (minimum: string) =>
      cli({ ...noRun, config, args: ["mcp", "lint", "one", "--json", "--min-score", minimum] })
    const [passed, failed, wrong] = await Promise.all(["25", "26", "101"].map(lint))
    expect([passed?.exitCode, failed?.exitCode, wrong?.exitCode]).toEqual([0, 8, 2])
    const points = [
      ["description-missing", -40],
      ["properties-undescribed", -20],
      ["required-unmarked", -10],
      ["name-convention", -5],
    ]
    expect(JSON.parse(failed?.stdout ?? "")).toMatchObject({
      min_score: 26,
      passed: false,
      servers: [{ name: "one", score: 25, passed: false, tools: [{ name: "Echo", score: 25, passed: false }] }],
    })
    const [server] = JSON.parse(passed?.stdout ?? "").servers
    expect(
      server.tools[0].findings.map((finding: { rule: string; points: number }) => [finding.rule, finding.points]),
    ).toEqual(points)
    expect(wrong?.stderr).toContain("--min-score: a score is a number from 0 to 100")
  })

  it.concurrent("T9 writes SARIF, and annotations that nothing in a name can break out of", async ({ cli, folder }) => {
    const name = "evil\n::set-output name=a::b ##[group]x,y:z%0A"
    const config = { mcp_servers: { bad: fixture(["--named", name]) } }
    const sarif = join(folder, "new", "lint.sarif")
    const run = await cli({
      ...noRun,
      config,
      args: ["mcp", "lint", "-q", "--min-score", "100", "--sarif", sarif],
      env: { GITHUB_ACTIONS: "true" },
    })
    expect(run.exitCode).toBe(8)
    const [log] = JSON.parse(readFileSync(sarif, "utf8")).runs
    const results: { ruleId: string; level: string; locations: object[] }[] = log.results
    expect(results.map(({ ruleId, level }) => [ruleId, level])).toEqual([
      ["properties-undescribed", "error"],
      ["required-unmarked", "error"],
      ["name-convention", "error"],
    ])
    expect(results[0]?.locations).toMatchObject([
      { physicalLocation: { artifactLocation: { uri: "agent.toml" }, region: { startLine: expect.any(Number) } } },
    ])
    const lines = run.stderr.split("\n").filter((line) => line.startsWith("::error file=agent.toml,line="))
    expect(lines).toHaveLength(3)
    const others = run.stderr.split("\n").map((line) => line.replace(/^::error file=agent\.toml,line=\d+,title=/, "- "))
    expect(commandsIn(others.join("\n"))).toEqual([])
    expect(commandsIn(run.stdout)).toEqual([])
  })

  it.concurrent("a server that is not connected is never green", async ({ cli }) => {
    const broken = { command: "no-such-program-anywhere" }
    const lint = (mcp_servers: object, ...args: string[]) =>
      cli({ ...noRun, config: { mcp_servers }, args: ["mcp", "lint", ...args] })
    const runs = await Promise.all([
      lint({ good: fixture(), broken }),
      lint({ good: fixture(), broken }, "good"),
      lint({ good: fixture(), broken: { ...broken, enabled: false } }),
      lint({}),
      lint({ good: fixture() }, "other"),
    ])
    expect(runs.map(({ exitCode }) => exitCode)).toEqual([5, 0, 0, 2, 2])
    expect(runs[0]?.stdout).toContain("good: score 70")
  })

  it.concurrent("S0.25 mcp tools shows the score", async ({ cli }) => {
    const config = { mcp_servers: { one: fixture(["--named", "echo,other"], { disabled_tools: ["other"] }) } }
    const { stdout } = await cli({ ...noRun, config, args: ["mcp", "tools", "--json"] })
    const scores = JSON.parse(stdout).tools.map((tool: { tool: string; score: number }) => [tool.tool, tool.score])
    expect(scores).toEqual([
      ["echo", 70],
      ["other", null],
    ])
  })
})
