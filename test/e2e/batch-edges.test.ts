import { describe, expect, it } from "vitest"
import { answering, batchFolder, tasksFile } from "../support/batch-cli.ts"

const batch = ["batch", "tasks.toml", "--out-dir", "out", "--bare"]
const three = tasksFile({ a: "good.toml", b: "good.toml", c: "good.toml" })

describe("the limits of a batch", () => {
  it("leave it completed when the last answer reaches them, and when everything was finished before", async () => {
    const folder = batchFolder({ "good.toml": answering("Done."), "tasks.toml": three })
    const exact = [...batch, "--concurrency", "1", "--max-cost-usd", "0.75"]
    for (const reused of [false, true]) {
      const { exitCode, stderr } = await folder.run(exact)
      expect(exitCode, stderr).toBe(0)
      expect(folder.report("out").tasks.map((task) => task.reused)).toEqual([reused, reused, reused])
    }
  })

  it("hide no result of an earlier start, and let nothing begin that finished tasks leave no room for", async () => {
    const folder = batchFolder({ "good.toml": answering("Done."), "tasks.toml": three })
    await folder.run(batch)
    folder.write("other.toml", "[[turns]]\ntext = 'Other.'\ncost_usd = 0.25\n")
    const tasks = { ...tasksFile({ a: "other.toml", b: "good.toml", c: "good.toml" }) }
    folder.write(
      "tasks.jsonl",
      "tasks" in tasks && Array.isArray(tasks.tasks) ? tasks.tasks.map(toLine).join("\n") : "",
    )
    const again = ["batch", "tasks.jsonl", "--out-dir", "out", "--bare", "--concurrency", "1"]
    expect((await folder.run([...again, "--max-cost-usd", "0.5"])).exitCode).toBe(4)
    const { tasks: rows, not_run: notRun } = folder.report("out")
    expect(rows.map(({ id, reused }) => [id, reused])).toEqual([
      ["b", true],
      ["c", true],
    ])
    expect(notRun).toEqual([{ id: "a", position: 1 }])
  })

  it("may be longer than a timer can wait", async () => {
    const folder = batchFolder({ "good.toml": answering("Done."), "tasks.toml": three })
    const { exitCode, stderr } = await folder.run([...batch, "--timeout", "700h"])
    expect(exitCode, stderr).toBe(0)
    expect(stderr).not.toContain("Warning")
  })
})

describe("a batch that is started again", () => {
  it("runs a task that is about another workspace now", async () => {
    const entry = { id: "a", task: "Do it.", workspace: "one", overrides: { script: "good.toml" } }
    const folder = batchFolder({
      "good.toml": answering("Done."),
      "one/x": "",
      "two/x": "",
      "tasks.jsonl": toLine(entry),
    })
    const lines = ["batch", "tasks.jsonl", "--out-dir", "out", "--bare"]
    await folder.run(lines)
    await folder.run(lines)
    expect(folder.report("out").tasks).toMatchObject([{ reused: true }])
    folder.write("tasks.jsonl", toLine({ ...entry, workspace: "two" }))
    await folder.run(lines)
    expect(folder.report("out").tasks).toMatchObject([{ reused: false }])
  })
})

describe("mistakes before a batch", () => {
  it("are named all at once, each with its line", async () => {
    const missing = [
      { id: "a", task_file: "no.md" },
      { id: "b", task: "x", inputs: ["no.txt"] },
      { id: "c", task: "x", workspace: "nowhere" },
    ]
    const folder = batchFolder({ "good.toml": answering("Done."), "tasks.jsonl": missing.map(toLine).join("\n") })
    const { exitCode, stderr } = await folder.run(["batch", "tasks.jsonl", "--script", "good.toml", "--out-dir", "out"])
    expect(exitCode).toBe(2)
    for (const [line, id] of ["a", "b", "c"].entries()) expect(stderr).toContain(`tasks.jsonl:${line + 1} task ${id}: `)
  })

  it("include rules that cannot be read, and options: the report is never that of an earlier start", async () => {
    const folder = batchFolder({ "good.toml": answering("Done."), "tasks.toml": three })
    for (const wrong of [
      ["--allow", "Bash(true)"],
      ["--shard", "3/2"],
      ["--concurrency", "0"],
    ]) {
      expect((await folder.run(batch)).exitCode).toBe(0)
      expect((await folder.run([...batch, ...wrong])).exitCode).toBe(2)
      expect(folder.report("out")).toMatchObject({ exit_code: 2, status: "failed", tasks: [] })
    }
  })
})

function toLine(value: object): string {
  return JSON.stringify(value)
}
