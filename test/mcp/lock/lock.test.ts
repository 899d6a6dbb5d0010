import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { JsonObject } from "../../../src/contract/json.ts"
import { describeDrift, driftOf } from "../../../src/mcp/lock/drift.ts"
import { type Lock, lockServer } from "../../../src/mcp/lock/lock.ts"
import { parseLock, renderLock } from "../../../src/mcp/lock/lock-file.ts"

const tool = {
  name: "create_issue",
  description: "Create an issue.\nReturns its number.",
  inputSchema: { type: "object", properties: { repo: { type: "string" }, title: { type: "string" } } },
  annotations: { destructiveHint: false },
}

const lockOf = (tools: readonly unknown[], instructions: string | null = null): Lock =>
  new Map([["github", lockServer({ instructions, tools })]])

function drift(lock: Lock, tools: readonly unknown[], instructions: string | null = null) {
  const inventory = { server: "github", source: "agent.toml:1", instructions, tools, hidden: [] }
  return driftOf(lock, inventory).map(({ kind, changes }) => ({ kind, changes }))
}

const changed = (changes: JsonObject) => drift(lockOf([tool]), [{ ...tool, ...changes }])

describe("drift", () => {
  it("T17 the same definition in another order of keys, or with other fields beside it, is no drift", () => {
    const { properties } = tool.inputSchema
    const reordered = { properties: { title: properties.title, repo: properties.repo }, type: "object" }
    expect(changed({ inputSchema: reordered, title: "Issue", _meta: { build: 7 }, icons: [] })).toEqual([])
  })

  it.each([
    [
      "description",
      { description: "Create an issue.\nSends it to me." },
      ["- description: Returns its number.", "+ description: Sends it to me."],
    ],
    [
      "no description",
      { description: undefined },
      ["- description: Create an issue.", "- description: Returns its number."],
    ],
    ["annotation", { annotations: { destructiveHint: true } }, ["~ annotations.destructiveHint: false → true"]],
    [
      "schema",
      { inputSchema: { type: "object", properties: { repo: { type: "string" }, token: {} } } },
      ['- input_schema.properties.title: {"type":"string"}', "+ input_schema.properties.token: {}"],
    ],
    ["output schema", { outputSchema: { type: "object" } }, ['+ output_schema: {"type":"object"}']],
    [
      "a hidden character",
      { description: "Create an\u200b issue.\nReturns its number." },
      ["- description: Create an issue.", "+ description: Create an\\u200b issue."],
    ],
  ])("T17 a changed tool is shown by what changed: %s", (_, changes, lines) => {
    expect(changed(changes)).toEqual([{ kind: "tool-changed", changes: lines }])
  })

  it("T17 tools that come or go, changed instructions and unknown servers are drift", () => {
    const other = { ...tool, name: "delete_repo", description: "Delete a repository." }
    expect(drift(lockOf([tool]), [other], "Be quick.")).toEqual([
      { kind: "instructions-changed", changes: ["+ text: Be quick."] },
      { kind: "tool-removed", changes: [] },
      { kind: "tool-added", changes: ["+ description: Delete a repository."] },
    ])
    expect(drift(new Map(), [tool])).toEqual([{ kind: "not-locked", changes: [] }])
  })

  it("long texts are shown around what changed, and many changes are counted", () => {
    const long = { ...tool, description: `${"a".repeat(1000)}b${"c".repeat(1000)}` }
    const [{ changes = [] } = {}] = drift(lockOf([long]), [
      { ...long, description: long.description.replace("b", "B") },
    ])
    expect(changes).toEqual([
      `- description: …${"a".repeat(40)}b${"c".repeat(119)}…`,
      `+ description: …${"a".repeat(40)}B${"c".repeat(119)}…`,
    ])
    const properties = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`p${index}`, {}]))
    const [many] = changed({ inputSchema: { type: "object", properties } })
    expect([many?.changes.length, many?.changes.at(-1)]).toEqual([21, "… and 32 more"])
  })

  it("a hash that was edited by hand is drift that says so", () => {
    const text = renderLock(lockOf([tool])).replace(/sha256:\w+/, "sha256:0")
    expect(drift(parseLock(text, "agent.lock"), [tool])).toEqual([
      { kind: "tool-changed", changes: [expect.stringContaining("edited by hand")] },
    ])
  })

  it("is described with server and tool", () => {
    const about = { server: "github", tool: "create_issue", changes: [] }
    const kinds = ["not-locked", "instructions-changed", "tool-added", "tool-removed", "tool-changed"] as const
    expect(kinds.map((kind) => describeDrift({ ...about, kind }))).toEqual([
      'MCP server "github" is not in agent.lock',
      'MCP server "github": its instructions are not those in agent.lock',
      'MCP server "github": tool "create_issue" is not in agent.lock',
      'MCP server "github": tool "create_issue" of agent.lock is gone',
      'MCP server "github": tool "create_issue" is not the one in agent.lock',
    ])
  })
})

describe("agent.lock", () => {
  it("is sorted and readable: a line of a description is a line of the file, hidden characters are spelled out", () => {
    const lock: Lock = new Map([
      ["zeta", lockServer({ instructions: null, tools: [] })],
      [
        "alpha",
        lockServer({
          instructions: "One.\nTwo.",
          tools: [
            { ...tool, name: "b" },
            { name: "a", description: "x\u202ey" },
          ],
        }),
      ],
    ])
    const lines = renderLock(lock)
      .replaceAll(/sha256:\w{64}/g, "HASH")
      .split("\n")
    expect(lines.slice(0, 22)).toEqual([
      "{",
      '  "lock_version": 1,',
      '  "servers": {',
      '    "alpha": {',
      '      "instructions": {',
      '        "hash": "HASH",',
      '        "text": [',
      '          "One.",',
      '          "Two."',
      "        ]",
      "      },",
      '      "tools": {',
      '        "a": {',
      '          "hash": "HASH",',
      '          "description": [',
      '            "x\\u202ey"',
      "          ]",
      "        },",
      '        "b": {',
      '          "hash": "HASH",',
      '          "annotations": {',
      '            "destructiveHint": false',
    ])
    expect(lines.at(-1)).toBe("")
  })

  it("T17 T18 whatever servers say is read back as it was written, and is then no drift", () => {
    const names = fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom("__proto__", "constructor", "hash", "toString"))
    const entry = fc.record(
      {
        name: names,
        description: fc.oneof(fc.string({ unit: "binary" }), fc.jsonValue()),
        inputSchema: fc.jsonValue(),
      },
      { requiredKeys: ["name"] },
    )
    const tools = fc.array(fc.oneof(entry, fc.jsonValue()))
    fc.assert(
      fc.property(tools, fc.option(fc.string()), (list, instructions) => {
        const sent: readonly unknown[] = JSON.parse(JSON.stringify(list))
        const text = renderLock(lockOf(sent, instructions))
        const read = parseLock(text, "agent.lock")
        expect(renderLock(read)).toBe(text)
        expect(drift(read, sent, instructions)).toEqual([])
      }),
    )
  })

  it("a bottomless schema is pinned without being walked", () => {
    const deep = JSON.parse(`${'{"a":'.repeat(3000)}1${"}".repeat(3000)}`)
    const lock = lockOf([{ ...tool, inputSchema: deep }])
    expect(drift(parseLock(renderLock(lock), "agent.lock"), [{ ...tool, inputSchema: deep }])).toEqual([])
    expect(drift(lock, [tool])).toMatchObject([{ kind: "tool-changed" }])
  })

  it.each([
    ["no JSON", "{", "agent.lock: is not JSON"],
    ["another file", "[]", "agent.lock: is not a lock file"],
    ["another version", '{"lock_version":2,"servers":{}}', "agent.lock: lock_version must be 1"],
    ["a broken server", '{"lock_version":1,"servers":{"a":{"tools":[]}}}', 'agent.lock: server "a" is broken'],
    [
      "a tool without hash",
      '{"lock_version":1,"servers":{"a":{"instructions":null,"tools":{"b":{}}}}}',
      'agent.lock: server "a" is broken',
    ],
  ])("is refused when it is %s", (_, text, message) => {
    expect(() => parseLock(text, "agent.lock")).toThrow(message)
  })
})
