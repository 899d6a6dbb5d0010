import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { parse } from "yaml"
import { it } from "../support/cli-test.ts"

const noRun = { task: null, outDir: false } as const
const example = new URL("../../examples/workflows/review-pull-request.yml", import.meta.url)

describe("agent-run init", () => {
  it("writes a configuration that passes its check, and a workflow like the example", async ({ start, cli }) => {
    const running = start({ ...noRun, files: { ".github/keep": "" }, args: ["init"] })
    const { exitCode, stdout } = await running.ended
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(
      /^wrote agent\.toml\nwrote \.github\/workflows\/agent-run\.yml\n.+\nnext: agent-run doctor\n$/,
    )
    const read = (name: string) => readFileSync(join(running.workspace, name), "utf8")
    const check = await cli({ ...noRun, config: read("agent.toml"), args: ["config", "check"] })
    expect(check).toMatchObject({ exitCode: 0, stdout: "ok  agent.toml\n" })
    const uncommented = read("agent.toml").replaceAll(/^# (?=\[|[a-z_]+ = )/gm, "")
    const around = { files: { "AGENTS.md": "Be brief." }, env: { DOCS_TOKEN: "a", ISSUES_TOKEN: "b" } }
    const full = await cli({ ...noRun, ...around, config: uncommented, args: ["config", "check"] })
    expect(full).toMatchObject({ exitCode: 0, stdout: "ok  agent.toml\n", stderr: "" })
    const workflow = parse(read(".github/workflows/agent-run.yml"))
    const { steps, permissions } = parse(readFileSync(example, "utf8")).jobs.review
    expect(workflow).toMatchObject({ on: "pull_request", permissions: {}, jobs: { review: { steps, permissions } } })
  })

  it("replaces nothing without --force, and names what is there", async ({ cli, start }) => {
    const config = "[agent]\nmax_turns = 3\n"
    const running = start({ ...noRun, config, args: ["init", "--workflow"] })
    const refused = await running.ended
    expect(refused.exitCode).toBe(2)
    expect(refused.stderr).toContain("agent.toml is there already; nothing was written\n  --force")
    expect(readFileSync(join(running.workspace, "agent.toml"), "utf8")).toBe(config)
    const forced = await cli({ ...noRun, config, args: ["init", "--force"] })
    expect(forced).toMatchObject({ exitCode: 0, stdout: "wrote agent.toml\nnext: agent-run doctor\n" })
  })
})
