import { readFileSync } from "node:fs"
import { join } from "node:path"
import { stringify } from "smol-toml"
import { describe, expect } from "vitest"
import { fixture, it } from "../support/cli-test.ts"

describe("rules in a run of the built CLI", () => {
  it.concurrent('S2.13 default = "ask" asks for what no rule decides; nobody answers, so it is denied, with its place', async ({
    cli,
  }) => {
    const calls = [
      { tool: "Bash", input: { command: "ls" } },
      { tool: "Write", input: { file_path: "docs/a", content: "" } },
      { tool: "Glob", input: { pattern: "*" } },
    ]
    const config =
      '[permissions]\ndefault = "ask"\n[[permissions.rules]]\ntool = "Write"\naction = "allow"\npaths = ["docs/**"]\n'
    const { exitCode, report, stderr } = await cli({ config, script: [{ calls }, { text: "Done." }] })
    expect(exitCode).toBe(0)
    expect(report?.calls).toMatchObject([
      { error_code: "denied", decision: { action: "ask", rule: "default", source: "agent.toml:2" } },
      { ok: true, decision: { action: "allow", source: "agent.toml:3" } },
      { ok: true, decision: { action: "allow", rule: "baseline" } },
    ])
    expect(stderr).toContain("call Bash: denied by default (agent.toml:2)")
  })

  it.concurrent("S1.7 S2.13 the rules that the summary shows for denied calls allow them once they are pasted, and nothing more", async ({
    start,
  }) => {
    const calls = [
      { tool: "Bash", input: { command: "touch a.txt && ls" } },
      { tool: "Write", input: { file_path: "docs/a.md", content: "a" } },
      { tool: "Write", input: { file_path: "docs/b.md", content: "b" } },
      { tool: "Bash", input: { command: "touch $HOME/x" } },
      { tool: "mcp__fs__echo", input: { text: "hi" } },
      { tool: "Edit", input: { file_path: "docs/a.md", old_string: "a", new_string: "b" } },
    ]
    const config = [
      "[expect]\nsome_call_succeeds = false",
      stringify({ mcp_servers: { fs: fixture() } }),
      '[[permissions.rules]]\ntool = "Edit"\naction = "deny"\n',
    ].join("\n")
    const script = [{ calls }, { text: "Done." }]
    const first = start({ config, script })
    const { report, stderr } = await first.ended
    expect(report?.denied).toBe(6)
    expect(report?.calls.map(({ allow_with }) => allow_with !== undefined)).toEqual([
      true,
      true,
      true,
      false,
      true,
      false,
    ])
    expect(stderr).toContain('a rule would allow it: tool = "Bash", action = "allow", commands = ["touch a.txt", "ls"]')
    const summary = readFileSync(join(first.outDir, "summary.md"), "utf8")
    expect(summary).toContain("`Edit`, decided by `deny Edit` in `agent.toml:")
    const [, pasted = ""] = /```toml\n([\s\S]*?)\n```/.exec(summary) ?? []
    const second = await start({ config: `${config}\n${pasted}\n`, script }).ended
    expect(second.report?.calls.map(({ ok }) => ok)).toEqual([true, true, true, false, true, false])
  })

  it.concurrent("S2.13 a deny with paths keeps files out of what Grep and Glob find anywhere in the workspace", async ({
    cli,
  }) => {
    const files = { "a.txt": "token=1\n", "secrets/b.txt": "token=2\n", "docs/secret.txt": "token=3\n" }
    const calls = [
      { tool: "Grep", input: { pattern: "token", output_mode: "content" } },
      { tool: "Glob", input: { pattern: "**/*.txt" } },
      { tool: "Grep", input: { pattern: "token", path: "secrets" } },
      { tool: "Read", input: { file_path: "secrets/b.txt" } },
    ]
    const rules = [{ tool: "{Read,Grep,Glob}", action: "deny", paths: ["secrets/**", "**/secret.*"] }]
    const run = await cli({ files, config: { permissions: { rules } }, script: [{ calls }, { text: "Done." }] })
    const results = run.events.flatMap((event) => (event.type === "tool.result" ? [event] : [])).toSorted(byCall)
    const texts = results.map(({ content: [block] }) => (block?.type === "text" ? block.text : ""))
    expect(texts.slice(0, 2)).toEqual([
      "a.txt:1:token=1\n[files that a rule denies are left out]",
      "a.txt\n[files that a rule denies are left out]",
    ])
    expect(results.map(({ error_code }) => error_code)).toEqual([null, null, "denied", "denied"])
    expect(JSON.stringify(run.events)).not.toContain("token=2")
  })
})

function byCall(one: { readonly call_id: string }, other: { readonly call_id: string }): number {
  return one.call_id < other.call_id ? -1 : 1
}
