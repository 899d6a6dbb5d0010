import { describe, expect, it } from "vitest"
import type { Tool } from "../../../src/contract/tool.ts"
import { catalogueAt, composeCatalogue } from "../../../src/tools/lazy/catalogue.ts"
import { chooseDeferred } from "../../../src/tools/lazy/choose-deferred.ts"
import { measureTools } from "../../../src/tools/lazy/statistics.ts"
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

describe("a line of the catalogue", () => {
  it.each([
    ["reads on from the name", "rebase", "Rebase commits onto another branch", "rebase: commits onto another branch"],
    ["keeps what leads to its first word", "navigate", "Navigate to a URL", "navigate: to URL"],
    ["keeps another verb", "add", "Stage files for the next commit", "add: Stage files for next commit"],
    ["ends before what the name says", "get_comments", "Get the review comments", "get_comments: review comments"],
    ["is the name where that says it all", "list_users", "Returns a list of all users", "list_users"],
    ["keeps brackets whole", "show", "Show one thing (a note or a show)", "show: one thing (a note or show)"],
    ["is cut like a summary", "pin", `Pin ${"notes, ".repeat(20)}and more`, `pin: ${"notes, ".repeat(13)}notes,…`],
  ])("%s", (_, name, description, expected) => {
    const { text } = catalogueAt("summaries", [tool(name, description)], 100)
    expect(text.split("\n").at(-1)).toBe(expected)
  })

  it("leaves out at its end what most tools of the server say, and nothing else", () => {
    const tools = ["pin", "read", "find", "drop"].map((verb) => tool(verb, `${verb} a card of the board`))
    const other = tool("share", "Share a card of the board with everybody, or a card of the shelf")
    const { text } = catalogueAt("summaries", [...tools, other], 100)
    expect(text.split("\n").slice(-5)).toEqual([
      ...["pin", "read", "find", "drop"],
      "share: with everybody, or card of shelf",
    ])
  })
})

describe("the catalogue", () => {
  it("names servers and tools, and what the tools do while that is affordable", () => {
    const few = [tool("pin", "Pin a note to the board."), tool("list", "List notes"), tool("find", "Find", "books")]
    const { level, text } = composeCatalogue(few, 100)
    expect(level).toBe("summaries")
    expect(text.split("\n\n").slice(1)).toEqual(["mcp__notes__*\npin: to board\nlist", "mcp__books__*\nfind"])
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
    expect(composeCatalogue(many(1500), 100).text.split("\n").slice(2)).toEqual(["mcp__notes__* (1500): set get"])
  })

  it("says once what the names of a server all begin with, and shows names that do not", () => {
    const shared = [tool("note_pin", ""), tool("note_pin_all", ""), tool("note_find", "")]
    expect(catalogueAt("names", shared, 100).text).toContain("mcp__notes__note_*\npin pin_all find")
    expect(catalogueAt("prefixes", shared, 100).text).toContain("mcp__notes__note_* (3): pin find")
    const whole = [tool("note", ""), tool("note_pin", "")]
    expect(catalogueAt("names", whole, 100).text).toContain("mcp__notes__*\nnote note_pin")
    const renamed = { ...tool("pin", ""), name: "mcp__no_1234abcd" }
    expect(catalogueAt("names", [...shared, renamed], 100).text).toContain(
      "mcp__notes__note_*\npin pin_all find full name mcp__no_1234abcd",
    )
  })

  it("every line of real servers ends the full name that its heading begins", () => {
    const { text } = catalogueAt("names", realTools(), 100)
    const told = text
      .split("\n\n")
      .slice(1)
      .flatMap((section) => {
        const [head = "", names = ""] = section.split("\n")
        return names.split(" ").map((name) => head.replace("*", name))
      })
    expect(told).toEqual(realTools().map(({ name }) => name))
  })

  it.each([
    ["all servers", []],
    ["a team that builds software", ["github", "git", "filesystem", "playwright", "kubernetes", "thinking"]],
    ["lighter definitions", ["filesystem", "git", "github", "gitlab", "maps", "playwright", "slack"]],
  ])(
    "S0.13 S0.15 costs at most 20 tokens a tool and saves 92 % with summaries, 96.5 % with names: %s",
    (_, servers) => {
      const tools = realTools(...servers)
      const settings = { summaryDescriptionLimit: 100, maxToolsPerSearch: 5 }
      const { full, searchTools } = measureTools(tools, { settings, waits: () => true })
      const [summaries, names] = [catalogueAt("summaries", tools, 100), catalogueAt("names", tools, 100)]
      expect(summaries.tokens / tools.length).toBeLessThanOrEqual(20)
      expect(1 - (summaries.tokens + searchTools.tokens) / full).toBeGreaterThanOrEqual(0.92)
      expect(1 - (names.tokens + searchTools.tokens) / full).toBeGreaterThanOrEqual(0.965)
    },
  )
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
