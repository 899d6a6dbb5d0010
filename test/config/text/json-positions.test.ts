import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { findJsonPositions } from "../../../src/config/text/json-positions.ts"

describe("findJsonPositions", () => {
  it("finds keys and list elements", () => {
    const { positions } = findJsonPositions('{\n  "mcpServers": {\n    "a\\u0062": { "args": ["x", [1]] }\n  }\n}')
    expect(positions.find(["mcpServers"])).toEqual({ line: 2, column: 3 })
    expect(positions.find(["mcpServers", "ab"])).toEqual({ line: 3, column: 5 })
    expect(positions.find(["mcpServers", "ab", "args", 1, 0])).toEqual({ line: 3, column: 33 })
  })

  it("finds a fault in exactly the texts that JSON.parse refuses", () => {
    const piece = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"a"',
      '"',
      "1",
      "-",
      "true",
      "nul",
      "null",
      " ",
      "\n",
      "\\u00zz",
      "0",
      ".5",
      "e3",
    )
    const texts = fc.oneof(
      fc.json(),
      fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join("")),
      fc.tuple(fc.json(), fc.nat(), piece).map(([json, at, extra]) => {
        const offset = at % (json.length + 1)
        return json.slice(0, offset) + extra + json.slice(offset)
      }),
    )
    fc.assert(
      fc.property(texts, (text) => {
        expect(findJsonPositions(text).fault === null).toBe(isJson(text))
      }),
      { numRuns: 2000 },
    )
  })

  it.each([
    ['{"a": 1,}', 8, 'a comma before "}" is not allowed in JSON'],
    ['{"a": }', 6, "expected a JSON value"],
    ["{a: 1}", 1, 'expected a key in double quotes, or "}"'],
    ['{"a" 1}', 5, 'expected ":" after the key'],
    ['{"a": 1 "b": 2}', 8, 'expected "," or "}"'],
    ["// note\n{}", 0, "JSON has no comments"],
    ['{"a": "x', 6, "a string that never ends"],
    ['{"a":', 5, "the text ends too early"],
    ["{} x", 3, "there is more text after the end of the JSON value"],
  ])("%s is wrong at offset %i: %s", (text, offset, message) => {
    expect(findJsonPositions(text).fault).toEqual({ offset, message })
  })

  it("stops at a depth that no configuration needs", () => {
    const { fault } = findJsonPositions("[".repeat(100_000))
    expect(fault).toEqual({ offset: 33, message: "nested deeper than 32 levels" })
  })
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
