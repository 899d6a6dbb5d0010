import { describe, expect, it } from "vitest"
import { type ConsoleOptions, createConsoleSink } from "../../src/sinks/console.ts"
import { emitted, reply, runEnd, runStart, toolCall, toolResult } from "../support/run-events.ts"
import { sampleRun } from "../support/sample-run.ts"

/** A console on a clock that moves only when told to. */
function setUp(verbosity: ConsoleOptions["verbosity"] = "normal") {
  const written: string[] = []
  let now = 0
  let timer: { readonly at: number; readonly callback: () => void } | null = null
  const sink = createConsoleSink({
    write: (text) => void written.push(text),
    verbosity,
    color: false,
    clock: () => now,
    setTimer: (callback, delayMs) => {
      const mine = { at: now + delayMs, callback }
      timer = mine
      return () => {
        if (timer === mine) timer = null
      }
    },
  })
  function pass(seconds: number): void {
    const until = now + seconds * 1000
    while (timer !== null && timer.at <= until) {
      const due: { readonly at: number; readonly callback: () => void } = timer
      now = due.at
      timer = null
      due.callback()
    }
    now = until
  }
  return { sink, pass, isTicking: () => timer !== null, take: () => written.splice(0).join("") }
}

describe("the console", () => {
  it("S4.18 tells servers, calls and the end as they happen", () => {
    const { sink, take } = setUp()
    for (const event of emitted(sampleRun)) sink.write(event)
    const lines = take().split("\n")
    expect(lines).toEqual(
      expect.arrayContaining([
        "server fs: connected, 12 tools, 3 resources, 340 ms",
        "server gh: failed: spawn gh-mcp ENOENT",
        "call Read: allow, ok, 12 ms",
        "completed (exit 0)",
        "  denied: mcp__fs__write, by mcp__fs__* (agent.toml:14)",
      ]),
    )
  })

  it("beats after every 30 s of silence and says what it waits for", () => {
    const { sink, pass, take } = setUp()
    const [start, turn, said, ask, answer, end] = emitted([
      runStart(),
      { type: "turn.start", turn: 1, kind: "work" },
      reply("x"),
      toolCall("c1", { tool: "mcp__x__y" }),
      toolResult("c1", { tool: "mcp__x__y" }),
      runEnd(),
    ])
    if (!start || !turn || !said || !ask || !answer || !end) throw new Error("no events")
    sink.write(start)
    sink.write(turn)
    take()
    pass(29)
    expect(take()).toBe("")
    pass(1)
    expect(take()).toBe("still waiting for the model (30 s)\n")
    pass(30)
    expect(take()).toBe("still waiting for the model (60 s)\n")
    sink.write(said)
    expect(take()).toMatch(/^turn 1: .* so far\n$/)
    pass(5)
    sink.write(ask)
    pass(25)
    expect(take()).toBe("still waiting for mcp__x__y (25 s)\n")
    sink.write(answer)
    expect(take()).toBe("call mcp__x__y: allow, ok, 12 ms\n")
    pass(30)
    expect(take()).toBe("still running\n")
    sink.write(end)
    take()
    pass(120)
    expect(take()).toBe("")
  })

  it("names three of many waits", () => {
    const { sink, pass, take } = setUp()
    for (const event of emitted(["a", "b", "c", "d", "e"].map((tool) => toolCall(tool, { tool })))) sink.write(event)
    pass(30)
    expect(take()).toBe("still waiting for a (30 s), b (30 s), c (30 s) and 2 more\n")
  })

  it("has no heartbeat when quiet, and none after close", async () => {
    const quiet = setUp("quiet")
    const closed = setUp()
    for (const event of emitted([runStart()])) {
      quiet.sink.write(event)
      closed.sink.write(event)
    }
    expect(await closed.sink.close()).toBeNull()
    expect([quiet.isTicking(), closed.isTicking()]).toEqual([false, false])
  })
})
