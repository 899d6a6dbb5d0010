import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { commandServer, fixtureServer, remoteServer, startPool } from "../support/mcp-servers.ts"

const pathOf = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))
const everything = pathOf("../../node_modules/@modelcontextprotocol/server-everything/dist/index.js")
const filesystem = pathOf("../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js")
const sdkServer = fileURLToPath(new URL("../fixtures/servers/sdk-server.mjs", import.meta.url))
const drawSchema = JSON.parse(readFileSync(pathOf("../fixtures/servers/draw-schema.json"), "utf8"))

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
}

async function serveEverything(mode: "streamableHttp" | "sse"): Promise<string> {
  const port = await freePort()
  await startEverything(mode, port)
  return `http://127.0.0.1:${port}/${mode === "sse" ? "sse" : "mcp"}`
}

async function startEverything(mode: "streamableHttp" | "sse", port: number): Promise<ChildProcess> {
  const env = { PATH: process.env.PATH, PORT: String(port) }
  const child = spawn(process.execPath, [everything, mode], { env, stdio: "ignore" })
  onTestFinished(() => void child.kill("SIGKILL"))
  await vi.waitFor(() => fetch(`http://127.0.0.1:${port}`), { timeout: 10_000, interval: 50 })
  return child
}

async function useEverything(started: Awaited<ReturnType<typeof startPool>>): Promise<void> {
  const { pool, call, warnings } = started
  expect(pool.states()[0]?.state).toEqual({ status: "connected", connectMs: expect.any(Number) })
  expect(pool.tools().map(({ name }) => name)).toEqual(expect.arrayContaining(["mcp__all__echo", "mcp__all__get-sum"]))
  expect(await call("mcp__all__echo", { message: "hi" })).toEqual({
    content: [{ type: "text", text: "Echo: hi" }],
    isError: false,
  })
  expect(await call("mcp__all__get-tiny-image")).toMatchObject({
    content: [{ type: "text" }, { type: "image", mediaType: "image/png" }],
  })
  const listed = await call("ListMcpResources")
  expect(JSON.stringify(listed)).toContain("uriTemplate")
  expect(pool.instructions()).toEqual([{ server: "all", text: expect.any(String) }])
  expect(warnings()).toEqual([])
}

describe("servers from npm", () => {
  it("S1.4 S2.2 S2.3 server-everything works over stdio, beside another server", async () => {
    const started = await startPool([commandServer("all", [process.execPath, everything]), fixtureServer("srv")])
    await useEverything(started)
    expect(started.pool.tools().map(({ name }) => name)).toContain("mcp__srv__echo")
  })

  it.each([
    ["http", "streamableHttp"],
    ["url", "streamableHttp"],
    ["sse", "sse"],
    ["url", "sse"],
  ] as const)("S1.4 S2.6 server-everything configured as %s works in its mode %s", async (transport, mode) => {
    await useEverything(await startPool([remoteServer("all", await serveEverything(mode), { transport })]))
  })

  it("S3.24 S3.25 F47 server-everything, restarted, has lost our session: it gets a new one and the call is repeated", async () => {
    const port = await freePort()
    const first = await startEverything("streamableHttp", port)
    const { call, events } = await startPool([remoteServer("all", `http://127.0.0.1:${port}/mcp`)])
    first.kill("SIGKILL")
    await once(first, "exit")
    await startEverything("streamableHttp", port)
    expect(await call("mcp__all__echo", { message: "again" })).toMatchObject({ content: [{ text: "Echo: again" }] })
    const lost = events.find((event) => event.type === "server.disconnected")
    expect(lost).toMatchObject({
      reason: "lost",
      state: "pending",
      detail: expect.stringMatching(/HTTP 400|ECONNREFUSED/),
    })
  })

  it("S2.10 S2.18 server-filesystem reads what is in its folder and refuses the rest", async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "mcp-")))
    writeFileSync(join(folder, "a.txt"), "contents of a")
    const { call, pool } = await startPool([commandServer("fs", [process.execPath, filesystem, folder])])
    expect(await call("mcp__fs__read_text_file", { path: join(folder, "a.txt") })).toMatchObject({
      content: [{ type: "text", text: "contents of a" }],
      isError: false,
    })
    expect(await call("mcp__fs__read_text_file", { path: "/etc/passwd" })).toMatchObject({
      isError: true,
      errorCode: "tool_error",
    })
    const readOnly = pool.tools().filter(({ hints }) => hints.readOnly)
    expect(readOnly.map(({ name }) => name)).toContain("mcp__fs__read_text_file")
  })

  it("S3.3 S4.10 a server of the older SDK generation keeps its schema to the letter and its errors readable", async () => {
    const { pool, call } = await startPool([commandServer("sdk", [process.execPath, sdkServer])])
    expect(pool.tools().map(({ inputSchema }) => inputSchema)).toEqual([drawSchema])
    expect(await call("mcp__sdk__draw", { from: [1, 2] })).toMatchObject({ content: [{ text: "drawn" }] })
    expect(await call("mcp__sdk__draw", {})).toEqual({
      content: [{ type: "text", text: 'MCP server "sdk": MCP error -32602: from is missing' }],
      isError: true,
      errorCode: "protocol_error",
    })
  })
})
