import { fileURLToPath } from "node:url"
import { describe, expect, it, onTestFinished } from "vitest"
import type { Block } from "../../support/message-events.ts"
import { answer, type MessagesServer, startMessagesServer, text, toolUse } from "../../support/messages-server.ts"
import { definitionsOf } from "../../support/real-tools.ts"
import { runInProcess } from "../../support/run-in-process.ts"

const fixturePath = fileURLToPath(new URL("../../fixtures/servers/fixture-server.mjs", import.meta.url))
const issue = { owner: "acme", repo: "app", title: "It is broken" }

/** Search, call, search again, call, answer, over real HTTP. */
async function runOverHttp(set: readonly string[]): Promise<MessagesServer> {
  const api = await startMessagesServer([
    answer([toolUse("mcp_tool_search", { query: "create an issue", limit: 2 })]),
    answer([toolUse("mcp__github__create_issue", issue)]),
    answer([toolUse("mcp_tool_search", { query: "merge the pull request", limit: 1 })]),
    answer([toolUse("mcp__github__list_commits", { owner: "acme", repo: "app" })]),
    answer([text("Done.")]),
  ])
  onTestFinished(() => api.close())
  const { report } = await runInProcess({
    mcpServers: [`github=${process.execPath} ${fixturePath} --definitions ${definitionsOf("github")}`],
    set: ["mcp.lazy_loading=true", ...set],
    allow: ["mcp__github__*"],
    env: api.env,
  })
  expect(report).toMatchObject({ exit_code: 0, tools: { loaded: 4 } })
  return api
}

function resultOf(api: MessagesServer, request: number): Block | undefined {
  return api.requests[request]?.body.messages.at(-1)?.content.find((block) => block.type === "tool_result")
}

/** The bytes of a request up to its messages, and the messages without the marks of the cache, which move on. */
function partsOf(raw: string) {
  const { messages, ...rest } = JSON.parse(raw)
  const unmarked = JSON.stringify(messages).replaceAll(',"cache_control":{"type":"ephemeral"}', "")
  return { beginning: JSON.stringify(rest), messages: unmarked.slice(0, -1) }
}

describe("the prompt cache survives loading", () => {
  it("S0.14 S0.18 with deferred tools not a byte before the load changes, and the definition comes by reference", async () => {
    const api = await runOverHttp(["mcp.deferred_tools=true"])
    const requests = api.requests.map(({ raw }) => partsOf(raw))
    expect(new Set(requests.map(({ beginning }) => beginning)).size).toBe(1)
    requests.slice(1).forEach(({ messages }, at) => {
      expect(messages.startsWith(requests[at]?.messages ?? "?")).toBe(true)
    })
    const tools = JSON.parse(api.requests[0]?.raw ?? "{}").tools as readonly Block[]
    expect(tools.filter((tool) => tool.defer_loading === true)).toHaveLength(26)
    expect(tools.filter((tool) => tool.defer_loading === true && "cache_control" in tool)).toEqual([])
    expect(tools.filter((tool) => tool.defer_loading !== true).map((tool) => tool.name)).toEqual(
      expect.arrayContaining(["Read", "mcp_tool_search", "mcp_tool_list"]),
    )
    expect(resultOf(api, 3)?.content).toEqual([
      { type: "tool_reference", tool_name: "mcp__github__merge_pull_request" },
    ])
  })

  it("S0.14 without them each list of tools is the beginning of the next", async () => {
    const api = await runOverHttp([])
    const lists = api.requests.map(({ body }) => body.tools)
    expect(lists.map((tools) => tools.length)).toEqual([10, 12, 12, 13, 14])
    lists.slice(1).forEach((tools, at) => {
      expect(tools.slice(0, lists[at]?.length)).toEqual(lists[at])
    })
    expect(JSON.stringify(lists)).not.toContain("defer_loading")
    expect(new Set(api.requests.map(({ body }) => JSON.stringify(body.system))).size).toBe(1)
    expect(resultOf(api, 1)?.content).toEqual([
      expect.objectContaining({ type: "text", text: expect.stringContaining("mcp__github__create_issue") }),
    ])
  })
})
