import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { loadConfig } from "../../../src/config/load.ts"
import { createProgress } from "../../../src/report/progress.ts"
import { commitPullRequest } from "../../support/pull-request.ts"
import { emitted, runStart } from "../../support/run-events.ts"
import { runInProcess } from "../../support/run-in-process.ts"
import { scratchFolder } from "../../support/scratch-folder.ts"
import { optionsFor } from "../workspace.ts"

const agentToml = `[permissions]
on_ask = "command"
ask_command = ["./ask.sh", "--now"]
[mcp_servers.files]
command = "npx"
args = ["-y", "files-mcp", "\${FILES_TOKEN}"]
[mcp_servers.off]
command = "never"
enabled = false
[mcp_servers.remote]
url = "https://mcp.acme.test/"
[[hooks.pre_tool_use]]
tool = "Bash"
command = ["./check.sh"]
[[hooks.run_end]]
command = ["./bye.sh", "now"]
`

describe("what the configuration in the work tree starts", () => {
  it("T6 names servers, hooks and ask_command of its files, with variables as names", async () => {
    const workspace = await scratchFolder({
      "agent.toml": agentToml,
      ".mcp.json": '{"mcpServers":{"json":{"command":"json-mcp"}}}',
      "agent.local.toml": '[mcp_servers.local]\ncommand = "local-mcp"\n',
    })
    expect(await startsOf(workspace, { FILES_TOKEN: "canary-of-the-test" })).toEqual([
      "server local: local-mcp",
      "server files: npx -y files-mcp ${FILES_TOKEN}",
      "server json: json-mcp",
      "hook pre_tool_use: ./check.sh",
      "hook run_end: ./bye.sh now",
      "ask_command: ./ask.sh --now",
    ])
  })

  it("T6 what a person gave by option or keeps elsewhere is not the work tree's, but a file of it named by --config is", async () => {
    const folder = await scratchFolder({
      "elsewhere.toml": '[mcp_servers.mine]\ncommand = "mine-mcp"\n',
      "tree/ci/agent.toml": '[mcp_servers.theirs]\ncommand = "theirs-mcp"\n',
      "tree/src/a.txt": "a",
    })
    await mkdir(join(folder, "tree", ".git"))
    const options = optionsFor(join(folder, "tree", "src"), {
      configFiles: [join(folder, "elsewhere.toml"), join(folder, "tree", "ci", "agent.toml")],
      mcpServers: ["option=option-mcp --fast"],
    })
    const { config } = await loadConfig(options)
    expect([config.servers.map(({ name }) => name).sort(), config.starts]).toEqual([
      ["mine", "option", "theirs"],
      ["server theirs: theirs-mcp"],
    ])
  })

  it("T6 on a pull request the base commit speaks, so that there is nothing to say of the work tree", async () => {
    const workspace = await scratchFolder()
    const server = { "agent.toml": '[mcp_servers.files]\ncommand = "files-mcp"\n' }
    const sha = await commitPullRequest(workspace, server, { ...server, "a.txt": "a" })
    const request = { GITLAB_CI: "true", CI_MERGE_REQUEST_IID: "7", CI_MERGE_REQUEST_DIFF_BASE_SHA: sha }
    const env = { PATH: process.env.PATH ?? "", HOME: workspace }
    expect(await startsOf(workspace, env)).toEqual(["server files: files-mcp"])
    expect(await startsOf(workspace, { ...env, ...request })).toEqual([])
  })

  it("T6 T9 the run says so in one line at its start, bounded, not when quiet", async () => {
    const starts = [`server a: a-mcp\n::error::x ${"y".repeat(3000)}`, "hook run_end: ./bye.sh"]
    const events = emitted([runStart({ starts })])
    const [, line = "", ...rest] = events.flatMap(createProgress({ verbosity: "normal", color: false }))
    expect(line).toMatch(/^the work tree starts server a: a-mcp ::error::x y+…$/)
    expect([line.length < 1100, rest]).toEqual([true, []])
    expect(events.flatMap(createProgress({ verbosity: "quiet", color: false }))).toEqual([])
  })

  it("T22 the first event holds it, without the values of secrets", async () => {
    const workspace = await scratchFolder({
      "agent.toml": '[[hooks.run_end]]\ncommand = ["true", "canary-in-the-config"]\n',
    })
    const env = { DEPLOY_TOKEN: "canary-in-the-config" }
    const { events } = await runInProcess({ workspace, bare: false, turns: [{ text: "Done." }], env })
    expect(events[0]).toMatchObject({ type: "run.start", starts: [expect.stringMatching(/^hook run_end: true \[/)] })
    expect(JSON.stringify(events)).not.toContain("canary-in-the-config")
  })
})

async function startsOf(workspace: string, env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { config } = await loadConfig(optionsFor(workspace, { env }))
  return config.starts
}
