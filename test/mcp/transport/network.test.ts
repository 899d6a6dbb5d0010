import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { Agent, fetch } from "undici"
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { openNetwork } from "../../../src/mcp/transport/network.ts"
import { startHttpMcpServer } from "../../support/http-mcp-server.ts"
import { remoteServer, startPool } from "../../support/mcp-servers.ts"

const tenMinutesMs = 10 * 60_000
const timeouts = { startupTimeoutMs: 15_000, discoveryTimeoutMs: 15_000, toolTimeoutMs: 60_000 }

/** A server that begins to answer and then says nothing until it is told to end. */
async function startSilentServer() {
  const open: ServerResponse[] = []
  const server = createServer((_, response) => {
    response.writeHead(200).write("begun, ")
    open.push(response)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const end = () => open.forEach((response) => void response.end("ended"))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, end }
}

/** The clock of timers, undici's among them, goes on by ten minutes while the sockets stay as they are. */
async function passTenMinutes(): Promise<void> {
  for (let passed = 0; passed < tenMinutesMs; passed += 1000) await vi.advanceTimersByTimeAsync(1000)
}

afterEach(() => {
  vi.useRealTimers()
})

describe("the network of a remote server", () => {
  it("F49 S3.10 keeps a stream that is silent for ten minutes, where the default gives up", async () => {
    const server = await startSilentServer()
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const network = await openNetwork(timeouts, {})
    const byDefault = new Agent()
    const kept = await network.fetch(server.url)
    const cut = await fetch(server.url, { dispatcher: byDefault })
    const ends = Promise.allSettled([kept.text(), cut.text()])
    await passTenMinutes()
    server.end()
    const [silent, control] = await ends
    expect(silent).toEqual({ status: "fulfilled", value: "begun, ended" })
    expect(control).toMatchObject({ status: "rejected", reason: { cause: { code: "UND_ERR_BODY_TIMEOUT" } } })
    await Promise.all([network.close(), byDefault.destroy()])
  })

  it("F49 a server over SSE is still usable after ten silent minutes", async () => {
    const server = await startHttpMcpServer("sse")
    onTestFinished(() => server.close())
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true })
    const { call, pool } = await startPool([remoteServer("far", server.url, { transport: "sse" })])
    await passTenMinutes()
    expect((await call("mcp__far__echo", { text: "still there" })).isError).toBe(false)
    expect(pool.states()[0]?.state.status).toBe("connected")
  })

  it.each(["http", "sse"] as const)(
    "S3.10 a call over %s that is never answered ends at its timeout",
    async (transport) => {
      const server = await startHttpMcpServer(transport)
      onTestFinished(() => server.close())
      const { call } = await startPool([remoteServer("far", server.url, { transport, toolTimeoutMs: 100 })])
      expect(await call("mcp__far__hang")).toMatchObject({ isError: true, errorCode: "timeout" })
    },
  )

  it("S3.10 a POST that nobody begins to answer is given up after the longest timeout of the server", async () => {
    const server = createServer()
    const asked = new Promise<string>((resolve) => server.on("request", (request) => resolve(text(request))))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => {
      server.close()
      server.closeAllConnections()
    })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const network = await openNetwork({ startupTimeoutMs: 10, discoveryTimeoutMs: 10, toolTimeoutMs: 50 }, {})
    const answer = network.fetch(url, { method: "POST", body: "hello" })
    await expect(answer).rejects.toThrow("no answer in time")
    expect(await asked).toBe("hello")
    await network.close()
  })
})

describe("many remote servers", () => {
  it("20 that take a second to say hello are connecting all at once before the first is connected", async () => {
    const server = await startHttpMcpServer("http", 1000)
    onTestFinished(() => server.close())
    const complaints: Error[] = []
    const complain = (warning: Error) => complaints.push(warning)
    process.on("warning", complain)
    onTestFinished(() => void process.off("warning", complain))
    const servers = Array.from({ length: 20 }, (_, index) => remoteServer(`far${index}`, server.url))
    const { events } = await startPool(servers)
    const order = events.map(({ type }) => type)
    expect(order.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => "server.connecting"))
    expect(order.slice(20)).toEqual(Array.from({ length: 20 }, () => "server.connected"))
    expect(complaints).toEqual([])
  })
})
