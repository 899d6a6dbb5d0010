import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { moduleServer, startPool } from "../../support/mcp-servers.ts"
import { eventsOf, runInProcess } from "../../support/run-in-process.ts"
import { scratchFolder } from "../../support/scratch-folder.ts"

const generations = {
  older: fileURLToPath(new URL("../../fixtures/servers/in-process-v1.mjs", import.meta.url)),
  newer: fileURLToPath(new URL("../../fixtures/servers/in-process-v2.mjs", import.meta.url)),
}

describe("a server inside our process", () => {
  it.each(["older", "newer"] as const)("S3.8 built with the %s SDK is connected and called", async (generation) => {
    const { pool, call, events } = await startPool([moduleServer("near", generations[generation])])
    expect(events.at(-1)).toMatchObject({ type: "server.connected", transport: "sdk", tools: 1 })
    const text = `process ${process.pid}`
    expect(await call("mcp__near__whoami")).toEqual({ content: [{ type: "text", text }], isError: false })
    await pool.close()
    expect(events.at(-1)).toMatchObject({ type: "server.disconnected", reason: "run_end" })
  })

  it.each([
    ["does not exist", null, "Cannot find module"],
    ["throws", "throw new Error('no luck')", "no luck"],
    ["exports something else", "export default 42", "exports neither an MCP server nor a function"],
    ["makes something else", "export default () => ({})", "exports neither an MCP server nor a function"],
  ])("whose module %s is failed", async (_, contents, error) => {
    const path = join(await scratchFolder(), "server.mjs")
    if (contents !== null) writeFileSync(path, contents)
    const { pool, events } = await startPool([moduleServer("near", path)])
    expect(pool.states()[0]?.state).toMatchObject({ status: "failed", error: expect.stringContaining(error) })
    expect(events.at(-1)).toMatchObject({ hint: expect.stringContaining("Check module") })
  })

  it.each([
    ["connects", "export default { connect: () => new Promise(() => {}), close: async () => {} }"],
    ["finishes loading", "await new Promise(() => {})\nexport const server = null"],
  ])("that never %s is given up after the startup timeout", async (_, contents) => {
    const path = join(await scratchFolder(), "server.mjs")
    writeFileSync(path, contents)
    const { pool } = await startPool([moduleServer("near", path, { startupTimeoutMs: 100 })])
    expect(pool.states()[0]?.state).toMatchObject({ status: "failed", error: expect.stringContaining("within") })
  })

  it("S3.9 is configured by its module, relative to the file that names it", async () => {
    const folder = await scratchFolder()
    writeFileSync(join(folder, "server.mjs"), `export { server as default } from ${JSON.stringify(generations.newer)}`)
    writeFileSync(join(folder, "agent.toml"), '[mcp_servers.near]\ntype = "sdk"\nmodule = "./server.mjs"\n')
    const { report, events } = await runInProcess({
      turns: [{ calls: [{ tool: "mcp__near__whoami", input: {} }] }, { text: "done" }],
      config: [join(folder, "agent.toml")],
      allow: ["mcp__near__*"],
    })
    expect(report).toMatchObject({ exit_code: 0, servers: [{ name: "near", transport: "sdk", state: "connected" }] })
    expect(eventsOf(events, "tool.result")).toMatchObject([{ ok: true }])
  })

  it("is refused in a project file", async () => {
    const workspace = await scratchFolder()
    writeFileSync(join(workspace, "agent.toml"), '[mcp_servers.near]\ntype = "sdk"\nmodule = "./server.mjs"\n')
    const { report } = await runInProcess({ turns: [{ text: "done" }], workspace, bare: false })
    expect(report).toMatchObject({ exit_code: 2, reason: { code: "config_error" } })
    expect(report.reason?.message).toContain("a project file may not run code inside agent-run")
  })
})
