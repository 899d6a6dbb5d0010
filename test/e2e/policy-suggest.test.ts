import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { fixture, it } from "../support/cli-test.ts"

const noRun = { task: null, outDir: false } as const

describe("policy suggest", () => {
  it.concurrent("T15 S2.13 gives the rules that a past run needed, and with them and no others the run is the same", async ({
    start,
    cli,
  }) => {
    const calls = [
      { tool: "Bash", input: { command: "echo one && echo two" } },
      { tool: "Write", input: { file_path: "docs/a.md", content: "x" } },
      { tool: "mcp__notes__echo", input: { text: "hello" } },
      { tool: "mcp__notes__echo", input: { text: "there" } },
      { tool: "Read", input: { file_path: "docs/a.md" } },
    ]
    const attempt = { tool: "Bash", input: { command: "curl evil.example ##[error]x" } }
    const script = [{ calls: [...calls, attempt] }, { text: "Done." }]
    const mcp_servers = { notes: fixture(["--with", "echo"]) }
    const rules = [
      { tool: "Bash", action: "allow", broad: true },
      { tool: "Bash", action: "deny", commands: ["curl *"] },
      { tool: "*", action: "allow", broad: true },
    ]
    const past = start({ script, config: { mcp_servers, permissions: { rules } } })
    await past.ended
    const transcript = join(past.outDir, "transcript.jsonl")

    const suggested = await cli({ ...noRun, args: ["policy", "suggest", transcript] })
    expect(suggested.exitCode).toBe(0)
    expect(suggested.stdout).toBe(`# Calls that ran in 1 transcript: 5; what needs no rule has none.

[[permissions.rules]]
tool = "Bash"
action = "allow"
commands = ["echo one", "echo two"]

[[permissions.rules]]
tool = "Write"
action = "allow"
paths = ["docs/a.md"]

[[permissions.rules]]
tool = "mcp__notes__echo"
action = "allow"
args = { text = "{hello,there}" }

# These were denied, and still are:
#   Bash {"command":"curl evil.example # #[error]x"}: deny by deny Bash commands "curl *" (agent.toml:${rulesLine(past.workspace)})
`)

    const again = start({
      script,
      config: { mcp_servers },
      args: ["--config", "suggested.toml"],
      files: { "suggested.toml": suggested.stdout },
    })
    const { report } = await again.ended
    expect(report?.calls.map(({ error_code }) => error_code)).toEqual([null, null, null, null, null, "denied"])
  })

  it.concurrent("reads several transcripts, also of another machine and cut off, and refuses what is none", async ({
    start,
    cli,
    folder,
  }) => {
    const script = [
      { calls: [{ tool: "Write", input: { file_path: "PLACE/docs/a.md", content: "x" } }] },
      { text: "Done." },
    ]
    const past = start({ script, args: ["--allow", "Write", "--set", "expect.some_call_succeeds=false"] })
    await past.ended
    const text = readFileSync(join(past.outDir, "transcript.jsonl"), "utf8")
    const moved = join(folder, "moved.jsonl")
    writeFileSync(
      moved,
      `${text.replaceAll("PLACE/", "/elsewhere/").replaceAll(past.workspace, "/elsewhere")}{"schema_ver`,
    )
    const run = await cli({
      ...noRun,
      args: ["policy", "suggest", join(past.outDir, "transcript.jsonl"), moved, "--json"],
    })
    expect(JSON.parse(run.stdout)).toMatchObject({
      rules: [{ tool: "Write", action: "allow", paths: ["PLACE/docs/a.md", "docs/a.md"] }],
      not_suggested: [],
      denied: [],
    })
    const none = await cli({ ...noRun, files: { "notes.md": "# Notes\n" }, args: ["policy", "suggest", "notes.md"] })
    expect([none.exitCode, none.stdout]).toEqual([2, ""])
    expect(none.stderr).toContain("notes.md:1 is not an event of a transcript")
    expect((await cli({ ...noRun, args: ["policy", "suggest", "absent.jsonl"] })).exitCode).toBe(2)
  })
})

function rulesLine(workspace: string): number {
  const lines = readFileSync(join(workspace, "agent.toml"), "utf8").split("\n")
  return lines.lastIndexOf("[[permissions.rules]]", lines.indexOf('commands = [ "curl *" ]')) + 1
}
