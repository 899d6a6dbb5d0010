import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { literalCommands } from "../../src/permissions/shell-words.ts"

describe("literal commands of a line", () => {
  it.each([
    ["", []],
    ["  \n ", []],
    ["git status", [["git", "status"]]],
    ["a && b || c ; d | e", [["a"], ["b"], ["c"], ["d"], ["e"]]],
    ["a\nb\n\nc", [["a"], ["b"], ["c"]]],
    ["a 'b  c' \"d e\" f\\ g h'i'\"j\"", [["a", "b  c", "d e", "f g", "hij"]]],
    ["a '$x `y` \\' \"\\$z\" \\$w", [["a", "$x `y` \\", "$z", "$w"]]],
    ["a '' \"\"", [["a", "", ""]]],
    ["a 2>&1 b >&2", [["a", "b"]]],
    ["a \\\n b", [["a", "b"]]],
    ["HEAD~1 HEAD^ HEAD@{0} a=b -c x:y", [["HEAD~1", "HEAD^", "HEAD@{0}", "a=b", "-c", "x:y"]]],
    ["a 'b!' \"c!\"", [["a", "b!", "c!"]]],
    ["a '\n'", [["a", "\n"]]],
    ["[ -f a ]", [["[", "-f", "a", "]"]]],
  ])("T14 %j is made of %j", (line, commands) => {
    expect(literalCommands(line)).toEqual(commands)
  })

  it("T14 any text at all is either literal commands or not, and never an error", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), hostileText(), deepText()), (line) => {
        const commands = literalCommands(line)
        return commands === null || commands.every((words) => words.length > 0)
      }),
      { numRuns: 1000 },
    )
  })

  it("T14 a line too long to be a command is not literal", () => {
    expect(literalCommands(`echo ${"a".repeat(20_000)}`)).toBeNull()
  })

  it("T14 whatever bash runs of a literal line is among the commands we saw, word for word", () => {
    const [seed = 0] = fc.sample(fc.integer(), 1)
    const candidates = fc.sample(hostileText(), { seed, numRuns: 4000 })
    const lines = candidates.filter((line) => (literalCommands(line)?.length ?? 0) > 0)
    const runs = runInBash(lines)
    expect(runs.length).toBe(lines.length)
    expect(runs.flat().length).toBeGreaterThan(lines.length / 2)
    expect({ seed, surprises: surprisesOf(lines, runs) }).toEqual({ seed, surprises: [] })
  })
})

type Runs = readonly (readonly (readonly string[])[])[]

function surprisesOf(lines: readonly string[], runs: Runs) {
  return lines.flatMap((line, index) => {
    const seen = new Set(literalCommands(line)?.map((words) => JSON.stringify(words)))
    const unseen = runs[index]?.filter((words) => !seen.has(JSON.stringify(words))) ?? []
    return unseen.map((words) => ({ line, words }))
  })
}

/** Text of the signs that mean something to a shell, around letters that name no program. */
function hostileText(): fc.Arbitrary<string> {
  const sign = fc.constantFrom(..."'\"\\$`~!#&|;<>(){}[]*?=,%^@+-1 \t\n".split(""))
  const word = fc.constantFrom(
    "zz",
    "zy",
    "yz",
    "z",
    " ",
    " ",
    " && ",
    " | ",
    "; ",
    " || ",
    "\n",
    "'z z'",
    '"z z"',
    "2>&1",
    "~1",
  )
  return fc
    .array(fc.oneof({ weight: 1, arbitrary: sign }, { weight: 3, arbitrary: word }), { maxLength: 12 })
    .map((parts) => `zz${parts.join("")}`)
}

function deepText(): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom("(", "{ ", "$(", "`", '"$(', "((", "[[ ", "${a:-", "<(", "if "), fc.nat({ max: 5000 }))
    .map(([opening, times]) => opening.repeat(times))
}

/** What bash runs for each line when there are no programs: every command it cannot find tells its words. */
function runInBash(lines: readonly string[]): Runs {
  const folder = mkdtempSync(join(tmpdir(), "agent-run-words-"))
  const script = `
    command_not_found_handle() { printf '%s\\0' "$#" "$@" >&9; }
    while IFS= read -r -d '' line; do
      ( PATH=/nowhere; eval "$line" ) </dev/null >/dev/null 2>&1
      printf 'end\\0' >&9
    done <lines 9>ran`
  try {
    writeFileSync(join(folder, "lines"), lines.map((line) => `${line}\0`).join(""))
    const { status } = spawnSync("bash", ["--noprofile", "--norc", "-c", script], {
      cwd: folder,
      env: {},
      timeout: 25_000,
    })
    expect(status).toBe(0)
    return parseRuns(readFileSync(join(folder, "ran"), "utf8").split("\0"))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function parseRuns(tokens: readonly string[]): Runs {
  const runs: string[][][] = []
  let commands: string[][] = []
  for (let position = 0; position < tokens.length - 1; ) {
    const token = tokens[position] ?? ""
    position += 1
    if (token === "end") {
      runs.push(commands)
      commands = []
      continue
    }
    commands.push(tokens.slice(position, position + Number(token)))
    position += Number(token)
  }
  return runs
}
