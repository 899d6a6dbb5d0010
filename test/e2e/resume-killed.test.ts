import { copyFileSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect } from "vitest"
import { callInputsIn, callsIn } from "../support/calls-file.ts"
import { fixture, it } from "../support/cli-test.ts"
import { answer, type Handler, text, thinking, toolUse } from "../support/messages-server.ts"
import { askingTurn, eventsIn, pausingConfig } from "../support/paused-run.ts"

const killer = fileURLToPath(new URL("../fixtures/preloads/kill-at-line.mjs", import.meta.url))
const asking = askingTurn.calls.map(({ id, tool, input }) => toolUse(tool, input, id))

/** Asks for approvals first, saves a third note after them, then answers: told from the conversation alone. */
const model: Handler = ({ body }) => {
  const said = JSON.stringify(body.messages)
  if (said.includes('"tool_use_id":"save-3"')) return answer([text("All done.")])
  if (said.includes('"tool_use_id":"send-2"')) {
    return answer([toolUse("mcp__notes__save_note", { text: "third" }, "save-3")])
  }
  return answer([thinking("Who may be told?"), text("I send."), ...asking])
}

const inputs: Readonly<Record<string, string>> = {
  ...Object.fromEntries(askingTurn.calls.map(({ id, input }) => [id, input.text])),
  "save-3": "third",
}

describe("a resumed run that is killed", { timeout: 120_000 }, () => {
  it.for([
    ["2 4 5 5 5 5 5", 5],
    ["6 7 8 7", 3],
  ] as const)(
    "F73 S1.1 again and again, in lines %s, never makes a call twice and goes on when it is started again",
    async ([lines, leastKills], { folder, start, serve }) => {
      const callsFile = join(folder, "calls.jsonl")
      const api = await serve(model)
      const config = pausingConfig(callsFile)
      const pausing = start({ config, api })
      const paused = await pausing.ended
      expect(paused.exitCode, paused.stderr).toBe(3)
      const transcript = join(folder, "transcript.jsonl")
      copyFileSync(join(pausing.outDir, "transcript.jsonl"), transcript)
      const resume = { config, api, task: null, args: ["--resume", transcript, "--approve", "all"] }
      const nodeArgs = ["--import", killer]

      let kills = 0
      for (const line of lines.split(" ")) {
        const killed = await start({ ...resume, env: { KILL_AT_LINE: line }, nodeArgs, cutShort: true }).ended
        if (killed.exitCode === 0) break
        expect([killed.exitCode, killed.signal], killed.stderr).toEqual([null, "SIGKILL"])
        expect(readFileSync(transcript, "utf8").endsWith("\n")).toBe(false)
        eventsIn(transcript)
        kills += 1
      }
      expect(kills).toBeGreaterThanOrEqual(leastKills)
      const last = await start(resume).ended
      expect([0, 2], last.stderr).toContain(last.exitCode)

      const events = eventsIn(transcript)
      expect(events.at(-1)).toMatchObject({ type: "run.end", exit_code: 0, answer: "All done." })
      const results = events.filter((event) => event.type === "tool.result")
      expect(results.map((event) => event.call_id).sort()).toEqual(
        ["get-1", "save-1", "save-2", "save-3", "send-1", "send-2"].sort(),
      )
      const made = callInputsIn(callsFile)
      expect(made).toEqual([...new Set(made)])
      const certain = results.filter((event) => event.error_code !== "aborted").map((event) => inputs[event.call_id])
      expect(made).toEqual(expect.arrayContaining(certain))
    },
  )

  it("two processes never go on with one transcript at the same time", async ({ folder, start, serve }) => {
    const callsFile = join(folder, "calls.jsonl")
    const servers = { mcp_servers: { notes: fixture(["--with", "hang", "--calls-file", callsFile]) } }
    const config = { ...servers, permissions: { on_ask: "pause", default: "ask" } }
    const api = await serve(() => answer([toolUse("mcp__notes__hang", {}, "hang-1")]))
    const pausing = start({ config, api })
    expect((await pausing.ended).exitCode).toBe(3)
    const transcript = join(pausing.outDir, "transcript.jsonl")
    const resume = { config, api, task: null, args: ["--resume", transcript, "--approve", "all"] }
    const first = start({ ...resume, cutShort: true })
    await expect.poll(() => callsIn(callsFile), { timeout: 20_000 }).toEqual(["hang"])
    const second = await start(resume).ended
    expect(second).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("another process goes on with it") })
    first.kill("SIGKILL")
    await first.ended
  })

  it("the conversation that goes on is the one that was paused, with thinking and images", async ({
    folder,
    start,
    serve,
  }) => {
    const callsFile = join(folder, "calls.jsonl")
    const servers = { mcp_servers: { notes: fixture(["--with", "image,echo", "--calls-file", callsFile]) } }
    const rules = [{ tool: "mcp__notes__image", action: "allow" }]
    const config = { ...servers, permissions: { on_ask: "pause", default: "ask", rules } }
    const api = await serve(({ body }) => {
      const said = JSON.stringify(body.messages)
      if (said.includes('"tool_use_id":"echo-1"')) return answer([text("Done.")])
      if (said.includes('"tool_use_id":"image-1"')) {
        return answer([thinking("Now the echo."), toolUse("mcp__notes__echo", { text: "hi" }, "echo-1")])
      }
      return answer([thinking("First the image."), text("I look."), toolUse("mcp__notes__image", {}, "image-1")])
    })
    const pausing = start({ config, api })
    expect((await pausing.ended).exitCode).toBe(3)
    const transcript = join(pausing.outDir, "transcript.jsonl")
    const done = await start({ config, api, task: null, args: ["--resume", transcript, "--approve", "all"] }).ended
    expect(done.exitCode, done.stderr).toBe(0)
    const [, before, after] = api.requests.map(({ body }) => body.messages.map(withoutCacheMarks))
    expect(JSON.stringify(before)).toContain('"type":"image"')
    expect(after?.slice(0, 3)).toEqual(before)
    expect(after?.slice(3)).toMatchObject([
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Now the echo." },
          { type: "tool_use", id: "echo-1" },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "echo-1" }] },
    ])
  })
})

function withoutCacheMarks(message: object): unknown {
  return JSON.parse(JSON.stringify(message, (key, value) => (key === "cache_control" ? undefined : value)))
}
