import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { stringify } from "smol-toml"
import { describe, expect, it } from "vitest"
import { defineTool } from "../../src/tools/define-tool.ts"
import { hook, toldIn } from "../support/hooks.ts"
import { eventsOf, runInProcess } from "../support/run-in-process.ts"
import { scratchFolder } from "../support/scratch-folder.ts"

interface HookedRun {
  readonly pre?: readonly object[]
  readonly post?: readonly object[]
  readonly rules?: readonly object[]
  readonly input?: object
  readonly tool?: string
}

const allowAll = [
  { tool: "note", action: "allow", args: { text: "[!x]*" } },
  { tool: "Bash", action: "allow", commands: ["echo hello", "echo bye"] },
]

/** One call of a tool that gives back its input, among hooks. */
async function callAmong({ pre = [], post = [], rules = allowAll, input = { text: "a" }, tool = "note" }: HookedRun) {
  const workspace = await scratchFolder()
  const made = (hooks: readonly object[]) => hooks.map((made) => (typeof made === "function" ? made(workspace) : made))
  const config = {
    hooks: { pre_tool_use: made(pre), post_tool_use: made(post) },
    permissions: { rules },
    expect: { some_call_succeeds: false },
  }
  writeFileSync(join(workspace, "agent.toml"), stringify(config))
  const seen: unknown[] = []
  const note = defineTool({
    name: "note",
    description: "",
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    async execute(given) {
      seen.push(given)
      return JSON.stringify(given)
    },
  })
  const turns = [{ calls: [{ tool, input }] }, { text: "done" }]
  const run = await runInProcess({ workspace, turns, tools: [note], bare: false, env: { TOKEN_X: "canary-123456" } })
  const [result] = eventsOf(run.events, "tool.result")
  const text = result?.content.map((block) => (block.type === "text" ? block.text : "")).join("\n")
  const hooks = eventsOf(run.events, "hook").map(({ outcome, decision, reason, note }) => ({
    outcome,
    ...(decision ? { decision } : {}),
    ...(reason === null ? {} : { reason }),
    ...(note === null ? {} : { note }),
  }))
  return { ...run, seen, result, text, hooks, told: toldIn(workspace) }
}

const says =
  (orders: object, keys: object = {}) =>
  (folder: string) =>
    hook(folder, orders, keys)

describe("a hook before a call", () => {
  it("S3.28 watches: it is told of the call and its decision, and the call goes on unchanged", async () => {
    const { told, seen, hooks, report } = await callAmong({ pre: [says({})] })
    expect(told).toEqual([
      {
        event: "pre_tool_use",
        call_id: "call_1_1",
        turn: 1,
        tool: "note",
        server: null,
        decision: { action: "allow", rule: "allow note args text=[!x]*", source: "agent.toml:7" },
        input: { text: "a" },
      },
    ])
    expect({ seen, hooks, ok: report.calls[0]?.ok }).toEqual({
      seen: [{ text: "a" }],
      hooks: [{ outcome: "passed" }],
      ok: true,
    })
  })

  it("S3.28 blocks with a reason: the call is denied, and report and model are told by which hook", async () => {
    const { seen, text, report, hooks } = await callAmong({ pre: [says({ answer: { block: "not on a Friday" } })] })
    expect(seen).toEqual([])
    expect(text).toContain("A hook (agent.toml:4) blocks it: not on a Friday")
    const decision = { action: "deny", rule: "hook pre_tool_use", source: "agent.toml:4" }
    expect(report.calls).toMatchObject([{ ok: false, error_code: "denied", decision }])
    expect(report.denied).toBe(1)
    expect(hooks).toEqual([{ outcome: "blocked", reason: "not on a Friday", decision }])
  })

  it("S3.28 changes the input, and the next hook and the tool see the changed one", async () => {
    const { seen, told, hooks, report } = await callAmong({
      pre: [says({ answer: { input: { text: "b" } } }), says({ answer: { note: "checked" } }, { args: { text: "b" } })],
    })
    expect(seen).toEqual([{ text: "b" }])
    expect(told.map(({ input }) => input)).toEqual([{ text: "a" }, { text: "b" }])
    expect(hooks.map(({ outcome }) => outcome)).toEqual(["changed", "passed"])
    expect(report.calls).toMatchObject([{ ok: true, decision: { action: "allow" } }])
  })

  it("S3.28 cannot allow: what it changes the input to is decided anew, and validated anew", async () => {
    const denied = await callAmong({ pre: [says({ answer: { input: { text: "xyz" } } })] })
    expect(denied.seen).toEqual([])
    expect(denied.text).toMatch(
      /^A hook \(agent.toml:4\) changed the input. Denied: note was not run. No rule allows it/,
    )
    expect(denied.report.calls).toMatchObject([{ error_code: "denied", decision: { action: "deny", rule: "default" } }])
    const invalid = await callAmong({
      rules: [{ tool: "note", action: "allow" }],
      pre: [says({ answer: { input: {} } })],
    })
    expect(invalid.report.calls).toMatchObject([{ error_code: "invalid_input" }])
    const refused = await callAmong({ input: { text: "xyz" }, pre: [says({ answer: { input: { text: "a" } } })] })
    expect(refused.told).toEqual([])
    expect(refused.report.calls).toMatchObject([{ error_code: "denied" }])
  })

  it("S3.28 adds a note that the model reads behind the result", async () => {
    const { text, hooks } = await callAmong({ pre: [says({ answer: { note: "mind the gap" } })] })
    expect(text).toBe('{"text":"a"}\n[note of a hook] mind the gap')
    expect(hooks).toEqual([{ outcome: "passed", note: "mind the gap" }])
  })

  it.each<readonly [string, object, object, string]>([
    ["ends with an error", { exit: 3, stderr: "no licence" }, {}, "exit code 3: no licence"],
    ["never ends", { hang: true }, { timeout_sec: 0.3 }, "no answer within 300 ms (timeout_sec)"],
    ["prints without end", { flood: true }, {}, "it printed more than 1 MiB"],
    [
      "prints no JSON",
      { print: "fine by me" },
      {},
      "it must print nothing, or one JSON object with input, block or note",
    ],
    ["prints a key that is unknown", { answer: { allow: true } }, {}, "it must print nothing, or one JSON object"],
    ["prints an input that is no object", { answer: { input: "a" } }, {}, "it must print nothing, or one JSON object"],
    ["does not exist", {}, { command: ["/no/such/program"] }, "/no/such/program"],
  ])("S3.28 that %s blocks the call", async (_, orders, keys, why) => {
    const { seen, report, hooks } = await callAmong({ pre: [says(orders, keys)] })
    expect(seen).toEqual([])
    expect(report.calls).toMatchObject([{ error_code: "denied", decision: { rule: "hook pre_tool_use" } }])
    expect(hooks).toMatchObject([{ outcome: "blocked", reason: expect.stringContaining(`the hook failed: `) }])
    expect(hooks[0]?.reason).toContain(why)
  })

  it("S3.28 that does not read what it is told is no failure, however much that is", async () => {
    const { report } = await callAmong({
      pre: [says({ deaf: true })],
      input: { text: "a".repeat(3_000_000) },
      rules: [{ tool: "note", action: "allow" }],
    })
    expect(report.calls).toMatchObject([{ ok: true }])
  })

  it("T3 T16 sees the safe base of the environment and what its configuration names, and no more", async () => {
    const bare = await callAmong({ pre: [says({ environment: true })] })
    expect(bare.hooks[0]?.note).toContain("PATH")
    expect(bare.hooks[0]?.note).toContain("core.hooksPath")
    expect(bare.hooks[0]?.note).not.toContain("TOKEN_X")
    const named = await callAmong({ pre: [says({ environment: true }, { env_vars: ["TOKEN_X"] })] })
    expect(named.hooks[0]?.note).toContain("TOKEN_X")
    expect(JSON.stringify(named.events)).not.toContain("canary-123456")
  })

  it.each<readonly [object, string, object, number]>([
    [{ tool: "no*" }, "note", { text: "a" }, 1],
    [{ tool: "mcp__*" }, "note", { text: "a" }, 0],
    [{ args: { text: "b" } }, "note", { text: "a" }, 0],
    [{ args: { text: "{a,b}" } }, "note", { text: "a" }, 1],
    [{ tool: "Bash", commands: ["echo *"] }, "Bash", { command: "echo hello" }, 1],
    [{ tool: "Bash", commands: ["rm *"] }, "Bash", { command: "echo hello" }, 0],
    [{ tool: "Bash", commands: ["echo bye"] }, "Bash", { command: "echo hello && echo bye" }, 1],
    [{ tool: "Read", paths: ["docs/**"] }, "Read", { file_path: "docs/x/../a" }, 1],
    [{ tool: "Read", paths: ["docs/**"] }, "Read", { file_path: "src/a" }, 0],
  ])("S3.28 with %j is told of %s %j as a rule would match it", async (keys, tool, input, times) => {
    const { told } = await callAmong({ tool, input, pre: [says({}, keys)] })
    expect(told).toHaveLength(times)
  })
})

describe("a hook after a call", () => {
  it("S3.28 is told of the result and may add a note", async () => {
    const { told, text } = await callAmong({ post: [says({ answer: { note: "well done" } })] })
    const content = [{ type: "text", text: '{"text":"a"}' }]
    expect(told).toMatchObject([{ event: "post_tool_use", result: { ok: true, error_code: null, content } }])
    expect(text).toBe('{"text":"a"}\n[note of a hook] well done')
  })

  it.each([
    [{ answer: { block: "holds a key" } }, "holds a key"],
    [{ exit: 1 }, "the hook failed: exit code 1"],
    [{ answer: { input: {} } }, "the hook failed: it answered with an input, but the call has run"],
  ])("S3.28 that says %j withholds the result, which counts as failed", async (orders, why) => {
    const { text, report, seen } = await callAmong({ post: [says(orders)] })
    expect(seen).toHaveLength(1)
    expect(text).toBe(`The call ran, but its result is withheld by a hook (agent.toml:4): ${why}`)
    expect(report.calls).toMatchObject([{ ok: false, error_code: "tool_error", decision: { action: "allow" } }])
  })
})
