import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Action, Rule } from "../../src/contract/decision.ts"
import type { JsonObject } from "../../src/contract/json.ts"
import type { Tool } from "../../src/contract/tool.ts"
import { createPolicy } from "../../src/permissions/policy.ts"
import { seed, seeded } from "../support/seed.ts"
import { sampleTool, settingsOf } from "./sample-tools.ts"

const width: Readonly<Record<Action, number>> = { deny: 0, ask: 1, allow: 2 }
const action = fc.constantFrom<Action>("allow", "ask", "deny")

const tool: fc.Arbitrary<Tool> = fc
  .tuple(
    fc.constantFrom(
      "Read",
      "Write",
      "Bash",
      "Grep",
      "ReadMcpResource",
      "mcp__fs__x",
      "mcp__fs__rm",
      "mcp__gh__pr",
      "constructor",
    ),
    fc.record({ readOnly: fc.boolean(), destructive: fc.boolean(), idempotent: fc.boolean() }),
  )
  .map(([name, hints]) => sampleTool(name, hints))

const input: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record(
    {
      command: fc.constantFrom("git status", "git status && rm x", "echo $x", "rm -rf /", "", "npm test -- -t a"),
      file_path: fc.constantFrom("a", "docs/a", "docs/../b", "/etc/passwd", "docs/secret/x"),
      uri: fc.constantFrom("listed:a", "file:a"),
      repo: fc.oneof(fc.constantFrom("acme/a", "evil/a"), fc.array(fc.constantFrom("acme/a", "evil/a", "acme/b"))),
    },
    { requiredKeys: [] },
  ),
  fc.dictionary(fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "repo")), fc.jsonValue()),
)

const rule: fc.Arbitrary<Rule> = fc
  .record(
    {
      tool: fc.constantFrom(
        "*",
        "Read",
        "Write",
        "Bash",
        "{Read,Write}",
        "mcp__fs__*",
        "mcp__*",
        "mcp__gh__pr",
        "*x",
        "!(Bash)",
      ),
      args: fc.constantFrom({ repo: "acme/*" }, { repo: "evil/*" }, { "a.b": "*" }, { constructor: "*" }),
      commands: fc.constantFrom(["git status"], ["rm *"], ["npm test *", "git *"]),
      paths: fc.constantFrom(["docs/**"], ["**"], ["**/secret/**"]),
      action,
    },
    { requiredKeys: ["tool", "action"] },
  )
  .filter(({ tool: glob, commands, paths }) => {
    if (commands !== undefined && !["*", "Bash"].includes(glob)) return false
    return paths === undefined || !glob.startsWith("mcp__")
  })
  .map((fields) => ({ ...fields, broad: true, source: "agent.toml:1" }))

const rules = fc.array(rule, { maxLength: 6 })
const call = fc.tuple(tool, input)
// A broad rule that matches nothing, so that every default is valid.
const idle: Rule = { tool: "no_such_tool", action: "allow", broad: true, source: "agent.toml:2" }

function decide(written: readonly Rule[], byDefault: Action, [called, given]: [Tool, JsonObject]) {
  return createPolicy(settingsOf([idle, ...written], byDefault)).decide(called, given)
}

fc.configureGlobal({ ...fc.readConfigureGlobal(), ...seeded })

describe(`the laws of decisions (seed ${seed})`, () => {
  it("C7 adding a deny never widens", () => {
    fc.assert(
      fc.property(rules, rule, action, call, (written, added, byDefault, made) => {
        const before = decide(written, byDefault, made).action
        const after = decide([...written, { ...added, action: "deny" }], byDefault, made).action
        return width[after] <= width[before]
      }),
    )
  })

  it("C7 adding an ask never turns a deny by rule into anything else, and never widens to allow", () => {
    fc.assert(
      fc.property(rules, rule, action, call, (written, added, byDefault, made) => {
        const before = decide(written, byDefault, made)
        const after = decide([...written, { ...added, action: "ask" }], byDefault, made).action
        if (before.because.kind === "rule" && before.action === "deny") return after === "deny"
        return after === before.action || after === "ask"
      }),
    )
  })

  it("C7 the order of rules is irrelevant", () => {
    fc.assert(
      fc.property(
        rules.chain((written) =>
          fc.tuple(fc.constant(written), fc.shuffledSubarray(written, { minLength: written.length })),
        ),
        action,
        call,
        ([written, shuffled], byDefault, made) => {
          expect(decide(shuffled, byDefault, made).action).toBe(decide(written, byDefault, made).action)
        },
      ),
    )
  })

  it("C7 without a matching rule the baseline or the default decides", () => {
    fc.assert(
      fc.property(rules, action, call, (written, byDefault, made) => {
        const policy = createPolicy(settingsOf([idle, ...written], byDefault))
        fc.pre(policy.matching(...made).length === 0)
        const decided = policy.decide(...made)
        const raised = decided.because.kind === "hint" && byDefault === "allow"
        expect(raised || decided.because.kind === "baseline" || decided.action === byDefault).toBe(true)
      }),
    )
  })

  it("S2.13 the spelling of a path does not matter to rules on paths", () => {
    const onPaths = rules.map((written) =>
      written.filter(({ args, commands }) => args === undefined && commands === undefined),
    )
    const spelled = fc.constantFrom(
      (path: string) => `./${path}`,
      (path: string) => `/ws/${path}`,
      (path: string) => `x/../${path}`,
    )
    fc.assert(
      fc.property(
        onPaths,
        fc.constantFrom("a", "docs/a", "docs/secret/x"),
        spelled,
        tool,
        (written, path, spell, called) => {
          const plain = decide(written, "deny", [called, { file_path: path }])
          expect(decide(written, "deny", [called, { file_path: spell(path) }])).toEqual(plain)
        },
      ),
    )
  })

  it("S3.7 hints never loosen: an MCP tool with hints is never decided more widely than without", () => {
    fc.assert(
      fc.property(rules, input, fc.boolean(), fc.boolean(), (written, given, readOnly, destructive) => {
        const plain = decide(written, "deny", [sampleTool("mcp__fs__x"), given]).action
        const hinted = decide(written, "deny", [sampleTool("mcp__fs__x", { readOnly, destructive }), given]).action
        return width[hinted] <= width[plain]
      }),
    )
  })

  it("T18 every call has a decision, whatever its name and its input", () => {
    const anyName = fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "toString", "hasOwnProperty"))
    fc.assert(
      fc.property(rules, anyName, input, (written, name, given) => {
        return decide(written, "deny", [sampleTool(name), given]).action in width
      }),
    )
  })
})
