import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import type { StdioServerConfig } from "../../../src/contract/server.ts"
import { createServerShare } from "../../../src/mcp/life/share.ts"
import { fixtureServer, startPool } from "../../support/mcp-servers.ts"
import { until } from "../../support/run-cli.ts"
import { scratchFolder } from "../../support/scratch-folder.ts"

async function sharedServer(switches: readonly string[] = [], more: Partial<StdioServerConfig> = {}) {
  const started = join(await scratchFolder(), "started")
  const share = createServerShare()
  onTestFinished(() => share[Symbol.asyncDispose]())
  const config = fixtureServer("srv", ["--started-file", started, ...switches], { shared: true, ...more })
  const processIds = () => readFileSync(started, "utf8").trim().split("\n").map(Number)
  return { share, config, processIds }
}

const isAlive = (processId: number) => {
  try {
    return process.kill(processId, 0)
  } catch {
    return false
  }
}

describe("a shared server", () => {
  it("is started once for runs side by side and one after the other, and each sees it connected", async () => {
    const { share, config, processIds } = await sharedServer()
    const [first, second] = await Promise.all([startPool([config], { share }), startPool([config], { share })])
    const types = (events: readonly { type: string }[]) => events.map(({ type }) => type)
    expect(types(first.events)).toEqual(["server.connecting", "server.connected"])
    expect(types(second.events)).toEqual(["server.connecting", "server.connected"])
    expect(await first.call("mcp__srv__echo", { text: "one" })).toMatchObject({ content: [{ text: "one" }] })
    await first.pool.close()
    expect(first.events.at(-1)).toMatchObject({ type: "server.disconnected", reason: "run_end" })
    expect(await second.call("mcp__srv__echo", { text: "two" })).toMatchObject({ content: [{ text: "two" }] })
    await second.pool.close()
    const third = await startPool([config], { share })
    expect(await third.call("mcp__srv__echo", { text: "three" })).toMatchObject({ content: [{ text: "three" }] })
    const [processId = 0, ...others] = processIds()
    expect([isAlive(processId), others]).toEqual([true, []])
    await third.pool.close()
    await share[Symbol.asyncDispose]()
    expect(isAlive(processId)).toBe(false)
  })

  it("that dies is connected again, once for all", async () => {
    const { share, config, processIds } = await sharedServer(["--with", "echo,die"])
    const pools = await Promise.all([startPool([config], { share }), startPool([config], { share })])
    await pools[0].call("mcp__srv__die")
    await until(() => processIds().length === 2, "the server is started again")
    for (const { pool, call, events } of pools) {
      await pool.settle(new AbortController().signal)
      expect(await call("mcp__srv__echo", { text: "again" })).toMatchObject({ content: [{ text: "again" }] })
      expect(events.map(({ type }) => type)).toEqual([
        "server.connecting",
        "server.connected",
        "server.disconnected",
        "server.connecting",
        "server.connected",
      ])
    }
    expect(processIds()).toHaveLength(2)
  })

  it("that has changed its tools shows the new ones to a run that comes later", async () => {
    const { share, config } = await sharedServer(["--with", "echo,offer"])
    const first = await startPool([config], { share })
    await first.call("mcp__srv__offer", { name: "late" })
    await until(() => first.events.some(({ type }) => type === "server.changed"), "the change is known")
    const second = await startPool([config], { share })
    expect(second.pool.tools().map(({ name }) => name)).toEqual(first.pool.tools().map(({ name }) => name))
    expect(second.pool.tools().map(({ name }) => name)).toContain("mcp__srv__late")
  })

  it("outlives a run that is stopped while it starts", async () => {
    const { share, config, processIds } = await sharedServer(["--startup-delay", "200"])
    const stop = new AbortController()
    const stopped = startPool([config], { share, signal: stop.signal })
    const going = startPool([config], { share })
    stop.abort(new Error("enough"))
    expect((await stopped).pool.states()).toMatchObject([{ state: { status: "failed" } }])
    expect((await going).pool.states()).toMatchObject([{ state: { status: "connected" } }])
    expect(processIds()).toHaveLength(1)
  })

  it("that cannot start fails for each run, and is tried again for the next", async () => {
    const { share, config, processIds } = await sharedServer(["--starts", "0"])
    for (const starts of [1, 2]) {
      const { pool, events } = await startPool([config], { share })
      expect(pool.states()).toMatchObject([{ state: { status: "failed" } }])
      expect(events.at(-1)).toMatchObject({ type: "server.error", state: "failed" })
      expect(processIds()).toHaveLength(starts)
    }
  })

  it("is another one where it is configured otherwise, and nobody's where it is not shared", async () => {
    const { share, config, processIds } = await sharedServer()
    await startPool([config], { share })
    await startPool([{ ...config, env: { ...config.env, REGION: "eu" } }], { share })
    await startPool([{ ...config, shared: false }], { share })
    await startPool([config], { share })
    expect(processIds()).toHaveLength(3)
  })

  it("that logs is heard by every run that uses it", async () => {
    const { share, config } = await sharedServer(["--with", "echo,log", "--logging"])
    const pools = await Promise.all([startPool([config], { share }), startPool([config], { share })])
    await pools[0].call("mcp__srv__log", { messages: [{ level: "error", data: "trouble" }] })
    for (const { events } of pools) await until(() => events.some(({ type }) => type === "server.log"), "it is heard")
  })
})
