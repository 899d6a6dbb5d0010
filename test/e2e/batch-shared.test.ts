import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { batchFolder } from "../support/batch-cli.ts"
import { allowing, fixture, it } from "../support/cli-test.ts"
import { answer, text } from "../support/messages-server.ts"

const ids = ["a", "b", "c", "d", "e", "f"]

describe("what the tasks of a batch share", () => {
  it("a shared server is started once, and every report shows it connected", async () => {
    const script = { turns: [{ calls: [{ tool: "mcp__srv__echo", input: { text: "hi" } }] }, { text: "Done." }] }
    const folder = batchFolder({
      "agent.toml": {
        mcp_servers: { srv: fixture(["--started-file", "started"], { shared: true, required: true }) },
        permissions: allowing("mcp__srv__echo"),
      },
      "echo.toml": script,
      "tasks.toml": { tasks: ids.map((id) => ({ id, task: "Say hi.", workspace: `trees/${id}` })) },
      ...Object.fromEntries(ids.map((id) => [`trees/${id}/file.txt`, id])),
    })
    const shared = ["--config", "agent.toml", "--script", "echo.toml", "--out-dir", "out"]
    const { exitCode, stderr } = await folder.run(["batch", "tasks.toml", "--concurrency", "3", ...shared])
    expect(exitCode, stderr).toBe(0)
    expect(readFileSync(join(folder.path, "started"), "utf8").trim().split("\n")).toHaveLength(1)
    for (const id of ids) {
      const { servers, calls } = folder.taskReport("out", id)
      expect(servers).toMatchObject([{ name: "srv", state: "connected", tools: 1 }])
      expect(calls).toMatchObject([{ tool: "mcp__srv__echo", ok: true, decision: { action: "allow" } }])
    }
  })

  it("a server that could not know which task it is about may not be shared", async () => {
    const srv = fixture([], { shared: true, roots: true })
    const folder = batchFolder({
      "agent.toml": { mcp_servers: { srv } },
      "tasks.toml": { tasks: [{ id: "a", task: "x" }] },
    })
    const { exitCode, stderr } = await folder.run(["batch", "tasks.toml", "--out-dir", "out"])
    expect(exitCode).toBe(2)
    expect(stderr).toContain("tasks.toml:1 task a: agent.toml:")
    expect(stderr).toContain("mcp_servers.srv.roots: not for a shared server")
    expect(folder.report("out")).toMatchObject({ exit_code: 2, tasks: [] })
  })

  it("the limits that the API tells one task are those of all", async ({ serve }) => {
    let resetAt = 0
    let early = 0
    const server = await serve((_request, index) => (exchange) => {
      if (Date.now() < resetAt) early += 1
      if (index === 0) {
        resetAt = Date.now() + 600
        exchange.response.setHeader("anthropic-ratelimit-requests-remaining", "0")
        exchange.response.setHeader("anthropic-ratelimit-requests-reset", new Date(resetAt).toISOString())
      }
      return answer([text("Done.")])(exchange)
    })
    const { exitCode } = await ask(server)
    expect(exitCode).toBe(0)
    expect([server.requests.length, early]).toEqual([ids.length, 0])
  })
})

/** Have a server asked by a batch, one task after the other, so that what the first learns is known to the others. */
async function ask(server: { readonly url: string; readonly env: Readonly<Record<string, string>> }) {
  const folder = batchFolder({ "tasks.toml": { tasks: ids.map((id) => ({ id, task: `Do ${id}.` })) } })
  const more = ["--bare", "--concurrency", "1", "--base-url", server.url, "--out-dir", "out"]
  return folder.run(["batch", "tasks.toml", ...more], server.env)
}
