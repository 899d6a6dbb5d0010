import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net"
import { fileURLToPath } from "node:url"
import { expect, onTestFinished, vi } from "vitest"
import type { RunEventOf } from "../../src/contract/event.ts"
import type { JsonObject } from "../../src/contract/json.ts"
import type { ScriptTurn } from "../../src/model/script-schema.ts"
import { allowing } from "../support/cli-test.ts"
import type { CliOptions, CliRun } from "../support/run-cli.ts"

/** The file of a server that is installed beside these tests. */
export function installed(path: string): string {
  return fileURLToPath(new URL(`node_modules/${path}`, import.meta.url))
}

/** `[mcp_servers.NAME]` for a server that node runs. */
export function nodeServer(path: string, args: readonly string[] = [], more: JsonObject = {}): JsonObject {
  return { command: process.execPath, args: [installed(path), ...args], ...more }
}

/** A call of a tool, and what its result must hold. */
export interface Use {
  readonly tool: string
  readonly input?: JsonObject
  readonly holds: string | RegExp
  readonly fails?: boolean
  /** How long the model thinks before it makes the call: time for what a server does by itself after its start. */
  readonly thinksMs?: number
  /** What the model answers while the call goes on and the server asks it. */
  readonly sampled?: ScriptTurn
}

/** How the servers of a run are used; `srv` is the server that is looked at. */
export interface Uses {
  readonly cli: (options: CliOptions) => Promise<CliRun>
  readonly servers: JsonObject
  readonly uses: readonly Use[]
  readonly files?: Readonly<Record<string, string>>
}

/** Make the calls through the built CLI, one a turn. The CLI tests see to it that no process is left. */
export async function useServers({ cli, servers, uses, files }: Uses): Promise<CliRun> {
  const turns = uses.flatMap(({ tool, input = {}, thinksMs = 0, sampled }) => [
    { calls: [{ tool, input }], delay_ms: thinksMs },
    ...(sampled === undefined ? [] : [sampled]),
  ])
  const run = await cli({
    config: { mcp_servers: servers, permissions: allowing(...new Set(uses.map(({ tool }) => tool))) },
    ...(files ? { files } : {}),
    script: [...turns, { text: "Done." }],
    timeoutMs: 60_000,
  })
  const results = run.events.filter((event): event is RunEventOf<"tool.result"> => event.type === "tool.result")
  for (const [index, { tool, holds, fails = false }] of uses.entries()) {
    const result = results[index]
    expect({ tool: result?.tool, ok: result?.ok }, textOf(result)).toEqual({ tool, ok: !fails })
    expect(textOf(result)).toMatch(holds)
  }
  expect({ exitCode: run.exitCode, stdout: run.stdout }).toEqual({ exitCode: 0, stdout: "Done.\n" })
  return run
}

function textOf(result: RunEventOf<"tool.result"> | undefined): string {
  const texts = result?.content.map((block) =>
    block.type === "text" ? block.text : `[${block.type === "image" ? block.media_type : block.tool}]`,
  )
  return texts?.join("\n") ?? "no result"
}

/** What the report says about the one server of a run. */
export function serverOf({ report }: CliRun): JsonObject {
  const { connect_ms: _, error, ...server } = report?.servers[0] ?? { error: "no server" }
  return { ...server, error }
}

/** Start a server that listens on a port by itself, until the test is over. */
export async function serve(
  start: (port: number) => { readonly args: readonly string[]; readonly env?: Readonly<Record<string, string>> },
): Promise<number> {
  const port = await freePort()
  const { args, env } = start(port)
  const child = spawn(process.execPath, [...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: "ignore",
    detached: true,
  })
  onTestFinished(() => endGroup(child))
  await vi.waitFor(() => reach(port), { timeout: 20_000, interval: 50 })
  return port
}

/** A network that swallows what is sent: connections open, and nothing ever comes back. */
export async function serveSilence(): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => void sockets.add(socket)).listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function endGroup(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return
  const exited = once(child, "exit")
  process.kill(-child.pid, "SIGKILL")
  await exited
}

async function reach(port: number): Promise<void> {
  const socket = connect(port, "127.0.0.1")
  await once(socket, "connect")
  socket.destroy()
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
}
