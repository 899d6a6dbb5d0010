import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { planSchema } from "../../src/contract/plan.ts"
import { sealOf } from "../../src/util/seal.ts"
import { callsIn } from "../support/calls-file.ts"
import { fixture, it } from "../support/cli-test.ts"
import { type CliOptions, textOf } from "../support/run-cli.ts"

const config = (callsFile: string) => ({
  mcp_servers: { notes: fixture(["--named", "get_note,save_note,drop_note", "--calls-file", callsFile]) },
  permissions: {
    rules: [
      { tool: "mcp__notes__*", action: "allow" },
      { tool: "mcp__notes__save_note", action: "ask" },
      { tool: "mcp__notes__drop_note", action: "deny", args: { id: "*" } },
      { tool: "{Write,Edit}", action: "allow" },
      { tool: "Bash", action: "allow", commands: ["git status", "touch *", "echo *"] },
    ],
  },
})
const files = { "a.txt": "one\ntwo\nthree\n" }
const edit = (from: string, to: string) => ({
  tool: "Edit",
  input: { file_path: "a.txt", old_string: from, new_string: to },
})
const script: CliOptions["script"] = [
  {
    text: "First I look.",
    calls: [
      { tool: "mcp__notes__get_note", input: { id: "1" } },
      { tool: "Read", input: { file_path: "a.txt" } },
      { tool: "Bash", input: { command: "echo looked" } },
    ],
  },
  {
    text: "The second line has to change.",
    calls: [
      edit("two", "2"),
      edit("2\n", "zwei\n"),
      edit("gone", "x"),
      { tool: "mcp__notes__save_note", input: { id: "7" } },
    ],
    expect: { last_result_contains: "looked" },
  },
  {
    text: "And a new file.",
    calls: [
      { tool: "Write", input: { file_path: "b/new.txt", content: "new\n" } },
      { tool: "Bash", input: { command: "touch done.txt" } },
      { tool: "mcp__notes__drop_note", input: { id: "7" } },
    ],
    expect: { last_result_contains: "Queued as P3" },
  },
  { text: "P1 and P2 change the line, P3 saves, P4 and P5 add files." },
]

describe("plan and apply", { timeout: 120_000 }, () => {
  it("S0.32 S1.11 a plan runs reads and queues writes; another process applies it in order", async ({
    folder,
    cli,
    start,
  }) => {
    const callsFile = join(folder, "calls.jsonl")
    const plan = join(folder, "plan.json")
    const planning = start({ config: config(callsFile), files, script, args: ["--plan", plan] })
    const planned = await planning.ended
    expect(planned.exitCode, planned.stderr).toBe(0)
    expect(planned.report?.calls.map(({ tool, ok, error_code }) => [tool, ok, error_code])).toEqual([
      ["mcp__notes__get_note", true, null],
      ["Read", true, null],
      ["Bash", true, null],
      ["Edit", true, null],
      ["Edit", true, null],
      ["Edit", false, "tool_error"],
      ["mcp__notes__save_note", true, null],
      ["Write", true, null],
      ["Bash", true, null],
      ["mcp__notes__drop_note", false, "denied"],
    ])
    expect(planned.report?.files_changed).toEqual([])
    expect(callsIn(callsFile)).toEqual(["get_note"])
    expect(textOf(join(planning.workspace, "a.txt"))).toBe(files["a.txt"])

    const written = planSchema.parse(JSON.parse(textOf(plan)))
    expect(written.calls).toEqual(planned.report?.plan)
    expect(written.calls).toMatchObject([
      { id: "P1", tool: "Edit", reason: "The second line has to change.", edit: { path: "a.txt" } },
      { id: "P2", tool: "Edit", edit: { diff: expect.stringContaining("-2\n+zwei\n") } },
      {
        id: "P3",
        tool: "mcp__notes__save_note",
        server: "notes",
        input: { id: "7" },
        decision: { action: "ask" },
        edit: null,
      },
      { id: "P4", tool: "Write", reason: "And a new file.", edit: { path: "b/new.txt", before: null } },
      { id: "P5", tool: "Bash", edit: null },
    ])
    expect(written.calls[0]?.edit?.diff).toBe("--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n")
    const summary = textOf(join(planning.outDir, "summary.md"))
    expect(summary).toContain('| P3 | `mcp__notes__save_note` | `{"id":"7"}` | ask:')
    expect(summary).toContain("| P1 | `Edit` | `a.txt` +1 −1 |")

    const applying = start({ config: config(callsFile), files, task: null, args: ["apply", plan] })
    const applied = await applying.ended
    expect(applied.exitCode, applied.stderr).toBe(0)
    expect(applied.stdout).toBe("Applied P1 Edit, P2 Edit, P3 mcp__notes__save_note, P4 Write, P5 Bash.\n")
    expect(applied.report?.calls.map(({ id, ok }) => [id, ok])).toEqual(
      ["P1", "P2", "P3", "P4", "P5"].map((id) => [id, true]),
    )
    expect(applied.report?.files_changed.map(({ path }) => path)).toEqual(["a.txt", "b/new.txt", "done.txt"])
    expect(callsIn(callsFile)).toEqual(["get_note", "save_note"])
    expect(textOf(join(applying.workspace, "a.txt"))).toBe("one\nzwei\nthree\n")

    const some = await cli({ config: config(callsFile), files, task: null, args: ["apply", plan, "--only", "P4,P5"] })
    expect(some.report?.calls.map(({ id }) => id)).toEqual(["P4", "P5"])
    expect(some.report?.servers).toEqual([])
  })

  it("a plan that was changed, is stale, or was made with another configuration is refused", async ({
    folder,
    cli,
  }) => {
    const callsFile = join(folder, "calls.jsonl")
    const plan = join(folder, "plan.json")
    const apply = (more: CliOptions = {}) =>
      cli({ config: config(callsFile), files, task: null, args: ["apply", plan], ...more })
    const made = await cli({ config: config(callsFile), files, script, args: ["--plan", plan] })
    expect(made.exitCode, made.stderr).toBe(0)
    const original = readFileSync(plan, "utf8")

    const stale = await apply({ files: { "a.txt": "one\ntwo\nthree\nfour\n" } })
    expect(stale).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("a.txt has changed since") })
    const other = await apply({ config: { ...config(callsFile), permissions: { rules: [] } } })
    expect(other).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("made with another configuration") })

    writeFileSync(plan, original.replace("touch done.txt", "touch evil.txt"))
    const tampered = await apply()
    expect([tampered.exitCode, tampered.report?.reason?.code]).toEqual([2, "plan_refused"])
    expect(callsIn(callsFile)).toEqual(["get_note"])
  })

  it("a key seals a plan against forgery, and secrets are put back from their variables", async ({ folder, cli }) => {
    const callsFile = join(folder, "calls.jsonl")
    const plan = join(folder, "plan.json")
    const secret = "canary-secret-value"
    const env = { AGENT_RUN_PLAN_KEY: "a key for plans", DEPLOY_TOKEN: secret }
    const use = (token: string) => ({
      tool: "mcp__notes__save_note",
      input: { text: `token=${token}; [redacted:OTHER_TOKEN]` },
    })
    const made = await cli({
      config: config(callsFile),
      env,
      script: [
        { calls: [use(secret), use(Buffer.from(secret).toString("base64"))] },
        { text: "Planned.", expect: { last_result_contains: "Not queued" } },
      ],
      args: ["--plan", plan],
    })
    expect(made.exitCode, made.stderr).toBe(0)
    expect(textOf(plan)).not.toContain(secret)
    expect(JSON.parse(textOf(plan))).toMatchObject({
      digest: expect.stringMatching(/^hmac-sha256:/),
      calls: [
        {
          id: "P1",
          input: { text: "token=[redacted:DEPLOY_TOKEN]; [redacted:OTHER_TOKEN]" },
          refill: ["DEPLOY_TOKEN"],
        },
      ],
    })

    const apply = (variables: Record<string, string>) =>
      cli({ config: config(callsFile), env: variables, task: null, args: ["apply", plan] })
    expect(await apply({ DEPLOY_TOKEN: secret })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("AGENT_RUN_PLAN_KEY is not set"),
    })
    const { DEPLOY_TOKEN: _, ...withoutToken } = env
    const missing = await apply(withoutToken)
    expect([missing.exitCode, missing.report?.reason?.code]).toEqual([2, "unset_variable"])
    expect(callsIn(callsFile)).toEqual([])

    const applied = await apply({ ...env, OTHER_TOKEN: "another secret value" })
    expect(applied.exitCode, applied.stderr).toBe(0)
    expect(textOf(callsFile)).toContain(`token=${secret}; [redacted:OTHER_TOKEN]`)
    expect(textOf(callsFile)).not.toContain("another secret value")
  })

  it("apply stops at the first failure with exit code 8, goes on with --keep-going, and runs nothing when a call is denied", async ({
    folder,
    cli,
  }) => {
    const plan = join(folder, "plan.json")
    const rules = (deny: readonly string[]) => ({
      permissions: {
        rules: [
          { tool: "Bash", action: "allow", broad: true },
          { tool: "Write", action: "allow" },
          ...deny.map((path) => ({ tool: "Write", action: "deny", paths: [path] })),
        ],
      },
    })
    const calls = [
      { tool: "Bash", input: { command: "touch first && mkdir later" } },
      { tool: "Bash", input: { command: "exit 3" } },
      { tool: "Write", input: { file_path: "last", content: "" } },
    ]
    const made = await cli({ config: rules([]), script: [{ calls }, { text: "Planned." }], args: ["--plan", plan] })
    expect(made.exitCode, made.stderr).toBe(0)

    const stopped = await cli({ config: rules([]), task: null, args: ["apply", plan] })
    expect(stopped.report).toMatchObject({
      exit_code: 8,
      reason: {
        code: "plan_call_failed",
        message: expect.stringMatching(/^P2 \(Bash\) failed: .*; not run: P3 Write$/),
      },
      calls: [
        { id: "P1", ok: true },
        { id: "P2", ok: false },
      ],
    })
    const kept = await cli({ config: rules([]), task: null, args: ["apply", plan, "--keep-going"] })
    expect(kept.report).toMatchObject({ exit_code: 8, calls: [{ ok: true }, { ok: false }, { id: "P3", ok: true }] })

    const forged = JSON.parse(textOf(plan).replaceAll('"last"', '"secret/file"'))
    const { digest: _, ...unsealed } = forged
    const guarded = await cli({ config: rules(["secret/**"]), script: [{ text: "Nothing." }], args: ["--plan", plan] })
    unsealed.config_digest = JSON.parse(textOf(plan)).config_digest
    writeFileSync(plan, JSON.stringify({ ...unsealed, digest: sealOf(JSON.stringify(unsealed), undefined) }))
    expect(guarded.exitCode).toBe(0)
    const denied = await cli({ config: rules(["secret/**"]), task: null, args: ["apply", plan, "--keep-going"] })
    expect(denied.report).toMatchObject({
      exit_code: 7,
      reason: { code: "call_denied" },
      calls: [{ id: "P3", ok: false }],
    })
    expect(denied.report?.files_changed).toEqual([])
  })
})
