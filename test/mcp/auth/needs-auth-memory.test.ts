import { spawn } from "node:child_process"
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { createNeedsAuthMemory } from "../../../src/mcp/auth/needs-auth-memory.ts"
import { startHttpMcpServer } from "../../support/http-mcp-server.ts"
import { remoteServer, startPool } from "../../support/mcp-servers.ts"
import { startOAuthMcpServer } from "../../support/oauth-mcp-server.ts"
import { scratchFolder } from "../../support/scratch-folder.ts"

const writer = fileURLToPath(new URL("../../fixtures/programs/remember-needs-auth.mjs", import.meta.url))
const minuteMs = 60_000

function memoryAt(folder: string, minutes: number, refresh = false) {
  return createNeedsAuthMemory({ folder, now: () => minutes * minuteMs, refresh })
}

async function probe(url: string, memory: ReturnType<typeof memoryAt>, headers: Record<string, string> = {}) {
  const { pool, events } = await startPool([remoteServer("far", url, { headers })], { access: { memory } })
  await pool.close()
  return { state: pool.states()[0]?.state, last: events.at(-1) }
}

describe("what is remembered of servers that need authentication", () => {
  it("S3.21 keeps a server from being asked for 15 minutes, but for other credentials or a demanded refresh", async () => {
    const server = await startOAuthMcpServer()
    const folder = join(await scratchFolder(), "cache")
    expect((await probe(server.url, memoryAt(folder, 0))).state?.status).toBe("needs-auth")
    expect(server.paths).toHaveLength(1)

    const remembered = await probe(server.url, memoryAt(folder, 14))
    expect(remembered.state).toEqual({
      status: "needs-auth",
      error: 'MCP server "far": needed authentication at 1970-01-01T00:00:00.000Z and was not asked again',
    })
    expect(remembered.last).toMatchObject({ type: "server.error", hint: expect.stringContaining("--refresh-auth") })
    expect(server.paths).toHaveLength(1)

    await probe(server.url, memoryAt(folder, 14), { "x-api-key": "another" })
    expect(server.paths).toHaveLength(2)
    await probe(server.url, memoryAt(folder, 14, true))
    expect(server.paths).toHaveLength(3)
    await probe(server.url, memoryAt(folder, 28))
    expect(server.paths).toHaveLength(3)
    await probe(server.url, memoryAt(folder, 29))
    expect(server.paths).toHaveLength(4)
  })

  it("is forgotten when the server lets us in", async () => {
    const server = await startHttpMcpServer("http")
    const folder = await scratchFolder()
    await memoryAt(folder, 0).remember(remoteServer("far", server.url))
    expect((await probe(server.url, memoryAt(folder, 1))).state?.status).toBe("needs-auth")
    expect((await probe(server.url, memoryAt(folder, 1, true))).state?.status).toBe("connected")
    expect((await probe(server.url, memoryAt(folder, 1))).state?.status).toBe("connected")
    await server.close()
  })

  it("holds neither URLs nor credentials, and is private", async () => {
    const folder = join(await scratchFolder(), "deep", "cache")
    const headers = { authorization: "Bearer c4nary-c4nary" }
    await memoryAt(folder, 0).remember(remoteServer("far", "https://far.example.com/mcp", { headers }))
    const path = join(folder, "needs-auth.json")
    expect(readFileSync(path, "utf8")).toMatch(/^\{"salt":"[0-9a-f]{32}","entries":\{"[0-9a-f]{64}":0\}\}\n$/)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  it.each(["", "{", "[]", '{"salt":1}', '{"salt":"x","entries":{"a":"b"}}'])(
    "is empty when the file holds %j, and usable again after",
    async (contents) => {
      const folder = await scratchFolder()
      writeFileSync(join(folder, "needs-auth.json"), contents)
      const config = remoteServer("far", "https://far.example.com/mcp")
      expect(await memoryAt(folder, 0).since(config)).toBeNull()
      await memoryAt(folder, 0).remember(config)
      expect(await memoryAt(folder, 1).since(config)).toEqual(new Date(0))
    },
  )

  it("costs nothing but time when it cannot be written", async () => {
    const folder = join(await scratchFolder(), "a-file")
    writeFileSync(folder, "")
    const memory = memoryAt(join(folder, "below"), 0)
    const config = remoteServer("far", "https://far.example.com/mcp")
    await memory.remember(config)
    expect(await memory.since(config)).toBeNull()
  })

  it("S3.22 loses no entry when many processes write at the same time, and is whole whenever it is read", async () => {
    const folder = await scratchFolder()
    const path = join(folder, "needs-auth.json")
    const names = ["a", "b", "c", "d", "e", "f"]
    let running = names.length
    const exits = names.map(
      (name) =>
        new Promise<number | null>((resolve) => {
          spawn(process.execPath, [writer, folder, name, "10"], { stdio: "inherit" }).on("exit", (code) => {
            running -= 1
            resolve(code)
          })
        }),
    )
    while (running > 0) {
      const names = readdirSync(folder)
      if (names.includes("needs-auth.json")) expect(() => JSON.parse(readFileSync(path, "utf8"))).not.toThrow()
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    expect(await Promise.all(exits)).toEqual(names.map(() => 0))
    expect(Object.keys(JSON.parse(readFileSync(path, "utf8")).entries)).toHaveLength(60)
    expect(readdirSync(folder)).toEqual(["needs-auth.json"])
  })
})
