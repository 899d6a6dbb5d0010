import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { stringify } from "smol-toml"
import { expect, it } from "vitest"
import { callsIn } from "../support/calls-file.ts"
import { fixture } from "../support/cli-test.ts"
import { runInProcess } from "../support/run-in-process.ts"
import { scratchFolder } from "../support/scratch-folder.ts"

const real: Readonly<Record<string, readonly { name: string; annotations: { readOnlyHint: boolean } }[]>> = JSON.parse(
  readFileSync(new URL("../fixtures/tools/real-tools.json", import.meta.url), "utf8"),
)

it("S0.32 of 89 tools of five real servers plan mode queues every write and runs every read", async () => {
  const folder = await scratchFolder()
  const callsFile = join(folder, "calls.jsonl")
  const servers = Object.keys(real)
  const mcp_servers = Object.fromEntries(
    servers.map((name) => [name, fixture(["--like", name, "--calls-file", callsFile], { trust_hints: true })]),
  )
  const rules = servers.map((name) => ({ tool: `mcp__${name}__*`, action: "allow" }))
  const config = join(folder, "config.toml")
  writeFileSync(config, stringify({ mcp_servers, permissions: { rules } }))
  const calls = Object.entries(real).flatMap(([server, tools]) =>
    tools.map(({ name }) => ({ tool: `mcp__${server}__${name}` })),
  )
  const { report } = await runInProcess({
    config: [config],
    workspace: folder,
    plan: join(folder, "plan.json"),
    turns: [{ calls }, { text: "Planned." }],
  })
  expect(report.exit_code).toBe(0)
  const tools = Object.entries(real).flatMap(([server, list]) => list.map((tool) => ({ server, ...tool })))
  const writes = tools.filter(({ annotations }) => !annotations.readOnlyHint)
  expect(report.plan.map((call) => call.tool)).toEqual(writes.map(({ server, name }) => `mcp__${server}__${name}`))
  const reads = tools.filter(({ annotations }) => annotations.readOnlyHint).map(({ name }) => name)
  expect([...callsIn(callsFile)].sort()).toEqual(reads.sort())
  expect([reads.length, writes.length]).toEqual([37, 52])
})
