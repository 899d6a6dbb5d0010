import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { allowing, fixture, it } from "../support/cli-test.ts"

const noRun = { task: null, outDir: false } as const
const env = { CANARY_TOKEN: "canary-0123456789" }

describe("mcp call --from-dead-letter", () => {
  it.concurrent("S0.30 makes the call again that a run gave up, with masked values put back", async ({
    cli,
    start,
    folder,
  }) => {
    const calls = join(folder, "calls")
    const config = {
      mcp_servers: { s: fixture(["--with", "hang", "--calls-file", calls], { tool_timeout_sec: 1 }) },
      mcp: { dead_letter_file: "dead.jsonl" },
      permissions: allowing("mcp__s__*"),
    }
    const input = { text: `with ${env.CANARY_TOKEN}` }
    const script = [{ calls: [{ tool: "mcp__s__hang", input }] }, { text: "It did not answer." }]
    const running = start({ config, env, script })
    expect((await running.ended).exitCode).toBe(8)
    const file = join(running.workspace, "dead.jsonl")
    const letter = JSON.parse(readFileSync(file, "utf8"))
    expect(letter).toMatchObject({ server: "s", tool: "hang", args: { text: "with [redacted:CANARY_TOKEN]" } })

    // As if the tool that hung were mended: the fixture cannot be, so the letter names one that works.
    writeFileSync(file, `${JSON.stringify({ ...letter, tool: "echo" })}\n`)
    const healed = { mcp_servers: { s: fixture(["--calls-file", calls]) } }
    const args = ["mcp", "call", "--from-dead-letter", letter.id, "--file", file, "-q"]
    const again = await cli({ ...noRun, config: healed, env, args })
    expect([again.exitCode, again.stdout]).toEqual([0, "with [redacted:CANARY_TOKEN]\n"])
    expect(readFileSync(calls, "utf8").trimEnd().split("\n").at(-1)).toBe(JSON.stringify({ call: "echo", input }))

    const without = await cli({ ...noRun, config: healed, args })
    expect([without.exitCode, without.stderr]).toEqual([
      2,
      "agent-run: the letter holds masked values of CANARY_TOKEN: set these variables\n",
    ])
  })

  it.for([
    [["--from-dead-letter", "x"], "mcp.dead_letter_file is not set"],
    [["--from-dead-letter", "x", "--file", "none.jsonl"], "the dead letters cannot be read"],
    [["--from-dead-letter", "x", "--file", "letters.jsonl"], "has no letter x; it has: 1 (s/echo)"],
    [["s/echo", "--from-dead-letter", "1", "--file", "letters.jsonl"], "leave them out"],
    [["s/echo", "--file", "letters.jsonl"], "--file is for --from-dead-letter"],
    [[], "name a tool"],
  ] as const)("call %j is a usage error", async ([args, said], { cli }) => {
    const files = { "letters.jsonl": '{"id": "1", "server": "s", "tool": "echo", "args": {}}\nbroken\n' }
    const { exitCode, stderr } = await cli({ ...noRun, files, args: ["mcp", "call", ...args] })
    expect(exitCode).toBe(2)
    expect(stderr).toContain(said)
  })
})
