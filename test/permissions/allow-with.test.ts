import { parse } from "smol-toml"
import { describe, expect, it } from "vitest"
import type { Rule } from "../../src/contract/decision.ts"
import type { JsonObject } from "../../src/contract/json.ts"
import { allowWith } from "../../src/permissions/allow-with.ts"
import { createPolicy } from "../../src/permissions/policy.ts"
import { sampleTool, settingsOf } from "./sample-tools.ts"

const wrapped = sampleTool("mcp__github__create_issue")
const custom = {
  ...sampleTool("custom_report_bug"),
  wraps: { tool: wrapped, complete: (input: JsonObject) => ({ ...input, repo: "docs" }) },
}

describe("the rules that would allow a refused call", () => {
  it.each([
    ["mcp__fs__write", { path: "a" }, ['tool = "mcp__fs__write"']],
    ["Write", { file_path: "docs/[id].md" }, ['paths = ["docs/\\\\[id\\\\].md"]']],
    ["Bash", { command: "npm test && git add 'a b'" }, ['commands = ["npm test", "git add \'a b\'"]']],
    ["ReadMcpResource", { uri: "file:///etc/{passwd}" }, ['args = { uri = "file:///etc/\\\\{passwd\\\\}" }']],
  ])("S2.13 T15 %s %j: a narrow rule, which allows just that when it is added", (name, input, lines) => {
    const tool = sampleTool(name)
    const toml = allowWith(createPolicy(settingsOf([])), tool, input) ?? ""
    for (const line of lines) expect(toml.split("\n")).toContain(line)
    expect(toml).not.toContain("broad")
    expect(createPolicy(settingsOf(rulesIn(toml))).decide(tool, input).action).toBe("allow")
  })

  it.each([
    ["Bash", { command: "echo $HOME" }, []],
    ["Bash", { command: "" }, []],
    ["Bash", { command: `echo ${"x".repeat(3000)}` }, []],
    ["Write", { file_path: "/etc/passwd" }, []],
    ["mcp__fs__write", {}, ["deny mcp__fs__* args path=*", "deny mcp__fs__write"]],
    ["mcp__fs__write", {}, ["ask mcp__fs__*"]],
    ["mcp__fs__write", {}, ["allow mcp__fs__write"]],
  ])("T15 %s %j with %j: none, since adding a narrow rule would be no help", (name, input, rules) => {
    expect(allowWith(createPolicy(settingsOf(rules)), sampleTool(name), input)).toBeNull()
  })

  it("S3.7 a destructive tool under a glob is allowed by its very name", () => {
    const tool = sampleTool("mcp__fs__drop", { destructive: true })
    expect(allowWith(createPolicy(settingsOf(["allow mcp__fs__*"])), tool, {})).toBe(
      '[[permissions.rules]]\ntool = "mcp__fs__drop"\naction = "allow"',
    )
  })

  it("S0.1 T21 a custom tool needs what is missing: its own rule, that of the tool behind it, or both", () => {
    const toolsIn = (...rules: readonly string[]) => {
      const toml = allowWith(createPolicy(settingsOf(rules)), custom, {})
      return toml === null ? null : rulesIn(toml).map(({ tool }) => tool)
    }
    expect([
      toolsIn(),
      toolsIn("allow custom_report_bug"),
      toolsIn("allow mcp__github__*"),
      toolsIn("allow custom_report_bug", "deny mcp__github__* args repo=docs"),
    ]).toEqual([
      ["custom_report_bug", "mcp__github__create_issue"],
      ["mcp__github__create_issue"],
      ["custom_report_bug"],
      null,
    ])
  })
})

function rulesIn(toml: string): readonly Rule[] {
  const { permissions } = parse(toml) as unknown as { permissions: { rules: Partial<Rule>[] } }
  return permissions.rules.map((rule) => ({ tool: "", action: "allow", broad: false, source: "agent.toml:1", ...rule }))
}
