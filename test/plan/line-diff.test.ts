import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { expect, it } from "vitest"
import { diffLines } from "../../src/plan/line-diff.ts"
import { scratchFolder } from "../support/scratch-folder.ts"

const text = fc
  .array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 })
  .chain((lines) => fc.constantFrom(lines.join("\n"), lines.length === 0 ? "" : `${lines.join("\n")}\n`))

it("git applies the diff of any two texts, also where there was no file", async () => {
  const folder = await scratchFolder()
  const file = join(folder, "f")
  fc.assert(
    fc.property(fc.option(text), text, (before, after) => {
      const diff = diffLines("f", before, after)
      if (before === after) expect(diff).toBe("")
      if (before === after || (before === null && after === "")) return
      if (before !== null) writeFileSync(file, before)
      execFileSync("git", ["apply", "--whitespace=nowarn", "-"], { cwd: folder, input: diff })
      expect(existsSync(file) ? readFileSync(file, "utf8") : "").toBe(after)
      rmSync(file, { force: true })
    }),
    { numRuns: 40 },
  )
})

it("a long diff is cut and says so", () => {
  const diff = diffLines("f", null, "x\n".repeat(20_000))
  expect(diff.length).toBeLessThan(20_100)
  expect(diff).toMatch(/characters left out …\]\n$/)
})
