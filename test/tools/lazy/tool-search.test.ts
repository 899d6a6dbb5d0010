import { describe, expect, it } from "vitest"
import { findMatches } from "../../../src/tools/lazy/timed-match.ts"
import { createToolSearch } from "../../../src/tools/lazy/tool-search.ts"
import { stemsOf, wordsOf } from "../../../src/tools/lazy/words.ts"
import { realRequests, realTools } from "../../support/real-tools.ts"

const search = createToolSearch(realTools())

function found(query: string, { regex = false, limit = 5 } = {}): readonly string[] {
  const result = search({ query, regex, limit })
  return result.ok ? result.found.map(({ name }) => name.replace("mcp__", "").replace("__", "/")) : [result.problem]
}

describe("words", () => {
  it.each([
    ["create_pull_request", "create pull request"],
    ["createPullRequest", "create pull request"],
    ["API-get-self", "api get self"],
    ["HTTPServer2Config", "http server 2 config"],
    ["déjàVu", "déjà vu"],
    ["", ""],
  ])("%s is %s", (name, words) => {
    expect(wordsOf(name).join(" ")).toBe(words)
  })

  it.each([
    ["issues", "issue"],
    ["deleting", "delete"],
    ["deletion", "delete"],
    ["replies", "reply"],
    ["stopped", "stop"],
    ["staged", "stage"],
    ["branches", "branch"],
    ["status", "status"],
    ["processes", "process"],
  ])("%s and %s have the same stem", (one, other) => {
    expect(stemsOf(one)).toEqual(stemsOf(other))
  })
})

describe("a search", () => {
  it("S0.17 looks at names and descriptions, and at names of parameters", () => {
    expect(found("merge pull request")[0]).toBe("github/merge_pull_request")
    expect(found("authorship line by line")[0]).toBe("git/git_blame")
    expect(found("reaction timestamp")[0]).toBe("slack/slack_add_reaction")
  })

  it("knows other words for the same thing, abbreviations and beginnings of words", () => {
    expect(found("open a PR on github")).toContain("github/create_pull_request")
    expect(found("make a folder")[0]).toBe("filesystem/create_directory")
    expect(found("elev")[0]).toBe("maps/maps_elevation")
  })

  it("puts an exact name first, with or without its server", () => {
    expect(found("mcp__git__git_log")[0]).toBe("git/git_log")
    expect(found("echo")[0]).toBe("everything/echo")
  })

  it("gives the same answer every time, and none for what nobody has", () => {
    expect(found("search")).toEqual(found("search"))
    expect(found("xylophone")).toEqual([])
    expect(found("   ")).toEqual(["the query is empty"])
    expect(found("the of")).toEqual(found("the of"))
  })

  it("S0.17 a regular expression matches names, then descriptions, whatever the case", () => {
    expect(found("^MCP__maps__.*geocode$", { regex: true })).toEqual(["maps/maps_geocode", "maps/maps_reverse_geocode"])
    expect(found("emoji", { regex: true })).toEqual(["slack/slack_add_reaction"])
    expect(found("git_", { regex: true, limit: 2 })).toHaveLength(2)
  })

  it("F57 a regular expression that is wrong or never ends is a problem, not a wait", () => {
    expect(found("(", { regex: true })[0]).toContain("Unterminated group")
    expect(found("a".repeat(1001), { regex: true })[0]).toContain("longer than 1000 characters")
    const endless = findMatches("^(a+)+$", [`${"a".repeat(60)}!`])
    expect(endless).toEqual({ ok: false, problem: expect.stringContaining("took longer than") })
  })

  it("finds the tool for at least 95 % of the requests of the benchmark among five", () => {
    const requests = realRequests()
    const answered = requests.filter(({ query, expected }) => expected.some((tool) => found(query).includes(tool)))
    expect(requests.length).toBeGreaterThanOrEqual(150)
    expect(answered.length / requests.length).toBeGreaterThanOrEqual(0.95)
  })
})
