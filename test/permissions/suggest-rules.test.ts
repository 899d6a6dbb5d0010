import fc from "fast-check"
import { parse } from "smol-toml"
import { describe, expect, it } from "vitest"
import type { Rule } from "../../src/contract/decision.ts"
import type { JsonObject } from "../../src/contract/json.ts"
import { describeRule } from "../../src/permissions/describe.ts"
import { createPolicy } from "../../src/permissions/policy.ts"
import { renderRule } from "../../src/permissions/render-rule.ts"
import { suggestRules, type UsedCall } from "../../src/permissions/suggest-rules.ts"
import { seed, seeded } from "../support/seed.ts"
import { sampleTool, settingsOf } from "./sample-tools.ts"

const use = (name: string, input: JsonObject = {}): UsedCall => ({ tool: sampleTool(name), input })

/** The rules as a person would paste them, read again. */
function pasted(rules: readonly Rule[]): readonly Rule[] {
  if (rules.length === 0) return []
  const { permissions } = parse(rules.map(renderRule).join("\n")) as unknown as { permissions: { rules: Rule[] } }
  return permissions.rules.map((rule) => ({ ...rule, broad: rule.broad ?? false, source: "agent.toml:1" }))
}

function allows(rules: readonly Rule[], { tool, input }: UsedCall): boolean {
  return createPolicy(settingsOf(pasted(rules))).decide(tool, input).action === "allow"
}

describe("the rules that past calls needed", () => {
  it.each<readonly [string, readonly UsedCall[], readonly string[]]>([
    [
      "nothing for what the baseline allows",
      [use("Read", { file_path: "a" }), use("Grep"), use("ListMcpResources")],
      [],
    ],
    [
      "one rule for the paths of a tool",
      [
        use("Write", { file_path: "docs/a" }),
        use("Write", { file_path: "./docs/[b]" }),
        use("Write", { file_path: "docs/a" }),
      ],
      ["allow Write paths docs/\\[b\\] docs/a"],
    ],
    [
      "one rule for the commands of all lines",
      [use("Bash", { command: "npm test && git status" }), use("Bash", { command: "git commit -m 'a b'" })],
      ['allow Bash commands "git commit -m \'a b\'" "git status" "npm test"'],
    ],
    [
      "the arguments as they were",
      [use("mcp__gh__pr", { owner: "acme", n: 5, draft: true })],
      ["allow mcp__gh__pr args owner=acme n=5 draft=true"],
    ],
    [
      "one rule where one argument differs",
      [use("mcp__gh__pr", { owner: "acme", n: 5 }), use("mcp__gh__pr", { owner: "acme", n: 6 })],
      ["allow mcp__gh__pr args owner=acme n={5,6}"],
    ],
    [
      "one rule for a full product",
      ["a", "b"].flatMap((x) => ["c", "d"].map((y) => use("mcp__m__t", { x, y }))),
      ["allow mcp__m__t args x={a,b} y={c,d}"],
    ],
    [
      "two rules where two arguments differ",
      [use("mcp__gh__pr", { owner: "acme", repo: "x" }), use("mcp__gh__pr", { owner: "evil", repo: "y" })],
      ["allow mcp__gh__pr args owner=acme repo=x", "allow mcp__gh__pr args owner=evil repo=y"],
    ],
    [
      "no second rule for what the first covers",
      [use("mcp__gh__pr", { owner: "acme" }), use("mcp__gh__pr", { owner: "acme", n: 1 })],
      ["allow mcp__gh__pr args owner=acme"],
    ],
    [
      "lists and objects by dotted path",
      [use("mcp__gh__push", { to: { repo: "a/b" }, files: [{ path: "x" }, { path: "y" }] })],
      ["allow mcp__gh__push args to.repo=a/b files.path={x,y}"],
    ],
    [
      "long, masked and empty values open",
      [
        use("mcp__gh__pr", {
          owner: "acme",
          body: "a\nb",
          key: "[redacted:KEY]",
          labels: [],
          title: "",
          text: "x".repeat(300),
        }),
      ],
      ["allow mcp__gh__pr args owner=acme"],
    ],
    [
      "a bare rule for a call without arguments",
      [use("mcp__gh__me"), use("mcp__gh__me", { a: "1" })],
      ["allow mcp__gh__me"],
    ],
    [
      "tools by their very name",
      [use("mcp__b__x", { a: "1" }), use("mcp__a__x", { a: "1" }), use("custom_x", { a: "*" })],
      ["allow custom_x args a=\\*", "allow mcp__a__x args a=1", "allow mcp__b__x args a=1"],
    ],
  ])("T15 S2.13 are %s", (_, calls, rules) => {
    const suggested = suggestRules(calls)
    expect(suggested.rules.map(describeRule)).toEqual(rules)
    expect(suggested.left).toEqual([])
    for (const call of calls) expect(allows(suggested.rules, call) || suggested.rules.length === 0).toBe(true)
  })

  it("T21 are for a custom tool and for the tool behind it", () => {
    const inner = sampleTool("mcp__gh__pr")
    const complete = (input: JsonObject) => ({ ...input, repo: "acme/shop" })
    const call = { tool: { ...sampleTool("custom_pr"), wraps: { tool: inner, complete } }, input: { title: "x" } }
    const { rules, left } = suggestRules([call])
    expect(rules.map(describeRule)).toEqual([
      "allow custom_pr args title=x",
      "allow mcp__gh__pr args title=x repo=acme/shop",
    ])
    expect([left, allows(rules, call)]).toEqual([[], true])
  })

  it("T14 do not allow a line that is not plain words, nor a path outside; such calls are named", () => {
    const calls = [
      use("Bash", { command: "echo $HOME" }),
      use("Bash", { command: "ls" }),
      use("Write", { file_path: "/etc/x" }),
    ]
    const { rules, left } = suggestRules(calls)
    expect(rules.map(describeRule)).toEqual(['allow Bash commands "ls"'])
    expect(left.map(({ call, why }) => [call.input, why])).toEqual([
      [{ command: "echo $HOME" }, "not plain words, so only a broad rule could allow it"],
      [{ file_path: "/etc/x" }, "the path leaves the workspace"],
    ])
  })

  const text = fc.oneof(
    fc.constantFrom("acme", "evil", "a/b", "*", "{a,b}", "a b", "1..3", "\\", "!x", "[a]"),
    fc.string({ minLength: 1, maxLength: 8 }),
  )
  const value = fc.oneof(text, fc.integer(), fc.boolean())
  const call = fc.oneof(
    fc.record({ owner: value, repo: value }).map((input) => use("mcp__gh__pr", input)),
    fc.record({ id: value }).map((input) => use("mcp__db__get", input)),
    fc
      .constantFrom("docs/a", "docs/b", "x/[id]/(y)", "src/*", "./docs/a")
      .map((path) => use("Edit", { file_path: path })),
    fc
      .constantFrom("npm test", "git status", "git commit -m 'a b'", "env x", "ls | cat")
      .map((command) => use("Bash", { command })),
  )

  it(`T15 S2.13 allow exactly the calls that were made, once they are pasted (seed ${seed})`, () => {
    fc.assert(
      fc.property(fc.array(call, { maxLength: 12 }), fc.array(call, { maxLength: 12 }), (used, others) => {
        const { rules, left } = suggestRules(used)
        expect(left).toEqual([])
        for (const one of used) expect(allows(rules, one)).toBe(true)
        const pathOf = ({ input }: UsedCall) => String(input.file_path).replace(/^\.\//, "")
        const wasMade = (one: UsedCall) =>
          used.some((other) => {
            if (other.tool.name !== one.tool.name) return false
            if (one.tool.name === "Edit") return pathOf(one) === pathOf(other)
            return Object.entries(one.input).every(([key, given]) => String(given) === String(other.input[key]))
          })
        // A value of several lines cannot be named; the suggestion says so.
        if (rules.some(({ open }) => open.length > 0)) return
        for (const one of others) expect(allows(rules, one)).toBe(wasMade(one))
      }),
      { ...seeded, numRuns: 300 },
    )
  })
})
