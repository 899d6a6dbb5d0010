import { describe, expect, it } from "vitest"
import { renderEffectiveJson, renderEffectiveText } from "../../src/config/render-effective.ts"
import { load, problemsOf } from "./workspace.ts"

const toml = `
[[tools.custom]]
name = "report_bug"
description = "Report a bug of the docs."
uses = "mcp__github__create_issue"
fixed = { repo = "docs", labels = ["bug"] }
defaults = { title = "Bug" }
`

describe("[[tools.custom]]", () => {
  it("S0.1 is read with the place where it can be changed, and shown", async () => {
    const { config, effective } = await load({ "agent.toml": toml })
    const tool = {
      name: "report_bug",
      description: "Report a bug of the docs.",
      uses: "mcp__github__create_issue",
      fixed: { repo: "docs", labels: ["bug"] },
      defaults: { title: "Bug" },
    }
    expect(config.tools.custom).toEqual([{ ...tool, source: "agent.toml:2" }])
    expect(renderEffectiveText(effective, [])).toContain('[[tools.custom]]  # agent.toml:2\nname = "report_bug"')
    expect(renderEffectiveJson(effective)).toMatchObject({
      tools: { custom: [{ value: tool, source: "agent.toml:2" }] },
      permissions: { rules: [] },
    })
  })

  it("those of all files add up, and of one name the highest counts", async () => {
    const local = toml.replace("of the docs", "of the site").replaceAll("docs", "site")
    const more = local.replace("report_bug", "report_site_bug")
    const { config } = await load({ "agent.toml": toml, "agent.local.toml": `${local}${more}` })
    expect(config.tools.custom.map(({ name, fixed, source }) => [name, fixed.repo, source])).toEqual([
      ["report_bug", "site", "agent.local.toml:2"],
      ["report_site_bug", "site", "agent.local.toml:9"],
    ])
  })

  it.each<[from: string, to: string, problem: string]>([
    [
      'name = "report_bug"',
      'name = "a b"',
      "agent.toml:3:1 tools.custom[0].name: must be 1 to 64 letters, digits, _ and -",
    ],
    [
      'name = "report_bug"',
      'name = "read"',
      "agent.toml:3:1 tools.custom[0].name: Read is a built-in tool; choose another name",
    ],
    [
      'name = "report_bug"',
      'name = "mcp__a__b"',
      "agent.toml:3:1 tools.custom[0].name: names with mcp__ belong to the tools of servers",
    ],
    ['description = "Report a bug of the docs."', "", "agent.toml:2:9 tools.custom[0].description: is required"],
    [
      'uses = "mcp__github__create_issue"',
      'uses = "bash"',
      'agent.toml:5:1 tools.custom[0].uses: expected mcp__SERVER__TOOL or a built-in tool. Did you mean "Bash"?',
    ],
    [
      'uses = "mcp__github__create_issue"',
      'uses = "github"',
      "agent.toml:5:1 tools.custom[0].uses: expected mcp__SERVER__TOOL or a built-in tool",
    ],
    [
      'title = "Bug"',
      'repo = "site"',
      "agent.toml:7:14 tools.custom[0].defaults.repo: is fixed too; keep one of the two",
    ],
    [
      'repo = "docs"',
      "repo = nan",
      "agent.toml:6:11 tools.custom[0].fixed.repo: must be a text, a number, true, false, a list or a table",
    ],
    ["uses =", "use =", 'agent.toml:5:1 tools.custom[0].use: unknown key. Did you mean "uses"?'],
  ])("a mistake is named with its place: %s → %s", async (from, to, problem) => {
    expect(await problemsOf({ "agent.toml": toml.replace(from, to) })).toContain(problem)
  })

  it("two of one name in one file are a mistake", async () => {
    expect(await problemsOf({ "agent.toml": toml + toml })).toEqual([
      "agent.toml:10:1 tools.custom[1].name: another custom tool of this file has the same name",
    ])
  })
})
