import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { sanitise } from "../../src/agent/sanitise.ts"

describe("sanitising", () => {
  it.each([
    ["a<!-- do evil -->b", "a[comment removed]b"],
    ["a<!-- do evil", "a[comment removed]"],
    ["a<!-- x --!>b<!--->c<!-->d", "a[comment removed]b[comment removed]c[comment removed]d"],
    ["<!-<!-- x -->- evil -->", "<!-[comment removed]- evil -->"],
    ["<!\u200b-- evil -->", "[comment removed]"],
    ["pass\u200bword\u00ad \u202eevil\u202c \u2066x\u2069 \ufeff", "password evil x "],
    ["tag\u{e0041}\u{e0042}s \u{e0100}vs\ufe0f \u3164filler", "tags vs filler"],
    ["bell\x07 null\x00 \x1b[31mred\x1b[0m\ttab\r\nline", "bell null red\ttab\nline"],
    ["half \ud83d pair", "half \ufffd pair"],
    ["ünïcödé 日本語 👍 العربية", "ünïcödé 日本語 👍 العربية"],
  ])("T2 %j becomes %j", (text, expected) => {
    expect(sanitise(text)).toBe(expected)
  })

  it("T2 doing it twice changes nothing, and nothing hidden is left: 10,000 texts", () => {
    const pieces = [
      "<!--",
      "-->",
      "--!>",
      "<!-",
      "<!",
      "-",
      ">",
      "\u200b",
      "\u202e",
      "\ufe0f",
      "\r",
      "\n",
      "\x1b",
      "[31m",
    ]
    const halves = ["\ud83d", "\udb40", "\udc01", "\udc41", "\u{e0001}", "\x9b", "\x00", "x", " ", "]8;;"]
    const piece = fc.oneof(fc.constantFrom(...pieces, ...halves), fc.string({ unit: "binary", maxLength: 3 }))
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (parts) => {
        const once = sanitise(parts.join(""))
        expect(sanitise(once)).toBe(once)
        expect(once).not.toMatch(/<!--|[\p{Default_Ignorable_Code_Point}\u0000-\u0008\u000b-\u001f\u007f-\u009f]/u)
      }),
      { numRuns: 10_000 },
    )
  })
})
