import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { answering, batchFolder, failing, tasksFile, waiting } from "../support/batch-cli.ts"
import { until } from "../support/run-cli.ts"

const scripts = { "good.toml": answering("Done."), "bad.toml": failing, "slow.toml": waiting }
const batch = ["batch", "tasks.toml", "--out-dir", "out", "--bare"]

describe("a batch", () => {
  it("runs every task, writes a report for each and one for all, and says how far it is", async () => {
    const folder = batchFolder({
      ...scripts,
      "tasks.toml": tasksFile({ a: "good.toml", b: "good.toml", c: "good.toml" }),
    })
    const { exitCode, stdout, stderr } = await folder.run([...batch, "--output", "json"])
    const report = folder.report("out")
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toEqual(report)
    expect(report).toMatchObject({ status: "completed", exit_code: 0, reason: null, cost_usd: 0.75, not_run: [] })
    expect(report.usage).toMatchObject({ input_tokens: 30, output_tokens: 15 })
    expect(report.tasks.map(({ id, position, report: path }) => [id, position, path])).toEqual([
      ["a", 1, "tasks/a/report.json"],
      ["b", 2, "tasks/b/report.json"],
      ["c", 3, "tasks/c/report.json"],
    ])
    for (const id of ["a", "b", "c"]) {
      expect(folder.taskReport("out", id)).toMatchObject({ exit_code: 0, answer: "Done." })
      expect(existsSync(join(folder.path, "out/tasks", id, "transcript.jsonl"))).toBe(true)
    }
    expect(stderr).toMatch(
      /^batch: 3 tasks, 4 at a time\n\[1\/3, \$0\.2500, about .* left\] \w: completed, \$0\.2500, /,
    )
    expect(stderr).toContain("batch completed (exit 0)")
    expect(readFileSync(join(folder.path, "out/summary.md"), "utf8")).toContain("3 tasks: 3 completed")
    expect(readFileSync(join(folder.path, "out/junit.xml"), "utf8")).toContain('tests="3" failures="0"')
    expect(readFileSync(join(folder.path, "out/report.html"), "utf8")).toContain('href="./tasks/b/report.html"')
  })

  it("goes on after a failed task, and ends with 8 and the name of it", async () => {
    const folder = batchFolder({ ...scripts, "tasks.toml": tasksFile({ a: "bad.toml", b: "good.toml" }) })
    const { exitCode, stdout } = await folder.run([...batch, "--concurrency", "1"])
    expect(exitCode).toBe(8)
    expect(folder.report("out")).toMatchObject({
      status: "failed",
      reason: { code: "batch_failed", message: "1 of 2 tasks did not complete: a (model_refused)" },
      tasks: [
        { id: "a", status: "failed", exit_code: 6 },
        { id: "b", status: "completed" },
      ],
    })
    expect(stdout).toMatch(/^TASK +STATUS +EXIT .*\na +failed +6 +model_refused /)
  })

  it("reads JSONL, files for tasks, inputs and workspaces, all relative to the file", async () => {
    const script = { turns: [{ expect: { messages: [] }, text: "unused" }] }
    const line = {
      id: "one",
      task_file: "task.md",
      inputs: ["issue.txt"],
      workspace: "tree",
      overrides: { script: "echo.toml" },
    }
    const folder = batchFolder({
      "lists/tasks.jsonl": `${JSON.stringify(line)}\n\n`,
      "lists/task.md": "Say what the issue says.",
      "lists/issue.txt": "It is broken.",
      "lists/tree/notes.txt": "inside",
      "lists/echo.toml": {
        turns: [{ calls: [{ tool: "Read", input: { file_path: "notes.txt" } }] }, { text: "Read it." }],
      },
      "unused.toml": script,
    })
    const { exitCode } = await folder.run(["batch", "lists/tasks.jsonl", "--out-dir", "out", "--bare"])
    expect(exitCode).toBe(0)
    const report = folder.taskReport("out", "one")
    expect(report).toMatchObject({ answer: "Read it.", run: { workspace: join(folder.path, "lists/tree") } })
    const transcript = readFileSync(join(folder.path, "out/tasks/one/transcript.jsonl"), "utf8")
    expect(transcript).toContain("Say what the issue says.")
    expect(transcript).toContain("It is broken.")
  })

  it("overrides configuration keys for one task alone", async () => {
    const calls = { turns: [{ calls: [{ tool: "Glob", input: { pattern: "*" } }] }, { text: "Done." }] }
    const limited = { id: "limited", task: "x", overrides: { script: "calls.toml", agent: { max_turns: 1 } } }
    const free = { id: "free", task: "x", overrides: { script: "calls.toml" } }
    const folder = batchFolder({ "calls.toml": calls, "tasks.toml": { tasks: [limited, free] } })
    await folder.run(batch)
    expect(folder.report("out").tasks.map(({ exit_code, reason }) => [exit_code, reason?.code])).toEqual([
      [4, "max_turns"],
      [0, undefined],
    ])
  })

  it("keeps its outputs out of the reach of tasks, and out of what they changed", async () => {
    const calls = [
      { tool: "Write", input: { file_path: "new.txt", content: "x" } },
      { tool: "Read", input: { file_path: "out/tasks/b/report.json" } },
    ]
    const folder = batchFolder({
      "good.toml": answering("Done."),
      "calls.toml": { turns: [{ calls }, { text: "Done." }] },
      "tasks.toml": tasksFile({ b: "good.toml", a: "calls.toml" }),
    })
    await folder.run([...batch, "--concurrency", "1", "--allow", "Write"])
    const { calls: made, files_changed: changed } = folder.taskReport("out", "a")
    expect(made.map(({ ok }) => ok)).toEqual([true, false])
    expect(changed.map(({ path }) => path)).toEqual(["new.txt"])
  })
})

describe("a batch that is started again", () => {
  it("runs what failed, and nothing that completed, unless it is forced or the task is another", async () => {
    const tasks = { a: "good.toml", b: "bad.toml" }
    const folder = batchFolder({ ...scripts, "tasks.toml": tasksFile(tasks) })
    const runIds = () => ["a", "b"].map((id) => folder.taskReport("out", id).run.id)
    await folder.run(batch)
    const [a1, b1] = runIds()
    await folder.run(batch)
    const [a2, b2] = runIds()
    expect(a2).toBe(a1)
    expect(b2).not.toBe(b1)
    expect(folder.report("out").tasks.map(({ reused }) => reused)).toEqual([true, false])

    await folder.run([...batch, "--keep-failed"])
    expect(runIds()).toEqual([a2, b2])
    writeFileSync(join(folder.path, "bad.toml"), readFileSync(join(folder.path, "good.toml")))
    expect((await folder.run([...batch, "--keep-failed"])).exitCode).toBe(0)
    const [a3, b3] = runIds()
    expect([a3 === a2, b3 === b2]).toEqual([true, false])

    await folder.run([...batch, "--set", "agent.max_turns=9"])
    expect(runIds()).toEqual([a3, b3])
    await folder.run([...batch, "--set", "agent.model=claude-opus-5-5"])
    const [a4] = runIds()
    expect(a4).not.toBe(a3)
    await folder.run([...batch, "--set", "agent.model=claude-opus-5-5", "--force"])
    expect(runIds()[0]).not.toBe(a4)
  })

  it("counts what was spent before in the cost limit", async () => {
    const folder = batchFolder({
      ...scripts,
      "tasks.toml": tasksFile({ a: "good.toml", b: "good.toml", c: "good.toml" }),
    })
    const limited = [...batch, "--concurrency", "1", "--max-cost-usd", "0.5"]
    expect((await folder.run(limited)).exitCode).toBe(4)
    expect(folder.report("out")).toMatchObject({
      status: "stopped",
      reason: { code: "max_cost", message: "limit of the batch reached: max_cost_usd = 0.5 (used 0.5)" },
      cost_usd: 0.5,
      not_run: [{ id: "c", position: 3 }],
    })
    expect((await folder.run(limited)).exitCode).toBe(4)
    expect((await folder.run([...batch, "--max-cost-usd", "1"])).exitCode).toBe(0)
    expect(folder.report("out")).toMatchObject({ cost_usd: 0.75, not_run: [] })
  })
})

describe("a batch ends early", () => {
  it("at its time limit with 4: running tasks have a report, the others were not begun", async () => {
    const folder = batchFolder({ ...scripts, "tasks.toml": tasksFile({ a: "slow.toml", b: "good.toml" }) })
    const { exitCode } = await folder.run([...batch, "--concurrency", "1", "--timeout", "1s"])
    expect(exitCode).toBe(4)
    expect(folder.report("out")).toMatchObject({
      reason: { code: "timeout" },
      tasks: [{ id: "a", status: "stopped", reason: { code: "timeout" } }],
      not_run: [{ id: "b" }],
    })
    expect(readFileSync(join(folder.path, "out/junit.xml"), "utf8")).toContain('skipped="1"')
  })

  it("with --fail-fast after the first failure with 8, also from the head of the file", async () => {
    const tasks = { slow: "slow.toml", bad: "bad.toml", later: "good.toml" }
    const folder = batchFolder({ ...scripts, "tasks.toml": tasksFile(tasks, { fail_fast: true, concurrency: 2 }) })
    expect((await folder.run(batch)).exitCode).toBe(8)
    expect(folder.report("out")).toMatchObject({
      reason: { code: "batch_failed" },
      tasks: [
        { id: "slow", status: "stopped", reason: { code: "max_failures" } },
        { id: "bad", status: "failed" },
      ],
      not_run: [{ id: "later" }],
    })
  })

  it("when more tasks failed than may, with 4", async () => {
    const tasks = { a: "bad.toml", b: "bad.toml", c: "good.toml" }
    const folder = batchFolder({ ...scripts, "tasks.toml": tasksFile(tasks) })
    expect((await folder.run([...batch, "--concurrency", "1", "--max-failures", "1"])).exitCode).toBe(4)
    expect(folder.report("out")).toMatchObject({ reason: { code: "max_failures" }, not_run: [{ id: "c" }] })
  })

  it.each([
    ["SIGINT", 130, "interrupted"],
    ["SIGTERM", 143, "terminated"],
  ] as const)(
    "at %s with %i: every running task has its report, and the batch has one",
    async (signal, code, reason) => {
      const tasks = { a: "slow.toml", b: "slow.toml", c: "good.toml" }
      const folder = batchFolder({ ...scripts, "tasks.toml": tasksFile(tasks) })
      const running = folder.start([...batch, "--concurrency", "2"])
      const begun = (id: string) => existsSync(join(folder.path, "out/tasks", id, "transcript.jsonl"))
      await until(() => begun("a") && begun("b"), "two tasks are running")
      running.kill(signal)
      expect((await running.ended).exitCode).toBe(code)
      expect(folder.report("out")).toMatchObject({
        status: "stopped",
        exit_code: code,
        reason: { code: reason },
        tasks: [
          { id: "a", status: "stopped" },
          { id: "b", status: "stopped" },
        ],
        not_run: [{ id: "c" }],
      })
      expect(folder.reported("out")).toEqual(["a", "b"])
    },
  )
})
