import { describe, expect, it } from "vitest"
import { readShard } from "../../src/batch/shard.ts"

describe("--shard", () => {
  it("counts from 1, and both ends are in", () => {
    expect([readShard("1/4", {}), readShard("4/4", {})]).toEqual([
      { index: 1, total: 4 },
      { index: 4, total: 4 },
    ])
  })

  it.each(["0/4", "5/4", "1/0", "4", "a/b", "1/4/2", "-1/4", "1.5/4", "", "1 / 4"])("refuses %j", (text) => {
    expect(() => readShard(text, {})).toThrow(expect.objectContaining({ code: "usage_error", where: "--shard:" }))
  })

  it.each([
    ["a GitHub matrix, passed in", { AGENT_RUN_SHARD_INDEX: "0", AGENT_RUN_SHARD_TOTAL: "3" }],
    ["GitLab, which counts from 1", { CI_NODE_INDEX: "1", CI_NODE_TOTAL: "3" }],
    ["CircleCI", { CIRCLE_NODE_INDEX: "0", CIRCLE_NODE_TOTAL: "3" }],
    ["Buildkite", { BUILDKITE_PARALLEL_JOB: "0", BUILDKITE_PARALLEL_JOB_COUNT: "3" }],
    ["a Kubernetes Indexed Job", { JOB_COMPLETION_INDEX: "0", AGENT_RUN_SHARD_TOTAL: "3" }],
  ])("auto is the first of three in %s", (_, env) => {
    expect(readShard("auto", env)).toEqual({ index: 1, total: 3 })
  })

  it.each([
    ["nothing is set", {}, "finds no variable"],
    ["the total is missing", { JOB_COMPLETION_INDEX: "2" }, "needs the variable AGENT_RUN_SHARD_TOTAL"],
    ["a value is no number", { CI_NODE_INDEX: "one", CI_NODE_TOTAL: "3" }, "CI_NODE_INDEX is no whole number"],
    ["the index is past the end", { CIRCLE_NODE_INDEX: "3", CIRCLE_NODE_TOTAL: "3" }, "there is no shard 4 of 3"],
    ["GitLab counts from 0", { CI_NODE_INDEX: "0", CI_NODE_TOTAL: "3" }, "there is no shard 0 of 3"],
  ])("auto is refused when %s", (_, env, message) => {
    expect(() => readShard("auto", env)).toThrow(message)
  })
})
