import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { renderOutputs } from "../../src/action/outputs.ts"
import { toWellFormed } from "../../src/util/well-formed.ts"
import { parseFileCommands } from "../support/runner-files.ts"
import { seed } from "../support/seed.ts"

describe("step outputs", () => {
  it("T10 values of every kind come back from the runner's format as they were", () => {
    const hostile = fc.constantFrom(
      "\n",
      "\r\n",
      "\r",
      "=",
      "<<",
      "EOF",
      "agent_run_",
      "exit-code=0",
      "\u2028",
      "::set-output",
    )
    const value = fc.oneof(
      fc.string({ unit: "binary", maxLength: 60 }),
      fc.array(fc.oneof(hostile, fc.string({ maxLength: 5 })), { maxLength: 12 }).map((parts) => parts.join("")),
    )
    fc.assert(
      fc.property(value, value, (answer, structured) => {
        expect({ ...parseFileCommands(renderOutputs({ answer, structured })) }).toEqual({
          answer: toWellFormed(answer),
          structured: toWellFormed(structured),
        })
      }),
      { numRuns: 1000, seed },
    )
  })

  it("T10 each value has its own delimiter of 128 random bits, and one that contains it is refused", () => {
    const written = [renderOutputs({ a: "1", b: "2" }), renderOutputs({ a: "1", b: "2" })].join("")
    const delimiters = [...written.matchAll(/<<(.+)$/gm)].map((match) => match[1])
    expect(new Set(delimiters).size).toBe(4)
    for (const delimiter of delimiters) expect(delimiter).toMatch(/^agent_run_[0-9a-f]{32}$/)
    expect(() => renderOutputs({ answer: "a\nEND\nexit-code=0" }, () => "END")).toThrow("contains its delimiter")
  })
})
