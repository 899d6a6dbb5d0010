import { describe, expect, it } from "vitest"
import type { RunEvent } from "../../src/contract/event.ts"
import { createBus } from "../../src/events/bus.ts"
import { createRedactor } from "../../src/events/redact.ts"
import { createClock, createRecorder, expectValidEvents, runEnd, runStart, toolCall } from "../support/run-events.ts"

function setUp(env: Record<string, string> = {}) {
  const redactor = createRedactor({ env, envGlobs: [], patterns: [] })
  return { redactor, bus: createBus({ redactor, now: createClock() }) }
}

const warning = (message: string) => ({ type: "warning", code: "w", message }) as const

describe("the bus", () => {
  it("C4 numbers and dates every event and puts nothing behind run.end", () => {
    const { bus } = setUp()
    const recorder = createRecorder()
    bus.attach(recorder)
    bus.emit(runStart())
    bus.emit(runEnd())
    bus.emit(warning("too late"))
    expect(recorder.events).toEqual([
      { schema_version: 1, seq: 0, at: "2026-11-18T10:00:00.000Z", ...runStart() },
      {
        schema_version: 1,
        seq: 1,
        at: "2026-11-18T10:00:01.000Z",
        ...runEnd(),
        digest: expect.stringMatching(/^sha256:/),
      },
    ])
    expectValidEvents(recorder.events)
  })

  it("replays to a late sink what it missed, hiding secrets that were learned since", () => {
    const { bus, redactor } = setUp()
    const [early, late] = [createRecorder(), createRecorder()]
    bus.attach(early)
    bus.emit(warning("uses correct-horse"))
    redactor.add([{ name: "headers.x", value: "correct-horse" }], [])
    bus.attach(late)
    bus.emit(warning("again correct-horse"))
    expect(late.events.map(messageOf)).toEqual(["uses [redacted:headers.x]", "again [redacted:headers.x]"])
    expect(early.events.map(messageOf)).toEqual(["uses correct-horse", "again [redacted:headers.x]"])
  })

  it("keeps nothing once it is sealed, and refuses a sink that would miss events", () => {
    const { bus } = setUp()
    bus.seal()
    expect(() => bus.attach(createRecorder())).toThrow("sealed")
  })

  it("drops a sink that throws, goes on with the others, and names it at close", async () => {
    const { bus } = setUp()
    const recorder = createRecorder()
    let writes = 0
    bus.attach({
      write: () => {
        writes += 1
        throw new Error("boom")
      },
      close: async () => null,
    })
    bus.attach(recorder)
    bus.attach({ write: () => {}, close: async () => "disk full" })
    bus.attach({ write: () => {}, close: () => Promise.reject(new Error("gone")) })
    bus.emit(warning("one"))
    bus.emit(warning("two"))
    expect(writes).toBe(1)
    expect(recorder.events).toHaveLength(2)
    expect(await bus.flush()).toEqual(["an output was given up at event 0 (warning): Error: boom"])
    expect(await bus.close()).toEqual([
      "an output was given up at event 0 (warning): Error: boom",
      "disk full",
      "an output failed: Error: gone",
    ])
  })

  it("counts redactions in run.end, those of run.end itself included", () => {
    const { bus } = setUp({ API_TOKEN: "correct-horse" })
    const recorder = createRecorder()
    bus.attach(recorder)
    bus.emit(warning("correct-horse"))
    bus.emit(runEnd({ answer: "correct-horse, correct-horse" }))
    expect(recorder.events.at(-1)).toMatchObject({ redactions: 3 })
    expect(bus.redactions()).toBe(3)
  })

  it("F55 passes on only what JSON can hold", () => {
    const { bus } = setUp()
    const recorder = createRecorder()
    bus.attach(recorder)
    const circular: Record<string, unknown> = { half: "\ud83d", nul: "\0", big: 10n, bytes: Buffer.from("abc") }
    circular.self = circular
    circular.deep = JSON.parse(`${"[".repeat(5000)}${"]".repeat(5000)}`)
    bus.emit(toolCall("c1", { input: circular }))
    const throwing = new Proxy<never[]>([], {
      get: () => {
        throw new Error("no")
      },
    })
    bus.emit(toolCall("c2", { input: throwing }))
    bus.emit(runEnd({ files_changed: throwing }))
    const read: RunEvent[] = recorder.events.map((event) => JSON.parse(JSON.stringify(event)))
    expectValidEvents(read)
    expect(read[0]).toMatchObject({
      input: { half: "�", nul: "\0", big: "10", bytes: "[3 bytes]", self: "[circular]" },
    })
    expect(read[1]).toMatchObject({
      type: "warning",
      code: "event_lost",
      message: "a tool.call event could not be recorded: Error: no",
    })
    expect(read[2]).toMatchObject({ type: "run.end", exit_code: 0, answer: null, files_changed: [] })
  })
})

function messageOf(event: RunEvent): string {
  return event.type === "warning" ? event.message : ""
}
