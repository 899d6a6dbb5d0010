import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import { Writable } from "node:stream"
import { describe, expect, it } from "vitest"
import { toJsonLine } from "../../src/report/json.ts"
import { createStreamSink } from "../../src/sinks/stream.ts"
import { emitted } from "../support/run-events.ts"
import { sampleRun } from "../support/sample-run.ts"

const events = emitted(sampleRun)
const [bulky] = emitted([{ type: "warning", code: "w", message: "x".repeat(5000) }])

describe("the event stream", () => {
  it("C4 carries every event, one a line", async () => {
    const reader = startReader(`process.stdin.pipe(process.stdout)`)
    const sink = createStreamSink(reader.stdin)
    for (const event of events) sink.write(event)
    expect(await sink.close()).toBeNull()
    reader.stdin.end()
    expect(await outputOf(reader)).toBe(events.map(toJsonLine).join(""))
  })

  it("F76 a slow reader of 50 MB loses nothing", async () => {
    const reader = startReader(`
      const digest = require("node:crypto").createHash("sha256")
      let chunks = 0
      process.stdin.on("data", (chunk) => {
        digest.update(chunk)
        if (++chunks % 50 === 0) { process.stdin.pause(); setTimeout(() => process.stdin.resume(), 5) }
      })
      process.stdin.on("end", () => console.log(digest.digest("hex")))`)
    const sink = createStreamSink(reader.stdin)
    const expected = createHash("sha256")
    if (bulky === undefined) throw new Error("no event")
    for (let seq = 0; seq < 10_000; seq += 1) {
      const event = { ...bulky, seq }
      sink.write(event)
      expected.update(toJsonLine(event))
    }
    expect(reader.stdin.writableLength).toBeLessThan(1_000_000)
    expect(await sink.close()).toBeNull()
    reader.stdin.end()
    expect((await outputOf(reader)).trim()).toBe(expected.digest("hex"))
  })

  it("F76 a reader that goes away wanted no more: neither a problem nor a crash", async () => {
    const reader = startReader(`process.stdin.once("data", () => process.exit(0))`)
    const sink = createStreamSink(reader.stdin)
    for (let round = 0; round < 2000; round += 1) for (const event of events) sink.write(event)
    await once(reader, "exit")
    expect(await sink.flush?.()).toBeNull()
    for (const event of events) sink.write(event)
    expect(await sink.close()).toBeNull()
  })

  it("F76 a reader that never reads does not hold up the end for ever", async () => {
    const stuck = new Writable({ write: () => {} })
    const sink = createStreamSink(stuck, { stallMs: 20 })
    for (const event of events) sink.write(event)
    expect(await sink.close()).toBe("the event stream was not read for 0.02 s")
  })
})

function startReader(source: string): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, ["-e", source])
}

async function outputOf(reader: ChildProcessWithoutNullStreams): Promise<string> {
  let output = ""
  for await (const chunk of reader.stdout) output += chunk
  return output
}
