import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect } from "vitest"
import { allowing, fixture, it } from "../support/cli-test.ts"

describe("the host", () => {
  it("F78 a clock that jumps by days moves no deadline and no duration", async ({ cli }) => {
    const preload = fileURLToPath(new URL("../fixtures/preloads/jumping-clock.mjs", import.meta.url))
    const script = [
      {
        calls: [
          { tool: "mcp__notes__echo", input: { text: "a" } },
          { tool: "Bash", input: { command: "true" } },
        ],
      },
      { text: "Done." },
    ]
    const config = { mcp_servers: { notes: fixture() }, permissions: allowing("mcp__notes__*", "Bash") }
    const { exitCode, report } = await cli({
      nodeArgs: ["--import", preload],
      config,
      script,
      args: ["--timeout", "60s"],
    })
    expect([exitCode, report?.reason]).toEqual([0, null])
    const durations = [report?.run.duration_ms, ...(report?.calls.map((call) => call.duration_ms) ?? [])]
    expect(durations.every((duration) => duration !== undefined && duration >= 0 && duration < 60_000)).toBe(true)
  })

  it("T24 temporary folders are private and have names that nobody can know before", async ({ start }) => {
    const command = 'ls -ld "$TMPDIR"/agent-run-* | cut -c1-10 > modes; ls "$TMPDIR" > names'
    const names: string[] = []
    for (let round = 0; round < 2; round += 1) {
      const running = start({
        script: [{ calls: [{ tool: "Bash", input: { command } }] }, { text: "Done." }],
        config: { permissions: allowing("Bash") },
      })
      await running.ended
      const read = (name: string) => readFileSync(join(running.workspace, name), "utf8").trim()
      expect(new Set(read("modes").split("\n"))).toEqual(new Set(["drwx------"]))
      names.push(read("names"))
    }
    expect(names[0]).not.toBe("")
    expect(names[0]).not.toBe(names[1])
  })
})
