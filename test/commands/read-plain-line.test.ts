import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { runOptions } from "../../src/commands/options.ts"
import { explainCommandLine, parseCommandLine } from "../../src/commands/parse.ts"
import { readPlainLine } from "../../src/commands/read-plain-line.ts"
import { seed, seeded } from "../support/seed.ts"

const name = fc.constantFrom(...Object.keys(runOptions), "quiet", "verbose", "no-such-option")
const value = fc.constantFrom(
  ...["Look.", "a b", "", "-x", "--", "'quoted'", '"quoted"', "10", "0.5", "1e3", "0x10", "007", "NaN", "text"],
  ...["json", "yaml", "a=b", "=", "true", "false", "ä…", "line\nbreak", "run", "mcp", "__proto__"],
)
const word = fc.oneof(
  name.map((option) => [`--${option}`]),
  fc.tuple(name, value).map(([option, given]) => [`--${option}`, given]),
  fc.tuple(name, value).map(([option, given]) => [`--${option}=${given}`]),
  fc.constantFrom(["-q"], ["-v"], ["-qv"], ["run"], ["--help"], ["stray"], ["--no-quiet"], ["--constructor=1"]),
)
const line = fc.array(word, { maxLength: 5 }).map((words) => words.flat())

describe("plain command lines", () => {
  it(`are read as the whole parser reads them, whatever they say (seed ${seed})`, async () => {
    let plain = 0
    await fc.assert(
      fc.asyncProperty(line, async (args) => {
        if (readPlainLine(args, runOptions) === null) return
        plain += 1
        expect(await parseCommandLine(args)).toEqual(await explainCommandLine(args))
      }),
      { ...seeded, numRuns: 1500 },
    )
    expect(plain).toBeGreaterThan(100)
  })

  it.each([
    [["--task", "Look.", "--max-turns", "3", "-q"], { task: "Look.", "max-turns": 3, quiet: true }],
    [["--task=a=b", "--allow", "Read", "--allow=Edit"], { task: "a=b", allow: ["Read", "Edit"] }],
    [["--task", "a", "--task", "b"], null],
    [["--task", "'a'"], null],
    [["--output", "xml"], null],
    [["--max-turns", "many"], null],
    [["--help"], null],
    [["mcp", "list"], null],
  ])("%j", (args, read) => {
    expect(readPlainLine(args, runOptions)).toEqual(read)
  })
})
