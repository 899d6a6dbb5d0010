import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { eventsOf, runInProcess } from "../support/run-in-process.ts"
import { scratchFolder } from "../support/scratch-folder.ts"

const write = (id: string, path: string) => ({ id, tool: "Write", input: { file_path: path, content: "x" } })

async function configured(
  permissions: string,
): Promise<{ readonly config: readonly string[]; readonly workspace: string }> {
  const workspace = await scratchFolder()
  const config = join(workspace, "config.toml")
  writeFileSync(config, permissions)
  return { config: [config], workspace }
}

describe('on_ask = "command"', () => {
  it("S1.1 S1.7 S1.9 a program sees tool, input and why, and its answer decides and is recorded", async () => {
    const options = await configured(`
      [permissions]
      on_ask = "command"
      ask_command = ["/bin/sh", "-c", 'read -r request; case "$request" in *good.txt*) echo "{\\"approve\\": true}";; *) echo "$request" > ../asked.json; echo "{\\"approve\\": false, \\"reason\\": \\"not that one\\"}";; esac']
      [[permissions.rules]]
      tool = "Write"
      action = "ask"
    `)
    const { report, events } = await runInProcess({
      ...options,
      env: { API_TOKEN: "canary-secret-value" },
      turns: [
        { calls: [write("a", "good.txt"), write("b", "canary-secret-value.txt")] },
        { text: "Done.", expect: { last_result_contains: "No, denied. not that one. Write was not run." } },
      ],
    })
    expect(report).toMatchObject({
      exit_code: 0,
      files_changed: [{ path: "good.txt" }],
      approvals: [
        { id: "a", tool: "Write", state: "approved", answer: "Yes, confirmed." },
        { id: "b", state: "rejected", answer: "No, denied.", reason: "not that one" },
      ],
    })
    expect(eventsOf(events, "approval.answer").map(({ by }) => by)).toEqual(["command", "command"])
    expect(JSON.stringify(events)).not.toContain("canary-secret-value")
  })

  it("without ask_command it is a configuration error, and so is a pause without a transcript", async () => {
    const nobody = await runInProcess({ ...(await configured('[permissions]\non_ask = "command"')), turns: [] })
    expect(nobody.report.reason).toMatchObject({
      code: "config_error",
      message: expect.stringContaining("needs ask_command"),
    })
    const nowhere = await runInProcess({ ...(await configured('[permissions]\non_ask = "pause"')), turns: [] })
    expect(nowhere.report.reason).toMatchObject({
      code: "config_error",
      message: expect.stringContaining("needs a transcript"),
    })
  })
})

describe('on_ask = "pause"', () => {
  it("S1.1 a run that is stopped or denied while calls wait answers all of them and does not pause", async () => {
    const options = await configured(`
      [permissions]
      on_ask = "pause"
      on_denied = "fail"
      [[permissions.rules]]
      tool = "Write"
      action = "ask"
    `)
    const { report, events, workspace } = await runInProcess({
      ...options,
      transcript: join(options.workspace, "t.jsonl"),
      turns: [{ calls: [write("a", "one"), { id: "b", tool: "Bash", input: { command: "ls" } }] }],
    })
    expect(report).toMatchObject({ exit_code: 7, reason: { code: "call_denied" }, files_changed: [] })
    expect(eventsOf(events, "tool.result").map(({ call_id, state }) => [call_id, state])).toEqual([
      ["b", "denied"],
      ["a", "not_run"],
    ])
    expect(workspace).toBe(options.workspace)
  })

  it("S1.1 a sub-agent cannot pause: what it would have to ask is denied, and the run that goes on is not its own", async () => {
    const options = await configured(`
      [tools]
      agent = true
      [permissions]
      on_ask = "pause"
      [[permissions.rules]]
      tool = "Agent"
      action = "allow"
      [[permissions.rules]]
      tool = "Write"
      action = "ask"
    `)
    const transcript = join(options.workspace, "t.jsonl")
    const agent = { id: "agent-1", tool: "Agent", input: { task: "write it" } }
    const paused = await runInProcess({
      ...options,
      transcript,
      turns: [
        { calls: [agent, write("a", "one")] },
        { calls: [write("nested", "two")] },
        { text: "I may not.", expect: { last_result_contains: "nobody is here to ask" } },
      ],
    })
    expect(paused.report).toMatchObject({ exit_code: 3, turns: 3, approvals: [{ id: "a" }] })
    const done = await runInProcess({
      ...options,
      task: undefined,
      resume: { transcript, approve: ["all"] },
      turns: [{ text: "Done.", expect: { messages: 3, last_message_contains: ["I may not.", "Created one"] } }],
    })
    expect(done.report).toMatchObject({ exit_code: 0, turns: 4, files_changed: [{ path: "one" }] })
  })
})

describe("plan mode", () => {
  it("looks through custom tools and leaves hooks for later", async () => {
    const options = await configured(`
      [[tools.custom]]
      name = "note"
      description = "Write the note"
      uses = "Write"
      fixed = { file_path = "note.txt" }
      [[tools.custom]]
      name = "look"
      description = "Read the note"
      uses = "Read"
      fixed = { file_path = "note.txt" }
      [[permissions.rules]]
      tool = "{note,look,Write,Read}"
      action = "allow"
      [[hooks.pre_tool_use]]
      tool = "note"
      command = ["/bin/sh", "-c", "touch hooked; exit 1"]
    `)
    writeFileSync(join(options.workspace, "note.txt"), "old\n")
    const { report } = await runInProcess({
      ...options,
      plan: join(options.workspace, "plan.json"),
      turns: [
        { calls: [{ tool: "look" }, { tool: "note", input: { content: "new\n" } }] },
        { text: "Planned.", expect: { last_result_contains: "Queued as P1" } },
      ],
    })
    expect(report).toMatchObject({
      exit_code: 0,
      calls: [
        { tool: "look", ok: true },
        { tool: "note", ok: true },
      ],
      plan: [{ id: "P1", tool: "note", edit: { path: "note.txt", diff: expect.stringContaining("-old\n+new\n") } }],
    })
    expect(existsSync(join(options.workspace, "hooked"))).toBe(false)
  })
})
