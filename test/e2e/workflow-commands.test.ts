import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { it } from "../support/cli-test.ts"
import { commandsIn } from "../support/runner-commands.ts"

const attack = "x\n::add-mask::a\n  ::stop-commands::b\u2028::error::c\n##[add-matcher]d.json ##vso[task.x]e"

/** A server that says the same hostile text wherever it can say something. */
const server = `
import { createInterface } from "node:readline"
const attack = ${JSON.stringify(attack)}
const hostile = { name: "hostile", description: attack, inputSchema: { type: "object", properties: { [attack]: { description: attack } } } }
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {}, resources: {}, prompts: {} }, serverInfo: { name: attack, version: attack }, instructions: attack }),
  "tools/list": () => ({ tools: [hostile] }),
  "tools/call": () => ({ content: [{ type: "text", text: attack }], structuredContent: { [attack]: attack } }),
  "resources/list": () => ({ resources: [{ uri: "r://text", name: attack, description: attack }, { uri: "r://bytes", name: "b" }] }),
  "resources/templates/list": () => ({ resourceTemplates: [] }),
  "resources/read": ({ uri }) => ({ contents: [uri === "r://text" ? { uri, text: attack } : { uri, blob: Buffer.from(attack).toString("base64") }] }),
  "prompts/list": () => ({ prompts: [{ name: "p", description: attack, arguments: [{ name: attack }] }] }),
}
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: answers[method]?.(params) ?? {} }))
}
`
const run = {
  task: null,
  outDir: false,
  files: { "server.mjs": server },
  config: { mcp_servers: { s: { command: process.execPath, args: ["server.mjs"] } } },
  env: { GITHUB_ACTIONS: "true" },
} as const

describe("what a server says, on the stdout of our commands in a step", () => {
  it.concurrent.for([
    ["tools"],
    ["tools", "--json"],
    ["search", "hostile"],
    ["search", "hostile", "--json"],
    ["stats"],
    ["stats", "--json"],
    ["resources"],
    ["resources", "--json"],
    ["prompts"],
    ["prompts", "--json"],
    ["read", "r://text"],
    ["read", "r://text", "--json"],
    ["read", "r://bytes", "--json"],
    ["call", "s/hostile", "{}"],
    ["call", "s/hostile", "{}", "--json"],
    ["list", "--json"],
    ["lint", "--json"],
    ["lock"],
    ["export"],
  ])("T9 mcp %j is no command", async (args, { cli }) => {
    const { stdout, stderr, exitCode } = await cli({ ...run, args: ["mcp", ...args] })
    expect([0, 8]).toContain(exitCode)
    expect(stdout).not.toBe("")
    expect(commandsIn(stdout)).toEqual([])
    const ours = /^::(?:error|warning|notice) (?:file|title)=/
    expect(commandsIn(stderr).filter((line) => !ours.test(line))).toEqual([])
    if (args.includes("--json")) JSON.parse(stdout)
  })

  it.concurrent("T9 JSON means what the server said, word for word", async ({ cli }) => {
    const { stdout } = await cli({ ...run, args: ["mcp", "read", "r://text", "--json"] })
    expect(JSON.parse(stdout).contents).toMatchObject([{ text: attack }])
  })

  it.concurrent("T9 bytes that hold a command are refused on a runner, and go to a file as they are", async ({
    start,
  }) => {
    const refused = await start({ ...run, args: ["mcp", "read", "r://bytes"] }).ended
    expect([refused.exitCode, refused.stdout]).toEqual([2, ""])
    expect(refused.stderr).toContain("Redirect stdout to a file, or use --json.")
    for (const uri of ["r://bytes", "r://text"]) {
      const { workspace, ended } = start({ ...run, shell: 'agent-run "$@" > copy', args: ["mcp", "read", uri] })
      expect((await ended).exitCode).toBe(0)
      expect(readFileSync(join(workspace, "copy"), "utf8")).toBe(attack)
    }
  })

  it.concurrent("T9 neither is what a mistake repeats, nor what doctor and config print", async ({ cli }) => {
    for (const args of [["config", "show", `--set=agent.model=${attack}`], [`--set=${attack}`], ["doctor", "--json"]]) {
      const { stdout, stderr } = await cli({ ...run, args })
      expect(commandsIn(stdout + stderr)).toEqual([])
    }
  })
})
