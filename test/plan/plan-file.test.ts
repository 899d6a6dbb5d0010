import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { RunEventBody } from "../../src/contract/event.ts"
import { readPlan, renderPlan, selectCalls } from "../../src/plan/plan-file.ts"
import { foldReport } from "../../src/report/fold.ts"
import { emitted, reply, runEnd, runStart } from "../support/run-events.ts"
import { scratchFolder } from "../support/scratch-folder.ts"

const decision = { action: "allow", rule: "allow Write", source: "agent.toml:1" } as const
function queued(id: string, input: object): RunEventBody {
  const call = { plan_id: id, call_id: id, tool: "Write", server: null, input, refill: [] }
  return { type: "plan.call", ...call, decision, edit: null }
}

const report = foldReport(
  emitted([
    runStart(),
    reply("Because.", {
      content: [
        { type: "text", text: "Because." },
        { type: "tool_use", id: "P1", name: "Write", input: {} },
      ],
    }),
    queued("P1", { file_path: "a", content: "x" }),
    queued("P2", { file_path: "b", 7: "number-like keys move" }),
    runEnd(),
  ]),
)
const expected = { configDigest: "sha256:c", key: "a key" }
const plan = renderPlan(report, { task: "Do it", ...expected })

async function problemOf(text: string, with_ = expected): Promise<string> {
  const path = join(await scratchFolder({ plan: text }), "plan")
  return readPlan(path, with_).then(
    (read) => `${read.calls.length} calls`,
    (error: Error) => error.message.replace(/^.*is refused: /, ""),
  )
}

describe("a plan file", () => {
  it("holds the calls with their reasons and is accepted as it was written", async () => {
    expect(await problemOf(plan)).toBe("2 calls")
    expect(JSON.parse(plan).calls).toMatchObject([
      { id: "P1", reason: "Because." },
      { id: "P2", reason: null },
    ])
  })

  it.each([
    ["another input", plan.replace('"content": "x"', '"content": "y"'), /do not belong together/],
    ["another decision", plan.replace("allow Write", "allow Wrote"), /do not belong together/],
    ["an added field", plan.replace('"kind"', '"extra": 1, "kind"'), /do not belong together/],
    [
      "calls in another order",
      plan.replaceAll("P1", "P3").replaceAll("P2", "P1").replaceAll("P3", "P2"),
      /do not belong/,
    ],
    ["an unkeyed digest", plan.replace("hmac-sha256:", "sha256:"), /not sealed with the key in AGENT_RUN_PLAN_KEY/],
    ["a missing field", plan.replace('"task"', '"tusk"'), /no plan of this version \(task\)/],
    ["half of it", plan.slice(0, 200), /is not JSON/],
  ])("with %s is refused", async (_, text, problem) => {
    expect(await problemOf(text)).toMatch(problem)
  })

  it("is refused with another key, without the key, and with another configuration", async () => {
    expect(await problemOf(plan, { ...expected, key: "other" })).toMatch(/sealed with another key/)
    expect(await problemOf(plan, { ...expected, key: "" })).toMatch(/AGENT_RUN_PLAN_KEY is not set/)
    expect(await problemOf(plan, { ...expected, configDigest: "sha256:d" })).toMatch(/another configuration/)
  })

  it("gives the calls that --only names, in its own order, and knows no others", () => {
    const read = JSON.parse(plan)
    expect(selectCalls(read, ["P2", "P1"]).map(({ id }) => id)).toEqual(["P1", "P2"])
    expect(selectCalls(read, []).map(({ id }) => id)).toEqual(["P1", "P2"])
    expect(() => selectCalls(read, ["P9"])).toThrow("the plan has no call P9")
  })
})
