import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, describe, expect, it } from "vitest"

const script = fileURLToPath(new URL("../scripts/behaviours.mjs", import.meta.url))

// Ids of the samples are put together, so that this file cites nothing itself.
const [one, two] = ["F", "T"].map((letter) => `${letter}1`)

it("the list of behaviours and the names of the tests agree", () => {
  expect(keepList("--check")).toEqual({ exitCode: 0, disagreements: [] })
})

describe("the keeper of the list", () => {
  let root = ""

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "behaviours-"))
    mkdirSync(join(root, "docs"))
    mkdirSync(join(root, "test", "room"), { recursive: true })
  })
  afterEach(() => rmSync(root, { recursive: true }))

  it.each([
    {
      what: "a held id that no test cites",
      rows: [row(one, "held")],
      source: "",
      disagreements: [`${one} is held but no test cites it`],
    },
    {
      what: "a cited id that is still planned",
      rows: [row(one, "planned")],
      source: `it("${one} works", () => {})`,
      disagreements: [`${one} is planned but cited by test/room/sample.test.ts`],
    },
    {
      what: "a cited id that is not listed",
      rows: [row(one, "held")],
      source: `it("${one} and ${two} work", () => {})`,
      disagreements: [`${two} is cited by test/room/sample.test.ts but not listed`],
    },
    {
      what: "an id that is listed twice",
      rows: [row(one, "planned"), row(one, "planned")],
      source: "",
      disagreements: [`${one} is listed twice`],
    },
    {
      what: "a state other than held and planned",
      rows: [row(one, "done")],
      source: "",
      disagreements: [`${one} is done but no test cites it`],
    },
  ])("$what is a disagreement", ({ rows, source, disagreements }) => {
    writeSample(rows, source)
    expect(keepList("--check", "--root", root)).toEqual({ exitCode: 1, disagreements })
  })

  it("sets held for exactly the ids in names of tests, and leaves the rest of the page alone", () => {
    const citing = [
      `describe("C1 a group", () => {})`,
      `it('C2, C3 two at once', () => {})`,
      "test(`C4 a template`, () => {})",
      `it.skipIf(true)("C5 not on this machine", () => {})`,
      `it.each([\n  ["x", f(1)],\n])("C6 %s", () => {})`,
      "it.each`\n  a | b\n`(\n  'C7 a tagged table',\n  () => {},\n)",
      `for (const name of names) it(\`\${name} C8\`, () => {})`,
    ]
    const silent = [
      `// C10 in a comment, it speaks of C11`,
      `const name = "C12"`,
      `it("C13–C15, C16-18 and C19..C20 are ranges", () => {})`,
      `it("XC21, C22b and c23 are no ids", () => {})`,
      `commit("C24")`,
      `it.skip("C25 is skipped", () => {})`,
      `describe.todo("C26 is to be written")`,
    ]
    const ids = Array.from({ length: 26 }, (_, index) => `C${index + 1}`)
    writeSample(
      ids.map((id) => row(id, id === "C10" ? "held" : "planned")),
      [...citing, ...silent].join("\n"),
    )

    expect(keepList("--root", root)).toEqual({ exitCode: 0, disagreements: [] })

    const held = new Set(ids.slice(0, 8))
    expect(readFileSync(join(root, "docs", "behaviours.md"), "utf8")).toBe(
      pageOf(ids.map((id) => row(id, held.has(id) ? "held" : "planned"))),
    )
    expect(keepList("--check", "--root", root)).toEqual({ exitCode: 0, disagreements: [] })
  })

  function writeSample(rows: readonly string[], source: string) {
    writeFileSync(join(root, "docs", "behaviours.md"), pageOf(rows))
    writeFileSync(join(root, "test", "room", "sample.test.ts"), source)
  }
})

function row(id: string | undefined, state: string): string {
  return `| ${id} | What \`a | b\` does. | ${state} |`
}

function pageOf(rows: readonly string[]): string {
  return ["# Behaviours", "", "| id | behaviour | state |", "|---|---|---|", ...rows, ""].join("\n")
}

function keepList(...args: readonly string[]) {
  const { status, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: "utf8" })
  const disagreements = stderr.split("\n").filter((line) => line.startsWith("  "))
  return { exitCode: status, disagreements: disagreements.map((line) => line.trim()) }
}
