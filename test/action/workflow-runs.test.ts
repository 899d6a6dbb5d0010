import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { root } from "../support/doc-shell.ts"
import { startGithubApi } from "../support/github-api.ts"
import { answer, type Reply, startMessagesServer, text, toolUse } from "../support/messages-server.ts"
import { runWorkflow } from "../support/run-workflow.ts"

async function startModel(...replies: readonly Reply[]) {
  const api = await startMessagesServer(replies)
  onTestFinished(api.close)
  return api
}

const source = { "src/cart.js": "export const total = 1\n" }
const fixture = JSON.stringify(join(root, "test/fixtures/servers/fixture-server.mjs"))
const tools = JSON.stringify(["--definitions", join(root, "bench/context/definitions/git.json")])

describe("the example workflows, step by step", () => {
  it("C2 T1 review-pull-request.yml reviews the diff, and another job comments", async () => {
    const api = await startModel(answer([text("src/cart.js:1 is wrong.")]))
    const { env } = await startGithubApi({ octocat: "write" })
    const files = { "src/cart.js": "export const total = 2\n" }
    const { asked } = await runWorkflow({
      name: "review-pull-request.yml",
      event: "pull_request",
      base: source,
      files,
      api,
      env,
    })
    expect(JSON.stringify(api.requests[0]?.body.messages)).toContain("+export const total = 2")
    expect(asked).toContain("gh pr comment 7 --repo acme/widgets --body-file -\nsrc/cart.js:1 is wrong.")
  })

  it("C2 T1 triage-issue.yml puts the label that the model chose on the issue", async () => {
    const api = await startModel(answer([text('{"label":"bug"}')]))
    const { env } = await startGithubApi({ octocat: "write" })
    const payload = { issue: { number: 9, title: "Total", body: "It is 1." }, label: { name: "triage" } }
    const { asked } = await runWorkflow({ name: "triage-issue.yml", event: "issues", payload, base: source, api, env })
    expect(JSON.stringify(api.requests[0]?.body.messages)).toContain("It is 1.")
    expect(asked).toContain("gh issue edit 9 --repo acme/widgets --remove-label triage --add-label bug\n")
  })

  it("C2 nightly-maintenance.yml plans, applies and pushes what was planned", async () => {
    const write = toolUse("Write", { file_path: "src/new.js", content: "export {}\n" })
    const api = await startModel(answer([write]), answer([text("One file is missing.")]))
    const base = { ...source, ".github/tasks/maintenance.md": "Add what is missing.\n" }
    const { asked, pushed } = await runWorkflow({ name: "nightly-maintenance.yml", event: "schedule", base, api })
    expect(pushed).toMatch(/^Nightly maintenance\n\n src\/new\.js \| 1 \+\n/)
    expect(asked).toContain("gh pr create --fill --head maintenance-42\n")
  })

  it("C2 lint-mcp-server.yml lints the server of the checkout", async () => {
    const server = { "server.mjs": `process.argv.push(...${tools})\nawait import(${fixture})\n` }
    const { asked } = await runWorkflow({ name: "lint-mcp-server.yml", event: "pull_request", base: server })
    expect(asked).toBe("npm ci\nnpm run build\n")
    const undescribed = { "server.mjs": `await import(${fixture})\n` }
    const run = runWorkflow({ name: "lint-mcp-server.yml", event: "pull_request", base: undescribed })
    await expect(run).rejects.toThrow("ended with 8")
  })
})

describe("the examples", () => {
  const batches = "test/batch-examples.test.ts"
  /** Which test runs what is in a folder of examples/; nothing else may lie there. */
  const runBy: Readonly<Record<string, string>> = {
    ci: "test/ci-examples.test.ts",
    "ci-script": "test/docs-examples.test.ts",
    embed: "test/docs-examples.test.ts",
    kubernetes: batches,
    quickstart: "test/docs-examples.test.ts",
    workflows: "test/action/workflow-runs.test.ts",
  }

  it("are all run by a test", () => {
    expect(readdirSync(join(root, "examples")).sort()).toEqual(Object.keys(runBy))
    for (const [folder, test] of Object.entries(runBy)) {
      const names = readdirSync(join(root, "examples", folder)).filter((name) =>
        /\.(?:yml|sh|mjs)$|file$|^crontab$/.test(name),
      )
      const text = [test, batches].map((path) => readFileSync(join(root, path), "utf8")).join("\n")
      const unnamed = names.filter((name) => !text.includes(name))
      expect({ folder, unnamed }).toEqual({ folder, unnamed: [] })
    }
  })
})
