import { describe, expect, it } from "vitest"
import { createRedactor } from "../../src/events/redact.ts"

function redactorOf(...patterns: readonly string[]) {
  return createRedactor({ env: { API_TOKEN: "correct-horse" }, envGlobs: [], patterns })
}

describe("regular expressions of users", () => {
  it.each([
    ["acme-[0-9]+", "id acme-123 and acme-4", "id [redacted:pattern] and [redacted:pattern]"],
    ["(?:ab|cd)+x", "an ababx here", "an [redacted:pattern] here"],
    ["\\w{8,}", "correct-horse is redacted", "[redacted:API_TOKEN] is [redacted:pattern]"],
    ["x*", "axxb", "a[redacted:pattern]b"],
    ["a.*z", "a correct-horse z", "[redacted:pattern]"],
  ])("T22 %s is replaced, and stays replaced", (pattern, text, expected) => {
    const redactor = redactorOf(pattern)
    expect(redactor.redactText(text)).toBe(expected)
    expect(redactor.redactText(expected)).toBe(expected)
  })

  it("T22 a match across the border of two windows is found", () => {
    for (const pattern of ["acme-[0-9]{12}", "(?:acme)-([0-9]+)(-x)*"]) {
      const redactor = redactorOf(pattern)
      for (const before of [8180, 8185, 8192, 16_380]) {
        const text = `${"-".repeat(before)}acme-123456789012${"-".repeat(9000)}`
        expect(redactor.redactText(text)).toBe(`${"-".repeat(before)}[redacted:pattern]${"-".repeat(9000)}`)
      }
    }
  })

  it("an expression that would never end hides the text instead of hanging", () => {
    const redactor = redactorOf("(a+)+$")
    expect(redactor.redactText(`${"a".repeat(60)}b`)).toBe("[redacted:slow-pattern]")
    expect(redactor.redactText("banana")).toBe("banan[redacted:pattern]")
  })

  it("a wrong expression is the user's mistake, told with what to do", () => {
    expect(() => redactorOf("(")).toThrow(
      expect.objectContaining({
        code: "config_error",
        where: "security.redact:",
        hint: expect.stringContaining("JavaScript"),
      }),
    )
    expect(() => redactorOf().add([], ["["])).toThrow(expect.objectContaining({ code: "config_error" }))
  })
})
