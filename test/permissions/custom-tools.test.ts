import { describe, expect, it } from "vitest"
import { allowingRule, denialMessage, describeDecision } from "../../src/permissions/describe.ts"
import { createPolicy } from "../../src/permissions/policy.ts"
import { sampleTool, settingsOf } from "./sample-tools.ts"

const wrapped = sampleTool("mcp__github__create_issue")
const custom = {
  ...sampleTool("custom_report_bug"),
  wraps: { tool: wrapped, complete: (input: object) => ({ ...input, repo: "docs" }) },
}

function decided(...rules: readonly string[]) {
  return createPolicy(settingsOf(rules)).decide(custom, { title: "Bug" })
}

describe("the permission of a custom tool", () => {
  it.each([
    [[], "deny", "default"],
    [["allow custom_report_bug"], "deny", "default, for mcp__github__create_issue"],
    [["allow mcp__github__create_issue"], "deny", "default"],
    [["allow custom_report_bug", "allow mcp__github__*"], "allow", "allow custom_report_bug"],
    [["allow custom_report_bug", "allow mcp__github__* args repo=docs"], "allow", "allow custom_report_bug"],
    [
      ["allow custom_report_bug", "allow mcp__github__* args repo=site"],
      "deny",
      "default, for mcp__github__create_issue",
    ],
    [["deny custom_report_bug", "allow mcp__github__*"], "deny", "deny custom_report_bug"],
    [
      ["allow custom_report_bug", "allow mcp__github__*", "deny mcp__github__* args repo=docs"],
      "deny",
      "deny mcp__github__* args repo=docs, for mcp__github__create_issue",
    ],
    [["allow custom_report_bug", "ask mcp__github__*"], "ask", "ask mcp__github__*, for mcp__github__create_issue"],
    [["ask custom_report_bug", "allow mcp__github__*"], "ask", "ask custom_report_bug"],
  ])(
    "S0.1 T21 needs an allow of its own and one for the call it makes, and the stricter counts: %j",
    (rules, action, rule) => {
      expect(describeDecision(decided(...rules))).toMatchObject({ action, rule })
    },
  )

  it("is hidden by a bare deny of either", () => {
    const hiding = (rule: string) => createPolicy(settingsOf([rule])).hides(custom)?.tool ?? null
    expect(["deny custom_*", "deny mcp__github__*", "deny mcp__github__* args repo=docs"].map(hiding)).toEqual([
      "custom_*",
      "mcp__github__*",
      null,
    ])
  })

  it("a denial says which of the two calls was not allowed", () => {
    const message = denialMessage(custom, {}, decided("allow custom_report_bug"))
    expect(message).toContain(
      "custom_report_bug was not run. It calls mcp__github__create_issue, and that is not allowed.",
    )
    expect(allowingRule(custom, {})).toBe('[[permissions.rules]]\ntool = "custom_report_bug"\naction = "allow"')
  })
})
