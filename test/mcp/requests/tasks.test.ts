import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
import { fixtureServer, startPool } from "../../support/mcp-servers.ts"
import { scratchFolder } from "../../support/scratch-folder.ts"

const startServer = (switches: readonly string[] = [], more: Parameters<typeof fixtureServer>[2] = {}) =>
  startPool([fixtureServer("srv", ["--task-tool", ...switches], more)])

async function callsFile() {
  const file = join(await scratchFolder(), "calls")
  return { file, text: () => readFileSync(file, "utf8") }
}

describe("a tool that runs only as a task", () => {
  it("is started, asked after until it is done, and fetched; every step is progress", async () => {
    const { call, events } = await startServer()
    expect(await call("mcp__srv__research")).toEqual({
      content: [{ type: "text", text: "done after 3 steps" }],
      isError: false,
    })
    expect(events.find((event) => event.type === "tool.progress")).toMatchObject({ progress: 1, message: "step 1" })
  })

  it("may fail, which is an error result", async () => {
    const { call } = await startServer()
    expect(await call("mcp__srv__research", { fails: true })).toMatchObject({ isError: true, errorCode: "tool_error" })
  })

  it("F46 may ask a person on its way, and is answered by the policy", async () => {
    const { call } = await startServer()
    expect(await call("mcp__srv__research", { ask: true })).toMatchObject({ content: [{ text: "told decline" }] })
  })

  it("S2.19 F33 that stands still is cancelled when its time is over", async () => {
    const { file, text } = await callsFile()
    const { call } = await startServer(["--calls-file", file], { toolTimeoutMs: 200 })
    expect(await call("mcp__srv__research", { hang: true })).toMatchObject({ isError: true, errorCode: "timeout" })
    expect(text()).toContain('{"cancelledTask":"task-1"}')
    expect(await call("mcp__srv__research")).toMatchObject({ isError: false })
  })

  it("is cancelled when the run is stopped", async () => {
    const { file, text } = await callsFile()
    const { call, events } = await startServer(["--calls-file", file])
    const stop = new AbortController()
    const called = call("mcp__srv__research", { steps: 1_000_000 }, stop.signal)
    await vi.waitFor(() => expect(events.at(-1)?.type).toBe("tool.progress"))
    stop.abort(new Error("stopped"))
    expect(await called).toMatchObject({ isError: true, errorCode: "aborted" })
    expect(text()).toContain('{"cancelledTask":"task-1"}')
  })
})
