import { mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, vi } from "vitest"
import { commandServer, fixtureServer, startPool } from "../support/mcp-servers.ts"

const scratchFile = () => join(mkdtempSync(join(tmpdir(), "mcp-")), "pids")

function pidsIn(file: string): readonly number[] {
  return readFileSync(file, "utf8").trim().split("\n").map(Number)
}

/** Is this process still running? A process that only waits to be reaped is not. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
  } catch {
    return false
  }
}

function handles(): number {
  return process.getActiveResourcesInfo().filter((name) => /Process|Pipe|TCPSOCKET/i.test(name)).length
}

it.each([
  { what: "a plain server", switches: [] },
  { what: "F43 servers that ignore SIGTERM", switches: ["--ignore-sigterm"] },
])("F43 $what: five are closed together and nothing is left", async ({ switches }) => {
  const file = scratchFile()
  const before = handles()
  const names = ["a", "b", "c", "d", "e"]
  const { pool } = await startPool(names.map((name) => fixtureServer(name, [...switches, "--started-file", file])))
  const pids = pidsIn(file)
  expect([pids.length, pids.every(isRunning)]).toEqual([5, true])
  await pool.close()
  expect(pids.filter(isRunning)).toEqual([])
  await vi.waitFor(() => expect(handles()).toBe(before))
})

it("F44 a grandchild that holds the pipes and ignores SIGTERM dies with its server", async () => {
  const file = scratchFile()
  const before = handles()
  const { pool } = await startPool([fixtureServer("srv", ["--grandchild", file, "--started-file", file])])
  const pids = pidsIn(file)
  expect(pids).toHaveLength(2)
  await pool.close()
  expect(pids.filter(isRunning)).toEqual([])
  await vi.waitFor(() => expect(handles()).toBe(before))
})

it("F44 a server behind a shell dies with the shell", async () => {
  const file = scratchFile()
  const { command, args } = fixtureServer("srv", ["--started-file", file])
  const line = [command, ...args].map((word) => `'${word}'`).join(" ")
  const { pool, call } = await startPool([commandServer("srv", ["sh", "-c", `${line}; true`])])
  expect(await call("mcp__srv__echo", { text: "through" })).toMatchObject({ isError: false })
  const pids = pidsIn(file)
  await pool.close()
  expect(pids.filter(isRunning)).toEqual([])
})

it("F44 a server that dies leaves no grandchild behind, although the pipes stay open", async () => {
  const file = scratchFile()
  const { call, pool } = await startPool([fixtureServer("srv", ["--with", "die", "--grandchild", file])])
  expect(await call("mcp__srv__die")).toMatchObject({ errorCode: "server_unavailable" })
  await pool.close()
  expect(pidsIn(file).filter(isRunning)).toEqual([])
})

it("a server that fails to start leaves no process", async () => {
  const file = scratchFile()
  const switches = ["--silent", "--grandchild", file, "--started-file", file]
  await startPool([fixtureServer("srv", switches, { startupTimeoutMs: 400 })])
  const pids = pidsIn(file)
  expect([pids.length, pids.filter(isRunning)]).toEqual([2, []])
})

it("closing during the start ends the start", async () => {
  const file = scratchFile()
  const stop = new AbortController()
  const starting = startPool([fixtureServer("srv", ["--silent", "--started-file", file])], { signal: stop.signal })
  await vi.waitFor(() => expect(pidsIn(file)).toHaveLength(1))
  stop.abort()
  const { pool } = await starting
  expect(pool.states()[0]?.state).toEqual({
    status: "failed",
    error: 'MCP server "srv": was not connected before the run was stopped',
  })
  expect(pidsIn(file).filter(isRunning)).toEqual([])
})
