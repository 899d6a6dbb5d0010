import { parse } from "smol-toml"
import { describe, expect, it } from "vitest"
import type { RunEventBody } from "../../src/contract/event.ts"
import { toToml } from "../../src/permissions/render-rule.ts"
import { foldReport } from "../../src/report/fold.ts"
import { renderPage } from "../../src/report/html/page.ts"
import { renderJunit } from "../../src/report/junit.ts"
import { renderSummary } from "../../src/report/markdown.ts"
import { renderDenied } from "../../src/report/markdown-denied.ts"
import { rulesToAllow } from "../../src/report/rules-to-allow.ts"
import { renderRunEnd } from "../../src/report/run-end.ts"
import { emitted, runEnd, runStart, toolCall, toolResult } from "../support/run-events.ts"

const refused = { state: "denied", ok: false, duration_ms: 0, error_code: "denied" } as const
const byDefault = { action: "deny", rule: "default", source: "agent.toml:2" } as const
const byRule = { action: "deny", rule: "deny Bash", source: "agent.toml:9" } as const
const write = '[[permissions.rules]]\ntool = "Write"\naction = "allow"\npaths = ["a.md"]'
const events = [
  ...denied("c1", "Write", { decision: byDefault, allow_with: write }),
  ...denied("c2", "Write", { decision: byDefault, allow_with: write }),
  ...denied("c3", "Bash", { decision: byRule }),
  ...denied("c4", "Edit", { decision: byDefault }),
  ...denied("c5", "mcp__x__y", { decision: { action: "ask", rule: "ask mcp__*", source: "agent.toml:4" } }),
]

describe("denied calls", () => {
  it("S1.7 the summary says what decided, and shows each rule that would allow one once, to paste", () => {
    expect(renderDenied(reportOf(events))).toBe(`#### Denied (5)

- \`Write\` 2 times, decided by \`default\` in \`agent.toml:2\`
- \`Bash\`, decided by \`deny Bash\` in \`agent.toml:9\`; only a change there would allow it
- \`Edit\`, decided by \`default\` in \`agent.toml:2\`; no narrow rule would allow it
- \`mcp__x__y\`, decided by \`ask mcp__*\` in \`agent.toml:4\`; a person has to approve it

If they should be allowed, these rules in agent.toml do it:

\`\`\`toml
${write}
\`\`\``)
  })

  it("S1.7 stderr, JUnit and the page show the rule too", () => {
    const report = reportOf(events)
    expect(renderRunEnd(report, { verbosity: "normal", color: false })).toContain(
      '    a rule would allow it: tool = "Write", action = "allow", paths = ["a.md"]',
    )
    expect(renderJunit(report)).toContain("allowed by&#10;[[permissions.rules]]")
    const page = renderPage(report, { events: emitted(events), leftOut: 0 })
    expect(page.match(/tool = &quot;Write&quot;/g)).toHaveLength(3)
    expect(page).toContain("<dt>Allowed with</dt>")
  })

  it("rules that differ only in their commands or paths become one, and strange ones stay as they are", () => {
    const rules = [
      '[[permissions.rules]]\ntool = "Bash"\naction = "allow"\ncommands = ["npm test"]',
      '[[permissions.rules]]\ntool = "Bash"\naction = "allow"\ncommands = ["ls", "npm test"]',
      `${write}\n\n[[permissions.rules]]\ntool = "Edit"\naction = "allow"\npaths = ["a.md"]`,
      write.replace("a.md", "b.md"),
      write.replace('"a.md"', "oops"),
      '[[permissions.rules]]\ntool = "mcp__x__y"\naction = "allow"',
    ]
    const calls = rules.flatMap((rule, index) => denied(`c${index}`, "X", { decision: byDefault, allow_with: rule }))
    expect(rulesToAllow(reportOf(calls).calls)).toEqual([
      '[[permissions.rules]]\ntool = "Bash"\naction = "allow"\ncommands = ["npm test", "ls"]',
      '[[permissions.rules]]\ntool = "Write"\naction = "allow"\npaths = ["a.md", "b.md"]',
      '[[permissions.rules]]\ntool = "Edit"\naction = "allow"\npaths = ["a.md"]',
      '[[permissions.rules]]\ntool = "Write"\naction = "allow"\npaths = [oops]',
      '[[permissions.rules]]\ntool = "mcp__x__y"\naction = "allow"',
    ])
  })

  it("rules for an input that a hook changed afterwards are not shown", () => {
    const hook = {
      hook: "agent.toml:20",
      event: "pre_tool_use",
      tool: "Write",
      call_id: "c1",
      outcome: "blocked",
    } as const
    const told = { duration_ms: 1, reason: "no", note: null, decision: { ...byRule, rule: "hook" } }
    const [call, result] = denied("c1", "Write", { decision: byDefault, allow_with: write })
    const story: RunEventBody[] = [call, { type: "hook", ...hook, ...told }, result]
    const report = reportOf(story)
    expect(report.calls[0]).not.toHaveProperty("allow_with")
    expect(renderPage(report, { events: emitted(story), leftOut: 0 })).not.toContain("Allowed with")
  })

  it("T9 T11 hostile rules stay in a fence that they cannot end, parse as TOML, and are bounded", () => {
    const attacks = ["```", "::stop-commands::x", "##[group]x", "</pre><script>", "\u2028::error::x", "`".repeat(50)]
    const rules = attacks.map((attack) => write.replace('"a.md"', toToml(attack)))
    const calls = rules.flatMap((rule, index) =>
      denied(`c${index}`, "Write", { decision: byDefault, allow_with: rule }),
    )
    const shown = renderDenied(reportOf(calls))
    const [, fence = "", toml = ""] = /^(`{3,})toml\n([\s\S]*)\n\1$/m.exec(shown) ?? []
    expect(fence.length).toBe(51)
    expect(parse(toml)).toEqual({ permissions: { rules: [{ tool: "Write", action: "allow", paths: attacks }] } })
    expect(shown).not.toMatch(/^\s*::|##\[/m)
    expect(renderPage(reportOf(calls), { events: emitted(calls), leftOut: 0 })).not.toContain("</pre><script>")

    const many = Array.from({ length: 300 }, (_, index) =>
      denied(`c${index}`, "Write", {
        decision: byDefault,
        allow_with: write.replace("a.md", `${"x".repeat(1500)}${index}`),
      }),
    )
    const summary = renderSummary(reportOf(many.flat()))
    expect(summary).toContain("130 more are in the report.")
    expect(Buffer.byteLength(summary)).toBeLessThan(100 * 1024)
    expect(parse(/```toml\n([\s\S]*?)\n```/.exec(summary)?.[1] ?? "")).toBeTypeOf("object")
  })
})

function denied(id: string, tool: string, fields: Parameters<typeof toolCall>[1]) {
  return [toolCall(id, { tool, ...fields }), toolResult(id, { tool, ...refused })] as const
}

function reportOf(calls: readonly RunEventBody[]) {
  return foldReport(emitted([runStart(), ...calls, runEnd()]))
}
