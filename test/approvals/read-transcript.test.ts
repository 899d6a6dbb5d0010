import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { readTranscript } from "../../src/approvals/read-transcript.ts"
import type { RunEventBody } from "../../src/contract/event.ts"
import { createBus } from "../../src/events/bus.ts"
import { createRedactor } from "../../src/events/redact.ts"
import { createJsonlFileSink } from "../../src/sinks/jsonl-file.ts"
import { createClock, reply, runEnd, runStart, toolCall, toolResult } from "../support/run-events.ts"
import { scratchFolder } from "../support/scratch-folder.ts"

const key = "the key of the pipeline"
const config = "sha256:c"
const paused = { status: "paused", exit_code: 3, answer: null } as const
const decision = { action: "ask", rule: "ask Send", source: "agent.toml:1" } as const
const identity = { turn: 1, call_id: "c2", tool: "Send", server: null }
const events: readonly RunEventBody[] = [
  runStart({ config_digest: config }),
  reply("I send.", { content: [{ type: "tool_use", id: "c2", name: "Send", input: { to: "all — ##[x]" } }] }),
  toolCall("c1"),
  toolResult("c1"),
  toolCall("c2", { tool: "Send", decision }),
  { type: "approval.request", ...identity, input: { to: "all" }, decision },
  runEnd(paused),
]
const answer = { approved: true, answer: "Yes, confirmed.", reason: null, by: "option" } as const
const resumed: readonly RunEventBody[] = [
  runStart({ config_digest: config, resumed: true }),
  { type: "approval.answer", ...identity, ...answer },
  { type: "tool.started", ...identity },
]

/** A transcript as a bus and a sink write it, in one or two processes. */
async function written(path: string, parts: readonly (readonly RunEventBody[])[]): Promise<string> {
  for (const [index, part] of parts.entries()) {
    const redactor = createRedactor({ env: {}, envGlobs: [], patterns: [] })
    const bus = createBus({ redactor, now: createClock(), key })
    const before = index === 0 ? undefined : readTranscript(path, { configDigest: config, key })
    bus.attach(createJsonlFileSink(path, before))
    if (before) bus.continueFrom(before.events)
    for (const event of part) bus.emit(event)
    await bus.close()
  }
  return readFileSync(path, "utf8")
}

let folder = ""
let original = ""
let gone = ""

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "agent-run-test-"))
  original = await written(join(folder, "paused"), [events])
  gone = await written(join(folder, "gone"), [events, resumed])
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function problemOf(text: string, expected = { configDigest: config, key }): Promise<string> {
  const path = join(await scratchFolder({ t: text }), "t")
  try {
    const { events: read, bytes } = readTranscript(path, expected)
    return `${read.length} events, ${bytes - Buffer.byteLength(text)}`
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^.*cannot go on: /, "") : String(error)
  }
}

const lines = (text: string) => text.trimEnd().split("\n")
const together = (kept: readonly string[]) => kept.map((line) => `${line}\n`).join("")

describe("the transcript of a paused run", () => {
  it("is read whole, also after a run that went on and was killed in the middle of a line", async () => {
    expect(await problemOf(original)).toBe("7 events, 0")
    expect(await problemOf(gone)).toBe("10 events, 0")
    expect(await problemOf(`${gone}{"schema_ver`)).toBe("10 events, -12")
    expect(await problemOf(together(lines(gone).slice(0, 8)))).toBe("8 events, 0")
  })

  it("is refused when any of its lines was changed, left out, added or moved", async () => {
    for (const text of [original, gone]) {
      const all = lines(text)
      for (const index of all.keys()) {
        const without = all.filter((_, at) => at !== index)
        const swapped = all.map((line, at) =>
          at === index ? (all[at + 1] ?? line) : at === index + 1 ? (all[at - 1] ?? line) : line,
        )
        const isLast = index === all.length - 1
        const edited = all.map((line, at) => (at === index ? line.replace(/"at":"20../, '"at":"2031') : line))
        expect(await problemOf(together(edited)), `line ${index} edited`).toMatch(/do not belong together/)
        if (!isLast) expect(await problemOf(together(without)), `line ${index} left out`).not.toMatch(/events/)
        if (!isLast) expect(await problemOf(together(swapped)), `line ${index} moved`).not.toMatch(/events/)
      }
    }
  })

  it.each([
    ["was cut off", () => together(lines(original).slice(0, -1)), /cut off before its end/],
    ["is empty", () => "", /cut off before its end/],
    ["is no transcript", () => "hello\n", /line 1 is no event/],
    [
      "has an answer that nobody sealed",
      () => `${original}${lines(gone)[8]?.replace(/,"digest":"[^"]*"/, "")}\n`,
      /not sealed/,
    ],
    ["has a forged answer", () => together([...lines(original), ...lines(gone).slice(8)]), /do not belong together/],
    [
      "has an unkeyed seal",
      () => original.replaceAll(/hmac-sha256:/g, "sha256:"),
      /not sealed with the key in AGENT_RUN_PLAN_KEY/,
    ],
  ])("is refused when it %s", async (_, text, problem) => {
    expect(await problemOf(text())).toMatch(problem)
  })

  it("is refused with another key, without the key, with another configuration, and when the run is over", async () => {
    expect(await problemOf(original, { configDigest: config, key: "other" })).toMatch(/sealed with another key/)
    expect(await problemOf(original, { configDigest: config, key: "" })).toMatch(/AGENT_RUN_PLAN_KEY is not set/)
    expect(await problemOf(original, { configDigest: "sha256:d", key })).toMatch(/another configuration/)
    const path = join(await scratchFolder(), "t")
    writeFileSync(path, "")
    expect(await problemOf(await written(path, [[...events.slice(0, -1), runEnd()]]))).toMatch(
      /the run is over: completed/,
    )
  })
})
