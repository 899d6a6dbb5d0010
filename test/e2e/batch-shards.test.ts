import { describe, expect, it } from "vitest"
import { answering, batchFolder, failing, tasksFile } from "../support/batch-cli.ts"
import { essenceOf, soak } from "../support/batch-soak.ts"
import { seed } from "../support/seed.ts"

describe("a batch over several processes", () => {
  it(`loses and repeats nothing when a worker is killed and started again (seed ${seed})`, async () => {
    const { merged, single, killedAt } = await soak({ tasks: 24, workers: 4, kills: 1, seed })
    expect(killedAt).toHaveLength(1)
    expect(essenceOf(merged)).toEqual(essenceOf(single))
  }, 90_000)

  it("takes its shard from the variables of the CI system, and balances by an earlier report", async () => {
    const tasks = { a: "good.toml", b: "good.toml", c: "good.toml", d: "bad.toml" }
    const folder = batchFolder({ "good.toml": answering("Done."), "bad.toml": failing, "tasks.toml": tasksFile(tasks) })
    await folder.run(["batch", "tasks.toml", "--bare", "--out-dir", "before"])
    for (const index of ["1", "2"]) {
      const env = { CI_NODE_INDEX: index, CI_NODE_TOTAL: "2" }
      const more = ["--shard", "auto", "--durations", "before/report.json", "--out-dir", `out/${index}`]
      await folder.run(["batch", "tasks.toml", "--bare", ...more], env)
      expect(folder.report(`out/${index}`).batch.shard).toEqual({ index: Number(index), total: 2 })
    }
    const { exitCode, stdout } = await folder.run([
      "merge",
      "out/2/report.json",
      "out/1",
      "--output",
      "json",
      "--out-dir",
      "all",
    ])
    const merged = folder.report("all")
    expect(exitCode).toBe(8)
    expect(JSON.parse(stdout)).toEqual(merged)
    expect(essenceOf(merged)).toEqual(essenceOf(folder.report("before")))
    expect(merged.tasks.map(({ report }) => report.replace(/\/\d\//, "/N/"))).toEqual(
      ["a", "b", "c", "d"].map((id) => `../out/N/tasks/${id}/report.json`),
    )
  })

  it("names a missing shard, and its tasks when the list is given", async () => {
    const tasks = { a: "good.toml", b: "good.toml", c: "good.toml" }
    const folder = batchFolder({ "good.toml": answering("Done."), "tasks.toml": tasksFile(tasks) })
    await folder.run(["batch", "tasks.toml", "--bare", "--shard", "1/2", "--out-dir", "out/1"])
    const { exitCode, stderr } = await folder.run(["merge", "out", "--tasks", "tasks.toml"])
    expect(exitCode).toBe(8)
    expect(folder.report("agent-run-merged")).toMatchObject({ reason: { code: "merge_incomplete" } })
    expect(stderr).toMatch(/shard 2\/2 is missing\n {2}task \w has no result/)
  })

  it("refuses a shard that does not exist, and a merge of what is no batch", async () => {
    const folder = batchFolder({
      "good.toml": answering("Done."),
      "tasks.toml": tasksFile({ a: "good.toml" }),
      "empty/x": "",
    })
    const shard = await folder.run(["batch", "tasks.toml", "--shard", "3/2"])
    expect([shard.exitCode, shard.stderr]).toEqual([2, expect.stringContaining("there is no shard 3 of 2")])
    const nothing = await folder.run(["merge", "empty"])
    expect([nothing.exitCode, nothing.stderr]).toEqual([
      2,
      expect.stringContaining("there is no report of a batch in it"),
    ])
    const other = await folder.run(["merge", "good.toml"])
    expect([other.exitCode, other.stderr]).toEqual([2, expect.stringContaining("good.toml: is no report of a batch")])
  })

  it("is green where a shard has nothing to do", async () => {
    const folder = batchFolder({ "good.toml": answering("Done."), "tasks.toml": tasksFile({ a: "good.toml" }) })
    const codes = await Promise.all(
      ["1/2", "2/2"].map(
        (shard) => folder.start(["batch", "tasks.toml", "--bare", "--shard", shard, "--out-dir", shard]).ended,
      ),
    )
    expect(codes.map(({ exitCode }) => exitCode)).toEqual([0, 0])
  })
})

describe("a merge", () => {
  it("can be made again into the folder it reads, and takes a report once however it is named", async () => {
    const folder = batchFolder({
      "good.toml": answering("Done."),
      "tasks.toml": tasksFile({ a: "good.toml", b: "good.toml", c: "good.toml" }),
    })
    for (const shard of ["1/2", "2/2"]) {
      await folder.run(["batch", "tasks.toml", "--bare", "--shard", shard, "--out-dir", `shards/${shard}`])
    }
    for (const paths of [["shards"], ["shards"], ["shards", `${folder.path}/shards`]]) {
      const { exitCode, stderr } = await folder.run(["merge", ...paths, "--out-dir", "shards"])
      expect(exitCode, stderr).toBe(0)
      expect(folder.report("shards").batch.merged).toBe(2)
    }
  })
})
