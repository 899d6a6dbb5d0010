import fc from "fast-check"
import { parse } from "smol-toml"
import { describe, expect, it } from "vitest"
import type { KeyPath } from "../../../src/config/positions.ts"
import { findTomlPositions } from "../../../src/config/text/toml-positions.ts"

const document = `# a comment = 1
title = "x" # [not.a.table]
a.b . "c d" = 1

[agent]
  model = """
[mcp_servers.fake]
x = 1 """""
prices = { "m-1" = { input = 1, output = 2 }, other.input = 3 }

[[permissions.rules]]
tool = 'lit = "eral'
args = { repo = "a,b]}" }
paths = [
  "one", # , "no"
  [ "two",
    { deep = 1 } ],
]
[permissions.rules.extra]
y = 1
[[permissions.rules]]
tool = "second"

["quoted \\"\\u0041\\".x".inner]
when = 1979-05-27 07:32:00
`

describe("findTomlPositions", () => {
  it.each<[KeyPath, number, number]>([
    [["title"], 2, 1],
    [["a"], 3, 1],
    [["a", "b", "c d"], 3, 7],
    [["agent"], 5, 2],
    [["agent", "model"], 6, 3],
    [["agent", "prices"], 9, 1],
    [["agent", "prices", "m-1", "output"], 9, 33],
    [["agent", "prices", "other", "input"], 9, 53],
    [["permissions", "rules", 0], 11, 15],
    [["permissions", "rules", 0, "args", "repo"], 13, 10],
    [["permissions", "rules", 0, "paths", 0], 15, 3],
    [["permissions", "rules", 0, "paths", 1, 0], 16, 5],
    [["permissions", "rules", 0, "paths", 1, 1, "deep"], 17, 7],
    [["permissions", "rules", 0, "extra", "y"], 20, 1],
    [["permissions", "rules", 1, "tool"], 22, 1],
    [['quoted "A".x', "inner", "when"], 25, 1],
    [["agent", "model", "not", "there"], 6, 3],
  ])("%j stands at %i:%i", (path, line, column) => {
    expect(findTomlPositions(document).positions.find(path)).toEqual({ line, column })
  })

  it("does not take the inside of a string for a table", () => {
    expect(findTomlPositions(document).positions.find(["mcp_servers", "fake"])).toBeNull()
  })

  it("knows the place of every value of every document, and the key stands there", () => {
    fc.assert(
      fc.property(documents, (text) => {
        const { positions, tooDeep } = findTomlPositions(text)
        expect(tooDeep).toBeNull()
        const lines = text.split("\n")
        for (const path of pathsOf(parse(text), [])) {
          const position = positions.find(path)
          const last = path.at(-1)
          if (typeof last !== "string") continue
          const rest = lines[(position?.line ?? 0) - 1]?.slice((position?.column ?? 0) - 1) ?? ""
          const spellings = [last, JSON.stringify(last), `'${last}'`]
          expect(
            spellings.some((spelling) => rest.startsWith(spelling)),
            `${JSON.stringify(path)} in\n${text}`,
          ).toBe(true)
        }
      }),
      { numRuns: 300 },
    )
  })

  it("never throws and always ends, whatever the text", () => {
    const piece = fc.constantFrom(
      "[",
      "]",
      "[[",
      "]]",
      "{",
      "}",
      "=",
      ".",
      ",",
      '"',
      "'",
      '"""',
      "'''",
      "\\",
      "#",
      "\n",
      "a",
      " ",
      "1",
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join("")),
        ),
        (text) => {
          expect(findTomlPositions(text).positions.at(0)).toEqual({ line: 1, column: 1 })
        },
      ),
      { numRuns: 1000 },
    )
  })

  it.each([
    ["a dotted key", `${Array(100_000).fill("a").join(".")} = 1`],
    ["a header", `[${Array(100_000).fill("a").join(".")}]`],
    ["nested lists", `a = ${"[".repeat(100_000)}`],
    ["nested tables", `a = ${"{a=".repeat(100_000)}`],
    ["a key below a header", `[${Array(20).fill("a").join(".")}]\n${Array(20).fill("b").join(".")} = 1`],
  ])("says where %s goes too deep, without overflowing the stack", (_, text) => {
    expect(findTomlPositions(text).tooDeep).not.toBeNull()
  })
})

function* pathsOf(value: unknown, path: KeyPath): Generator<KeyPath> {
  if (path.length > 0) yield path
  if (typeof value !== "object" || value === null || value instanceof Date) return
  for (const [key, inner] of Object.entries(value))
    yield* pathsOf(inner, [...path, Array.isArray(value) ? Number(key) : key])
}

const keys = fc.oneof(
  fc.constantFrom("a", "b-1", "__proto__", "constructor", "x y", "p.q", "=", "[z]", "#", 'say "hi"', ""),
  fc.string({ maxLength: 5, unit: fc.constantFrom("a", "é", " ", ".", "]", "}", ",", '"') }),
)
const blanks = fc.constantFrom("", " ", "\t")
const lineBreaks = fc.constantFrom("", "\n", " # ]},\n", "\n\n  ")

const scalars = fc.oneof(
  fc.constantFrom(
    "1",
    "true",
    "1.5",
    "'lit # [x]'",
    '"a\\"b = [c]"',
    '"""\n[x]\ny = 1 \\" """',
    "'''\n[[q]]\n'''",
    '"""two more"""""',
    "'''one more''''",
    "1979-05-27",
  ),
)

const { value: values } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalars,
    fc
      .array(fc.tuple(lineBreaks, tie("value"), lineBreaks), { maxLength: 3 })
      .map((items) => `[${items.map((item) => item.join("")).join(",")}]`),
    fc
      .uniqueArray(fc.tuple(keys, blanks, tie("value")), { maxLength: 3, selector: ([key]) => key })
      .map((pairs) => `{ ${pairs.map(([key, blank, value]) => `${spell(key)}${blank}=${blank}${value}`).join(", ")} }`),
  ),
}))

const bodies = fc
  .uniqueArray(fc.tuple(keys, blanks, values), { maxLength: 4, selector: ([key]) => key })
  .map((pairs) => pairs.map(([key, blank, value]) => `${blank}${spell(key)} ${blank}= ${value}\n`).join(""))

const documents = fc
  .tuple(
    bodies,
    fc.uniqueArray(fc.tuple(keys, keys, fc.boolean(), bodies, bodies), { maxLength: 4, selector: ([key]) => key }),
  )
  .map(([top, tables]) => {
    const sections = tables.map(([outer, inner, isArray, first, second]) => {
      const name = `"t${tables.length}".${spell(outer)} . ${spell(inner)}`
      return isArray ? `[[${name}]]\n${first}[[ ${name} ]] # again\n${second}` : `[ ${name} ]\n${first}`
    })
    return `[top]\n${top}${sections.join("")}`
  })

function spell(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key)
}
