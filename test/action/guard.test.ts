import { describe, expect, it, onTestFinished } from "vitest"
import { startGithubApi } from "../support/github-api.ts"
import { answer, forever, type MessagesServer, startMessagesServer, text } from "../support/messages-server.ts"
import { runAction } from "../support/run-action.ts"

const token = "ghs_canary0123456789"
const withToken = { "github-token": token }
const outsiderEvents = [
  "pull_request",
  "pull_request_target",
  "pull_request_review",
  "pull_request_review_comment",
  "issues",
  "issue_comment",
  "discussion",
  "discussion_comment",
  "workflow_run",
  "an_event_of_the_future",
]

async function startModel(): Promise<MessagesServer> {
  const api = await startMessagesServer([forever(answer([text("Done.")]))])
  onTestFinished(api.close)
  return api
}

describe("the guard of the Action", () => {
  it.each(outsiderEvents)("T1 on %s somebody who may only read starts nothing", async (event) => {
    const [api, github] = await Promise.all([startModel(), startGithubApi({ mallory: "read" })])
    const payload = { workflow_run: { actor: { login: "mallory" } } }
    const step = await runAction({ event, payload, actor: "mallory", inputs: withToken, api, env: github.env })
    expect(step.exitCode).toBe(2)
    expect(step.report.reason).toMatchObject({ code: "actor_refused", message: expect.stringContaining("mallory") })
    expect(github.requests).toEqual([`GET /repos/acme/widgets/collaborators/mallory/permission Bearer ${token}`])
    expect(api.connections()).toBe(0)
    expect(step.stdout).toContain(`::add-mask::${token}`)
    expect(step.stdout).toContain("(actor_refused)::mallory caused the event")
  })

  it.each(["admin", "maintain", "write"])("T1 somebody with the permission %s passes", async (permission) => {
    const [api, github] = await Promise.all([startModel(), startGithubApi({ alice: permission })])
    // Issues need no base commit, so that only the guard decides.
    const step = await runAction({ event: "issues", actor: "alice", inputs: withToken, api, env: github.env })
    expect(step.exitCode, step.stderr).toBe(0)
    expect(api.requests).toHaveLength(1)
  })

  it.each(["push", "schedule", "workflow_dispatch", "merge_group"])(
    "T1 %s needs no check and no token",
    async (event) => {
      const [api, github] = await Promise.all([startModel(), startGithubApi({})])
      const step = await runAction({ event, actor: "mallory", api, env: github.env })
      expect(step.exitCode, step.stderr).toBe(0)
      expect(github.requests).toEqual([])
    },
  )

  it.each([
    ["no token", "alice", {}, "cannot be asked"],
    ["somebody unknown to the repository", "nobody", withToken, "may not write"],
    ["a token that may not ask", "forbidden", withToken, "status 403"],
    ["an API that is down", "down", withToken, "status 503"],
    ["a bot that is not listed", "helper[bot]", { ...withToken, "allowed-bots": "dependabot[bot]" }, "not listed"],
    ["a star for all bots", "helper[bot]", { ...withToken, "allowed-bots": "*" }, "not the name of a bot"],
    ["a person with the name of a listed bot", "dependabot", { ...withToken, "allowed-bots": "dependabot" }, "may not"],
  ])("T1 %s is exit 2 without a model request", async (_, actor, inputs, message) => {
    const [api, github] = await Promise.all([startModel(), startGithubApi({ forbidden: 403, down: 503 })])
    const step = await runAction({ event: "issue_comment", actor, inputs, api, env: github.env })
    expect(step.exitCode).toBe(2)
    expect(step.report.reason?.message).toContain(message)
    expect(api.connections()).toBe(0)
  })

  it("T1 a listed bot passes", async () => {
    const api = await startModel()
    const inputs = { ...withToken, "allowed-bots": "renovate[bot]\nDependabot[bot]" }
    const step = await runAction({ event: "issues", actor: "dependabot[bot]", inputs, api })
    expect(step.exitCode, step.stderr).toBe(0)
  })

  it("T1 a workflow that follows an unknown one is exit 2 without a model request", async () => {
    const [api, github] = await Promise.all([startModel(), startGithubApi({ alice: "write" })])
    const step = await runAction({ event: "workflow_run", actor: "alice", inputs: withToken, api, env: github.env })
    expect(step.report.reason).toMatchObject({ code: "actor_refused", message: expect.stringContaining("nobody") })
    expect(api.connections()).toBe(0)
  })

  it("T1 a workflow that follows another one is started by who started that one", async () => {
    const [api, github] = await Promise.all([startModel(), startGithubApi({ alice: "write", mallory: "read" })])
    const payload = { workflow_run: { actor: { login: "mallory" }, triggering_actor: { login: "alice" } } }
    const step = await runAction({
      event: "workflow_run",
      payload,
      actor: "alice",
      inputs: withToken,
      api,
      env: github.env,
    })
    expect(step.report.reason).toMatchObject({ code: "actor_refused", message: expect.stringContaining("mallory") })
    expect(api.connections()).toBe(0)
  })
})
