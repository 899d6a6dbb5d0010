import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import type { ScriptTurn } from "../../src/model/script-schema.ts"
import { allowing, fixture, it } from "../support/cli-test.ts"
import { answer, text, toolUse } from "../support/messages-server.ts"
import { expectValidEvents, expectValidReport } from "../support/run-events.ts"

const files = { "notes.md": "one\ntwo\nthree\n", "old.txt": "to be emptied\n" }
const edit = { tool: "Edit", input: { file_path: "notes.md", old_string: "two", new_string: "2" } }
const create = { tool: "Write", input: { file_path: "new/deep.txt", content: "fresh\n" } }
const remove = { tool: "Bash", input: { command: "rm old.txt" } }
const changing: readonly ScriptTurn[] = [{ calls: [edit, create, remove] }, { text: "Changed." }]
const config = { permissions: allowing("Edit", "Write", "Bash") }

describe("agent-run --task", () => {
  it.concurrent("C1 does the job in a shell script: the answer on stdout, people's lines on stderr, the cause in the exit code", async ({
    cli,
  }) => {
    const shell = `
      answer=$(agent-run "$@") || exit 9
      printf 'answer: <%s>\\n' "$answer"
      agent-run "$@" --max-turns 1 || printf 'exit code: %s\\n' "$?"
    `
    const script = [{ calls: [{ tool: "Read", input: { file_path: "notes.md" } }] }, { text: "Three lines." }]
    const run = await cli({ shell, files, script })
    expect([run.exitCode, run.stdout]).toEqual([0, "answer: <Three lines.>\nexit code: 4\n"])
    expect(run.stderr).toMatch(/call Read: allow, ok/)
    expect(run.stderr).toMatch(/completed \(exit 0\)/)
    expect(run.stderr).toMatch(/stopped \(exit 4\): max_turns/)
  })

  it.concurrent("is the same as agent-run run --task, and the task reaches the model as it was given", async ({
    cli,
    serve,
  }) => {
    const api = await serve([answer([text("Yes.")])])
    const task = 'Is "this" \\ the task?\n  \u2713 $HOME `x`'
    const run = await cli({ api, task, shell: 'exec agent-run run "$@"' })
    expect([run.exitCode, run.stdout]).toEqual([0, "Yes.\n"])
    expect(api.requests[0]?.body.messages).toMatchObject([{ role: "user", content: [{ type: "text", text: task }] }])
  })

  it.concurrent("--task-file reads a file, and - reads stdin to its end", async ({ cli, serve }) => {
    const api = await serve(() => answer([text("Yes.")]))
    const fromFile = await cli({
      api,
      task: null,
      args: ["--task-file", "task.md"],
      files: { "task.md": "From a file." },
    })
    const fromStdin = await cli({ api, task: null, args: ["--task-file", "-"], stdin: { text: "From stdin." } })
    expect([fromFile.exitCode, fromStdin.exitCode]).toEqual([0, 0])
    const tasks = api.requests.map((request) => request.body.messages[0]?.content[0]?.text)
    expect(tasks).toEqual(["From a file.", "From stdin."])
  })

  it.concurrent.for([
    ["open and silent", { stdin: "open" }],
    ["at its end", { stdin: "none" }],
    ["closed", { shell: 'exec agent-run "$@" <&-' }],
    ["full of text nobody asked for", { stdin: { text: "y\n".repeat(100_000) } }],
  ] as const)("C10 nothing is asked when stdin is %s", async ([, stdin], { cli }) => {
    const script = [
      { calls: [{ tool: "Bash", input: { command: 'read line; echo "read: <$line>"' } }] },
      { text: "Done." },
    ]
    const run = await cli({ ...stdin, script, config })
    expect([run.exitCode, run.stdout]).toEqual([0, "Done.\n"])
    const results = run.events.flatMap((event) => (event.type === "tool.result" ? event.content : []))
    expect(results).toEqual([{ type: "text", text: "read: <>" }])
  })
})

describe("--output", () => {
  const script = [{ calls: [{ tool: "Read", input: { file_path: "notes.md" } }] }, { text: "Three\nlines." }]

  it.concurrent("C3 json: stdout is the report and nothing else", async ({ cli }) => {
    const run = await cli({ args: ["--output", "json"], files, script })
    const printed = JSON.parse(run.stdout)
    expectValidReport(printed)
    expect(printed).toEqual(run.report)
    expect(printed).toMatchObject({ status: "completed", exit_code: 0, answer: "Three\nlines.", turns: 2 })
  })

  it.concurrent("C4 jsonl: stdout is the transcript, line by line", async ({ cli }) => {
    const run = await cli({ args: ["--output", "jsonl"], files, script })
    const printed = run.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    expectValidEvents(printed)
    expect(printed).toEqual(run.events)
    expect(printed.map((event) => event.type)).toEqual([
      ...["run.start", "message", "turn.start", "message", "tool.call", "tool.result"],
      ...["turn.start", "message", "run.end"],
    ])
  })

  it.concurrent("S4.18 progress is on stderr alone, whatever stdout carries, and -q leaves only the trouble", async ({
    cli,
  }) => {
    const servers = { mcp_servers: { good: fixture(), bad: { command: "no-such-command" } } }
    const usual = await cli({ config: servers, files, script })
    const quiet = await cli({ config: servers, files, script, args: ["-q"] })
    expect([usual.stdout, quiet.stdout]).toEqual(["Three\nlines.\n", "Three\nlines.\n"])
    expect(usual.stderr).toMatch(/server good: connected, 1 tool/)
    expect(usual.stderr).toMatch(/server bad: failed: .*no-such-command/)
    expect(quiet.stderr).not.toMatch(/server good/)
    expect(quiet.stderr).toMatch(/server bad: failed: .*no-such-command/)
    expect(`${usual.stderr}${quiet.stderr}`).not.toContain("\u001b")
  })

  it.concurrent("C3 json also when the run fails", async ({ cli }) => {
    const run = await cli({ args: ["--output", "json"], config: "agent = 1\n" })
    expect([run.exitCode, JSON.parse(run.stdout)]).toEqual([2, run.report])
  })
})

describe("the files of a run", () => {
  it.concurrent("C3 C4 T22 --out-dir leaves report, transcript, summary and patch, for the owner's eyes only", async ({
    start,
  }) => {
    const running = start({ files, config, script: changing })
    await running.ended
    const modes = readdirSync(running.outDir).map((name) => [name, statSync(join(running.outDir, name)).mode & 0o777])
    expect(Object.fromEntries(modes)).toEqual({
      "report.json": 0o600,
      "transcript.jsonl": 0o600,
      "summary.md": 0o600,
      "junit.xml": 0o600,
      "report.html": 0o600,
      "results.sarif": 0o600,
      "changes.patch": 0o600,
    })
    expect(readFileSync(join(running.outDir, "summary.md"), "utf8")).toContain("Changed.")
  })

  it.concurrent("C3 C4 single files go where they are asked for, in folders that are made", async ({ start }) => {
    const args = ["--report", "made/r.json", "--transcript", "made/t.jsonl", "--summary", "made/deep/s.md"]
    const running = start({ args, script: [{ text: "Hello." }], outDir: false })
    const run = await running.ended
    const made = (name: string) => readFileSync(join(running.workspace, "made", name), "utf8")
    expect(run.exitCode).toBe(0)
    const report = JSON.parse(made("r.json"))
    expectValidReport(report)
    expectValidEvents(
      made("t.jsonl")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    )
    expect([report.answer, report.files_changed]).toEqual(["Hello.", []])
    expect(made("deep/s.md")).toContain("Hello.")
  })

  it.concurrent("files_changed counts what changed, and changes.patch makes the same changes again", async ({
    start,
    folder,
  }) => {
    const running = start({ files, config, script: changing })
    const run = await running.ended
    expect(run.exitCode).toBe(0)
    expect(run.report?.files_changed).toEqual([
      { path: "new/deep.txt", added: 1, removed: 0 },
      { path: "notes.md", added: 1, removed: 1 },
      { path: "old.txt", added: 0, removed: 1 },
    ])
    const copy = start({ files, script: [{ text: "Nothing to do." }] })
    await copy.ended
    execFileSync("git", ["apply", join(running.outDir, "changes.patch")], {
      cwd: copy.workspace,
      env: { PATH: process.env.PATH ?? "", HOME: folder },
    })
    execFileSync("rm", [join(running.workspace, "agent.toml")])
    execFileSync("diff", ["-r", running.workspace, copy.workspace])
  })

  it.concurrent("a file that was changed before the run is not a change of the run", async ({ start, serve }) => {
    const api = await serve([
      answer([toolUse("Write", { file_path: "mine.txt", content: "mine\n" })]),
      answer([text("Done.")]),
    ])
    const git =
      "git init -q . && git add . && git -c user.name=t -c user.email=t@t commit -qm one && echo dirty >> notes.md"
    const running = start({ api, config, files, shell: `${git} && exec agent-run "$@"` })
    const run = await running.ended
    expect(run.report?.files_changed).toEqual([{ path: "mine.txt", added: 1, removed: 0 }])
    const status = execFileSync("git", ["status", "--porcelain"], { cwd: running.workspace, encoding: "utf8" })
    expect(status).toBe(" M notes.md\n?? mine.txt\n")
  })
})
