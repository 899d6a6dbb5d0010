import { describe, expect, it } from "vitest"
import type { Model } from "../../src/contract/model.ts"
import { defineTool } from "../../src/tools/define-tool.ts"
import { eventsOf, runInProcess } from "../support/run-in-process.ts"

const anything = { type: "object" }

/** A tool that notes when it begins and ends, and ends when it is told to. */
function noting(name: string, log: string[], options: { readOnly: boolean; until?: () => Promise<void> }) {
  return defineTool({
    name,
    description: name,
    inputSchema: anything,
    readOnly: options.readOnly,
    async execute() {
      log.push(`${name} begins`)
      await options.until?.()
      log.push(`${name} ends`)
      return name
    },
  })
}

/** Resolves for everyone once so many have come. */
function meetingOf(size: number) {
  let come = 0
  let open = () => {}
  const all = new Promise<void>((resolve) => {
    open = resolve
  })
  return async () => {
    come += 1
    if (come === size) open()
    await all
  }
}

const call = (tool: string, input: unknown = {}) => ({ tool, input })

describe("the calls of one turn", () => {
  it("S3.7 read-only calls run side by side, others wait for everything before them", async () => {
    const log: string[] = []
    const meet = meetingOf(2)
    const tools = [
      noting("look_a", log, { readOnly: true, until: meet }),
      noting("look_b", log, { readOnly: true, until: meet }),
      noting("change", log, { readOnly: false }),
      noting("look_c", log, { readOnly: true }),
    ]
    const turns = [{ calls: ["look_a", "look_b", "change", "look_c"].map((tool) => call(tool)) }, { text: "done" }]
    const { report } = await runInProcess({ turns, tools, allow: ["look_*", "change"] })
    expect(report.exit_code).toBe(0)
    expect(log.slice(0, 2)).toEqual(["look_a begins", "look_b begins"])
    expect(log.slice(4)).toEqual(["change begins", "change ends", "look_c begins", "look_c ends"])
  })

  it("every call gets one answer in the order of the calls, whatever became of it", async () => {
    const asked: unknown[] = []
    const turns = [
      {
        calls: [
          call("Read", { file_path: "none.txt" }),
          call("nothing"),
          call("Bash", { command: "ls" }),
          call("Read", 7),
        ],
      },
      { text: "done" },
    ]
    const { report, events } = await runInProcess({ turns, set: ["expect.some_call_succeeds=false"] })
    for (const event of eventsOf(events, "tool.result")) asked.push([event.tool, event.state, event.error_code])
    expect(new Set(asked.map(String))).toEqual(
      new Set([
        "Read,error,tool_error",
        "nothing,error,unknown_tool",
        "Bash,denied,denied",
        "Read,error,invalid_input",
      ]),
    )
    expect(report.calls.map(({ tool, decision }) => [tool, decision?.action ?? null])).toEqual([
      ["Read", "allow"],
      ["nothing", null],
      ["Bash", "deny"],
      ["Read", "allow"],
    ])
    expect(report.exit_code).toBe(0)
  })

  it("F58 a thousand parallel calls run at most eight at a time and get one result each", async () => {
    let running = 0
    let most = 0
    const tool = defineTool({
      name: "look",
      description: "look",
      inputSchema: anything,
      readOnly: true,
      async execute({ n }) {
        running += 1
        most = Math.max(most, running)
        await new Promise((resolve) => setImmediate(resolve))
        running -= 1
        return `seen ${n}`
      },
    })
    const calls = Array.from({ length: 1000 }, (_, n) => call("look", { n }))
    const { report, events } = await runInProcess({
      turns: [{ calls }, { text: "done" }],
      tools: [tool],
      allow: ["look"],
    })
    expect(most).toBe(8)
    expect(report.calls).toHaveLength(1000)
    expect(new Set(eventsOf(events, "tool.result").map((event) => event.call_id)).size).toBe(1000)
  })

  it("C6 a hidden tool is not offered, and calling it is a denied call with its rule", async () => {
    const turns = [
      {
        expect: { tools_not_offered: ["Write", "Bash"], tools_offered: ["Read"] },
        calls: [call("Write", {}), call("Bash", {})],
      },
      { text: "done" },
    ]
    const { report } = await runInProcess({
      turns,
      deny: ["Write"],
      set: ['tools.builtin=["Read","Write"]', "expect.some_call_succeeds=false"],
    })
    expect(report.calls.map(({ tool, decision, error_code }) => ({ tool, decision, error_code }))).toEqual([
      { tool: "Write", decision: { action: "deny", rule: "deny Write", source: "--deny" }, error_code: "denied" },
      { tool: "Bash", decision: { action: "deny", rule: "deny Bash", source: "tools.builtin" }, error_code: "denied" },
    ])
  })

  it("F60 calls with empty or repeated ids end the run clearly, and nothing is run", async () => {
    for (const ids of [["x", "x"], [""]]) {
      const calls = ids.map((id) => ({ id, ...call("Read", { file_path: "a" }) }))
      const { report } = await runInProcess({ turns: [{ calls }] })
      expect(report.reason?.code).toBe("model_bad_response")
      expect(report.calls).toEqual([])
    }
  })

  it("S1.11 S1.12 the model only asks; a call is decided, then run, and its output comes before the next text", async () => {
    const turns = [{ text: "first", calls: [call("Glob", { pattern: "*" })] }, { text: "last" }]
    const { events } = await runInProcess({ turns })
    const order = events.flatMap((event) => {
      if (event.type === "message")
        return [`${event.role}: ${event.content[0]?.type === "text" ? event.content[0].text : ""}`]
      if (event.type === "tool.call") return [`call ${event.decision?.action}`]
      return event.type === "tool.result" ? [`result ${event.state}`] : []
    })
    expect(order).toEqual(["user: do it", "assistant: first", "call allow", "result output", "assistant: last"])
  })

  it("F80 a tool or model that throws a bug still ends with a report", async () => {
    const broken: Model = {
      id: "broken",
      priced: true,
      ask: () => Promise.reject(new Error("the model has a bug")),
    }
    const { report, events } = await runInProcess({ model: broken })
    expect(report).toMatchObject({ status: "failed", exit_code: 1, reason: { code: "internal_error" } })
    expect(events.at(-1)?.type).toBe("run.end")
  })
})
