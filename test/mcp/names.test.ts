import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { nameTools, type ToolPair } from "../../src/mcp/names.ts"

const namesOf = (pairs: readonly ToolPair[]) => nameTools(pairs).named.map(({ name }) => name)

describe("nameTools", () => {
  it.each([
    ["joins server and tool", "github", "create_issue", "mcp__github__create_issue"],
    ["keeps double underscores of a server", "my__srv", "run", "mcp__my__srv__run"],
    ["keeps double underscores of a tool", "srv", "do__it", "mcp__srv__do__it"],
    ["replaces what the API does not take", "mein server", "größe/näher", "mcp__mein_server__gr__e_n_her"],
    ["takes a prototype name as plain data", "constructor", "__proto__", "mcp__constructor____proto__"],
  ])("S2.7 S4.16 T18 %s", (_, server, tool, name) => {
    expect(nameTools([{ server, tool }])).toEqual({ named: [{ server, tool, name }], warnings: [] })
  })

  it("S2.8 T18 gives every pair that would share a name a suffix of its own, and says so", () => {
    const { named, warnings } = nameTools([
      { server: "a__b", tool: "c" },
      { server: "a", tool: "b__c" },
      { server: "a", tool: "other" },
    ])
    expect(named.map(({ name }) => name)).toEqual([
      expect.stringMatching(/^mcp__a__b__c_[0-9a-f]{8}$/),
      expect.stringMatching(/^mcp__a__b__c_[0-9a-f]{8}$/),
      "mcp__a__other",
    ])
    expect(new Set(named.map(({ name }) => name)).size).toBe(3)
    expect(warnings).toHaveLength(2)
    expect(warnings[0]).toContain('tool "c" of MCP server "a__b" is called mcp__a__b__c_')
  })

  it("S2.8 shortens a name beyond 64 characters with a suffix, and says so", () => {
    const { named, warnings } = nameTools([{ server: "server", tool: "t".repeat(100) }])
    expect(named[0]?.name).toMatch(/^mcp__server__t{42}_[0-9a-f]{8}$/)
    expect(warnings).toEqual([expect.stringContaining("longer than 64 characters")])
  })

  it("T18 names are legal, unique, and the same whatever the order", () => {
    const word = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.stringMatching(/^[ab_]{0,4}$/),
      fc.string({ minLength: 60 }),
    )
    const pairs = fc.uniqueArray(fc.record({ server: word, tool: word }), {
      selector: ({ server, tool }) => JSON.stringify([server, tool]),
    })
    fc.assert(
      fc.property(pairs, (given) => {
        const names = namesOf(given)
        for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
        expect(new Set(names).size).toBe(given.length)
        expect(namesOf([...given].reverse()).reverse()).toEqual(names)
      }),
    )
  })
})
