import { describe, expect, it } from "vitest"
import { isJsonObject, type JsonObject } from "../../src/contract/json.ts"
import type { ToolHints } from "../../src/contract/tool.ts"
import { createPolicy } from "../../src/permissions/policy.ts"
import { rowsOf, sampleTool, settingsOf, toRule } from "./sample-tools.ts"

const rows = ["policy-cases.txt", "more-policy-cases.txt"].flatMap(rowsOf)
const cases = rows.map(({ heading, row }) => {
  const [expected = "", toolText = "", inputText = "", rules = "", byDefault = "deny"] = row
    .split("::")
    .map((cell) => cell.trim())
  const [name = "", ...hintNames] = toolText.split(" ")
  const hints: Partial<ToolHints> = Object.fromEntries(hintNames.map((hint) => [hint, true]))
  return {
    expected,
    tool: sampleTool(name, hints),
    input: inputOf(name, inputText),
    settings: settingsOf(
      rules.split(";;").flatMap((rule) => (rule.trim() === "" ? [] : [rule.trim()])),
      byDefault as "deny" | "ask" | "allow",
    ),
    heading,
    row,
  }
})

function inputOf(name: string, text: string): JsonObject {
  if (!text.startsWith("{")) return { [name === "Bash" ? "command" : "file_path"]: text }
  const input: unknown = JSON.parse(text)
  return isJsonObject(input) ? input : {}
}

describe("the table of decisions", () => {
  it("has at least 300 cases", () => {
    expect(cases.length).toBeGreaterThanOrEqual(300)
  })

  it.each(cases)("$heading: $row", ({ expected, tool, input, settings }) => {
    const { action, because } = createPolicy(settings).decide(tool, input)
    expect(`${action} ${because.kind}`).toBe(expected)
  })
})

describe("a policy beside its decisions", () => {
  it("S2.14 a bare deny hides a tool, a deny with conditions does not", () => {
    const policy = createPolicy(
      settingsOf([
        "deny mcp__fs__w*",
        "deny mcp__fs__read args a=1",
        'deny Bash commands "rm *"',
        "deny Write paths x",
      ]),
    )
    expect(policy.hides(sampleTool("mcp__fs__write"))?.source).toBe("agent.toml:1")
    for (const name of ["mcp__fs__read", "Bash", "Write"]) expect(policy.hides(sampleTool(name))).toBeNull()
  })

  it("S2.14 a denied name hides its tool even when another rule allows it", () => {
    const policy = createPolicy(settingsOf(["allow mcp__fs__write", "deny mcp__fs__*"]))
    expect(policy.hides(sampleTool("mcp__fs__write"))?.source).toBe("agent.toml:2")
  })

  it("S2.13 names every matching rule in the order they were written", () => {
    const policy = createPolicy(settingsOf(["allow mcp__fs__*", "allow mcp__gh__*", "ask mcp__fs__x", "deny *x"]))
    const sources = policy.matching(sampleTool("mcp__fs__x"), {}).map(({ source }) => source)
    expect(sources).toEqual(["agent.toml:1", "agent.toml:3", "agent.toml:4"])
  })

  it("T15 names the rules that match no known tool", () => {
    const policy = createPolicy(settingsOf(["allow mcp__fs__*", "deny mcp__gihtub__*", "ask constructor"]))
    const dead = policy.deadRules([{ name: "mcp__fs__read" }, { name: "mcp__github__pr" }])
    expect(dead.map(({ tool }) => tool)).toEqual(["mcp__gihtub__*", "constructor"])
  })

  it("S2.13 a decision carries the rule that made it", () => {
    const rule = toRule("ask mcp__fs__*", "agent.toml:9")
    expect(createPolicy(settingsOf([rule])).decide(sampleTool("mcp__fs__x"), {})).toEqual({
      action: "ask",
      because: { kind: "rule", rule },
    })
  })

  it("T21 a value too long or too deep to judge passes no allow and every deny", () => {
    const deep: unknown = JSON.parse(`${"[".repeat(5000)}1${"]".repeat(5000)}`)
    for (const value of ["a".repeat(40_000), deep]) {
      const tool = sampleTool("mcp__fs__x")
      expect(createPolicy(settingsOf(["allow mcp__fs__x args a=**"])).decide(tool, { a: value }).action).toBe("deny")
      const policy = createPolicy(settingsOf(["allow mcp__fs__x", "ask mcp__fs__x args a=zzz"]))
      expect(policy.decide(tool, { a: value }).action).toBe("ask")
    }
  })
})
