import { parse } from "smol-toml"
import { describe, expect, it } from "vitest"
import type { Decision, Rule } from "../../src/contract/decision.ts"
import { allowingRule, denialMessage, describeDecision } from "../../src/permissions/describe.ts"
import { createPolicy } from "../../src/permissions/policy.ts"
import { sampleTool, settingsOf, toRule } from "./sample-tools.ts"

const byDefault: Decision = { action: "deny", because: { kind: "default", source: "built-in default" } }

describe("a decision in words", () => {
  it.each([
    [byDefault, { action: "deny", rule: "default", source: "built-in default" }],
    [
      { action: "allow", because: { kind: "baseline" } },
      { action: "allow", rule: "baseline", source: "built-in" },
    ],
    [
      because("rule", "allow mcp__fs__* args repo=acme/*", "agent.toml:14"),
      { action: "allow", rule: "allow mcp__fs__* args repo=acme/*", source: "agent.toml:14" },
    ],
    [
      because("rule", 'deny Bash commands "rm *" "git push"', "agent.toml:2"),
      { action: "deny", rule: 'deny Bash commands "rm *" "git push"', source: "agent.toml:2" },
    ],
    [
      because("rule", "ask Write paths docs/** *.md", "--ask"),
      { action: "ask", rule: "ask Write paths docs/** *.md", source: "--ask" },
    ],
    [
      { ...because("hint", "allow mcp__x__*", "agent.toml:3"), action: "ask" },
      { action: "ask", rule: "destructive hint over allow mcp__x__*", source: "agent.toml:3" },
    ],
  ] satisfies [Decision, unknown][])("S2.13 %j names action, rule and source", (decision, words) => {
    expect(describeDecision(decision)).toEqual(words)
  })

  it.each<[string, Decision, string[]]>([
    ["mcp__fs__x", byDefault, ["No rule allows it", "the default is deny (built-in default)"]],
    ["mcp__fs__x", { ...byDefault, action: "ask" }, ["the default (built-in default) wants a person"]],
    [
      "mcp__fs__x",
      because("rule", "deny mcp__fs__*", "a.toml:4"),
      ['The rule "deny mcp__fs__*" (a.toml:4) forbids it'],
    ],
    ["mcp__fs__x", because("rule", "ask mcp__fs__*", "a.toml:4"), ['"ask mcp__fs__*" (a.toml:4) wants a person']],
    ["mcp__fs__x", { ...because("hint", "allow mcp__fs__*", "a.toml:4"), action: "ask" }, ["calls itself destructive"]],
  ])("S2.13 the model is told which rule denied %s, and that asking again will not help", (name, decision, parts) => {
    const message = denialMessage(sampleTool(name), {}, decision)
    for (const part of [`Denied: ${name} was not run.`, ...parts, "will be denied again"])
      expect(message).toContain(part)
  })

  it("T14 the model is told when a line is not made of plain words", () => {
    const bash = sampleTool("Bash")
    expect(denialMessage(bash, { command: "echo $x" }, byDefault)).toContain("plain words")
    expect(denialMessage(bash, { command: "echo x" }, byDefault)).not.toContain("plain words")
  })
})

describe("the rule that would allow a call", () => {
  it("S2.13 is TOML for a person to paste", () => {
    expect(allowingRule(sampleTool("Bash"), { command: "npm test && git commit -m 'a b'" })).toBe(
      '[[permissions.rules]]\ntool = "Bash"\naction = "allow"\ncommands = ["npm test", "git commit -m \'a b\'"]',
    )
  })

  it.each([
    ["mcp__fs__x", { a: 1 }],
    ["Write", { file_path: "docs/a.md" }],
    ["Write", { file_path: "app/[id]/(group)/{x}*?!+@.ts" }],
    ["Write", { file_path: 'a "quoted" \\ name' }],
    ["Glob", {}],
    ["Bash", { command: "npm test" }],
    ["Bash", { command: "echo 'it'\\''s' \"a b\" '$x' '*' && ls | cat" }],
    ["Bash", { command: "env" }],
    ["Bash", { command: "echo $HOME > x" }],
  ])("S2.13 allows the call of %s %j when it is pasted, also for a destructive tool", (name, input) => {
    const tool = sampleTool(name, { destructive: true, readOnly: false })
    expect(createPolicy(settingsOf([])).decide(tool, input).action).toBe("deny")
    expect(createPolicy(settingsOf(readRules(allowingRule(tool, input)))).decide(tool, input).action).toBe("allow")
  })

  it("S2.13 says when no rule helps", () => {
    expect(allowingRule(sampleTool("Write"), { file_path: "/etc/passwd" })).toContain("# the path leaves the workspace")
  })
})

function because(kind: "rule" | "hint", text: string, source: string): Decision {
  const rule = toRule(text, source)
  return { action: rule.action, because: { kind, rule } }
}

function readRules(toml: string): readonly Rule[] {
  const { permissions } = parse(toml) as unknown as { permissions: { rules: Partial<Rule>[] } }
  return permissions.rules.map((rule) => ({ tool: "", action: "allow", broad: false, source: "agent.toml:1", ...rule }))
}
