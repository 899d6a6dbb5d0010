import { describe, expect, it } from "vitest"
import type { Report } from "../../src/contract/report.ts"
import { foldReport } from "../../src/report/fold.ts"
import { renderSummary } from "../../src/report/markdown.ts"
import { emitted, runEnd, runStart } from "../support/run-events.ts"
import { sampleRun } from "../support/sample-run.ts"

describe("the summary", () => {
  it("says how it ended, what it cost, the answer, and then what happened, trouble first", () => {
    expect(renderSummary(foldReport(emitted(sampleRun)))).toBe(`### ✅ agent-run completed (exit 0)

\`m\` · 2 turns · 800 tokens in (75 % from cache), 40 out · $0.0246 · 1.5 s

#### Answer

\`\`\`text
Done.
\`\`\`

#### Findings (1)

- **warning** \`src/a.ts:7\` \`unused\`: \`a is never read\`

#### Servers

| server | state | tools | connected in | error |
| --- | --- | --- | --- | --- |
| \`gh\` | failed | 0 |  | \`spawn gh-mcp ENOENT\` |
| \`fs\` | connected | 12 | 340 ms |  |
| \`off\` | disabled | 0 |  | \`enabled = false\` |

#### Denied (1)

- \`mcp__fs__write\`, decided by \`mcp__fs__*\` in \`agent.toml:14\`; only a change there would allow it

#### Calls (4)

| tool | decision | result | ms |
| --- | --- | --- | --- |
| \`Read\` | allow | ok | 12 |
| \`mcp__fs__write\` | deny | **denied** | 0 |
| \`mcp__fs__slow\` | allow | **timeout** | 60,000 |
| \`made_up\` | none | **unknown_tool** | 0 |

#### Files changed (1)

- \`docs/a.md\` +3 −1

#### Warnings

- \`dead_rule\`: \`rule mcp__x__* matches no tool\`
`)
  })

  it("gives the cause and what to do about it right below the headline", () => {
    const reason = {
      code: "required_server_unavailable",
      message: "gh is not connected",
      hint: "Install gh-mcp.",
    } as const
    const end = runEnd({ status: "failed", exit_code: 5, reason, answer: null })
    expect(renderSummary(foldReport(emitted([runStart(), end])))).toBe(`### ❌ agent-run failed (exit 5)

**required_server_unavailable**: \`gh is not connected\`

What to do: \`Install gh-mcp.\`

\`m\` · 0 turns · 0 tokens in, 0 out · $0.00 · 1.5 s
`)
  })

  it("T11 leaves markup of others inert: every piece of it stands in a code span or a fence", () => {
    const attacks = [
      "<img src=https://evil.test/x onerror=alert(1)>",
      "![x](https://evil.test/pixel.png)",
      "[click](javascript:alert(1))",
      "`` ` ``` `` | cell | **bold** | @everyone #1",
      "a\n\n# heading\n\n<script>alert(1)</script>\n```\nout\n````",
      "\\`escaped\\` \\| pipe",
      "`",
      "```",
    ]
    for (const attack of attacks) {
      const summary = renderSummary(hostileReport(attack, 1))
      expect(outsideOfCode(summary)).not.toMatch(/[<>@\\[\]]|https?:|javascript:|heading|bold|alert/)
      for (const table of summary.match(/(?:^\| .*\n)+/gm) ?? []) {
        const columns = table
          .trimEnd()
          .split("\n")
          .map((row) => row.split("|").length)
        expect(new Set(columns).size).toBe(1)
      }
    }
  })

  it("T11 stays below 900 KiB whatever a run has done", () => {
    for (const filler of ["`", "€|<", "\n`", "\n", ":"]) {
      const report = { ...hostileReport(filler.repeat(5000), 500), answer: filler.repeat(500_000) }
      const summary = renderSummary(report)
      expect(Buffer.byteLength(summary)).toBeLessThan(900 * 1024)
      expect(summary).toContain("450 more are in the report.")
    }
  })
})

/** A report in which everything that others can write is the same text. */
function hostileReport(text: string, count: number): Report {
  const decision = { action: "allow", rule: text, source: text } as const
  const call = {
    id: text,
    turn: 1,
    tool: text,
    server: text,
    decision,
    ok: false,
    duration_ms: 1,
    error_code: "denied",
  } as const
  const server = {
    name: text,
    transport: "stdio",
    state: "failed",
    tools: 0,
    resources: 0,
    prompts: 0,
    connect_ms: null,
  } as const
  const many = <Item>(item: (index: number) => Item): Item[] => Array.from({ length: count }, (_, index) => item(index))
  return {
    ...foldReport(emitted([runStart(), runEnd({ answer: text })])),
    reason: { code: "model_refused", message: text, hint: text },
    servers: many(() => ({ ...server, error: text })),
    calls: many((index) => ({ ...call, decision: { ...decision, source: `${index}${text}` } })),
    files_changed: many(() => ({ path: text, added: 1, removed: 1 })),
    expectations: many(() => ({ name: text, ok: false, message: text })),
    warnings: many(() => ({ code: text, message: text })),
  }
}

/** What a Markdown reader does not take for code: fences first, then code spans within a line. */
function outsideOfCode(markdown: string): string {
  let fence: string | null = null
  const lines = markdown.split("\n").filter((line) => {
    const run = /^(`{3,})(?:text)?$/.exec(line)?.[1]
    if (fence === null && run !== undefined) {
      fence = run
      return false
    }
    if (fence === null) return true
    if (run !== undefined && run.length >= fence.length) fence = null
    return false
  })
  expect(fence).toBeNull()
  return lines.map((line) => line.replaceAll(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, "")).join("\n")
}
