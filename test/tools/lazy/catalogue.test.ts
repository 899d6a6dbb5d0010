import { describe, expect, it } from "vitest"
import type { Tool } from "../../../src/contract/tool.ts"
import { catalogueAt, composeCatalogue } from "../../../src/tools/lazy/catalogue.ts"
import { chooseDeferred } from "../../../src/tools/lazy/choose-deferred.ts"
import { estimateDefinition } from "../../../src/tools/lazy/estimate-tokens.ts"
import { summarize } from "../../../src/tools/lazy/summary.ts"
import { realTools } from "../../support/real-tools.ts"

function tool(name: string, description: string, server = "notes"): Tool {
  const [sample] = realTools("maps")
  if (sample === undefined) throw new Error("no sample")
  return { ...sample, name: `mcp__${server}__${name}`, description, origin: { kind: "mcp", server, tool: name } }
}

describe("a summary", () => {
  it.each([
    ["its first sentence", "Pin a note to the board. It stays there, e.g. for ever.", "Pin note to board"],
    ["one line of plain text", "**Pin** a `note`\n  to the\u202e board\n\nMore.", "Pin note to board"],
    ["not what the name says already", "Write a new note.", ""],
    ["empty without a description", "", ""],
  ])("is %s", (_, description, expected) => {
    expect(summarize(tool("write_note", description), 100)).toBe(expected)
  })

  it("S0.10 holds at most the limit of characters, cut between words", () => {
    const long = tool("pin", "Pin a note to the board where everybody who comes by can read it and nobody forgets it")
    expect(summarize(long, 40)).toBe("Pin note to board where everybody who…")
    const summaries = realTools().map((one) => summarize(one, 100))
    expect(Math.max(...summaries.map(({ length }) => length))).toBeLessThanOrEqual(100)
  })
})

describe("the catalogue", () => {
  it("names servers and tools, and what the tools do while that is affordable", () => {
    const few = [tool("pin", "Pin a note to the board."), tool("list", "List notes"), tool("find", "Find", "books")]
    const { level, text } = composeCatalogue(few, 100)
    expect(level).toBe("summaries")
    expect(text.split("\n\n").slice(1)).toEqual([
      "mcp__notes__ (2)\npin: Pin note to board\nlist",
      "mcp__books__ (1)\nfind",
    ])
  })

  it("says less of each tool the more there are", () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, at) =>
        tool(`${at % 2 ? "get" : "set"}_thing_${at}`, `Change ${at} things at once.`),
      )
    expect([20, 500, 1500].map((count) => composeCatalogue(many(count), 100).level)).toEqual([
      "summaries",
      "names",
      "prefixes",
    ])
    expect(composeCatalogue(many(500), 100).text).toContain("\nset_thing_0 get_thing_1 set_thing_2 ")
    expect(composeCatalogue(many(1500), 100).text.split("\n").slice(2)).toEqual(["mcp__notes__ (1500): set get"])
  })

  it("leaves out what the names of a server all begin with, and shows names that are not as its line says", () => {
    const shared = [tool("note_pin", ""), tool("note_find", "")]
    expect(catalogueAt("prefixes", shared, 100).text).toContain("mcp__notes__ (2): pin find")
    const renamed = { ...tool("pin", ""), name: "mcp__no_1234abcd" }
    expect(catalogueAt("names", [renamed], 100).text).toContain("full name mcp__no_1234abcd")
  })

  it("S0.13 S0.15 costs at most 20 tokens a tool with summaries and saves more than 92 % of what the definitions cost", () => {
    const tools = realTools()
    const full = tools.reduce((sum, one) => sum + estimateDefinition(one), 0)
    const [summaries, names] = [catalogueAt("summaries", tools, 100), catalogueAt("names", tools, 100)]
    expect(summaries.tokens / tools.length).toBeLessThanOrEqual(20)
    expect(1 - summaries.tokens / full).toBeGreaterThan(0.92)
    expect(1 - names.tokens / full).toBeGreaterThan(0.965)
  })
})

describe("what waits", () => {
  const tools = [...realTools("github"), ...realTools("maps")]
  const settings = { lazyLoading: "auto", alwaysLoadTools: [], alwaysLoad: new Map() } as const

  function waiting(
    among: readonly Tool[],
    more: Partial<Parameters<typeof chooseDeferred>[1]> = {},
  ): readonly string[] {
    const waits = chooseDeferred(among, { ...settings, ...more })
    return among.filter((one) => waits?.(one)).map(({ name }) => name)
  }

  it("S0.9 auto defers above 8,000 tokens; true and false decide by themselves", () => {
    expect(waiting(tools)).toEqual([])
    expect(waiting(realTools("notion"))).toHaveLength(24)
    expect(waiting(tools, { lazyLoading: true })).toHaveLength(33)
    expect(waiting(realTools(), { lazyLoading: false })).toEqual([])
  })

  it("S0.12 is never what an always-load list matches, by full name or by the server's own", () => {
    const found = waiting(tools, {
      lazyLoading: true,
      alwaysLoadTools: ["mcp__github__get_*"],
      alwaysLoad: new Map([["maps", ["*geocode"]]]),
    })
    const always = ["mcp__maps__maps_geocode", "mcp__maps__maps_reverse_geocode"]
    expect(found).toEqual(
      tools.map(({ name }) => name).filter((name) => !name.startsWith("mcp__github__get_") && !always.includes(name)),
    )
  })
})
