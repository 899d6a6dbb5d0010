import { fileURLToPath } from "node:url"
import { describe, expect, it, onTestFinished } from "vitest"
import { answer, startMessagesServer, text, toolUse } from "../../support/messages-server.ts"
import { eventsOf, runInProcess } from "../../support/run-in-process.ts"

const fixturePath = fileURLToPath(new URL("../../fixtures/servers/fixture-server.mjs", import.meta.url))

describe("a server that changes its tools while loading is lazy", () => {
  it.each([
    ["appended", "false"],
    ["referred to", "true"],
  ])("S4.22 what is new is found and called, %s; what was sent before stays in its place", async (_, deferredTools) => {
    const api = await startMessagesServer([
      answer([toolUse("mcp_tool_search", { query: "echo" })]),
      answer([toolUse("mcp__notes__offer", { name: "later", description: "Translate a note into Latin" })]),
      answer([toolUse("mcp_tool_search", { query: "latin translation" })]),
      answer([toolUse("mcp__notes__later", { text: "salve" })]),
      answer([text("Done.")]),
    ])
    onTestFinished(() => api.close())
    const { report, events } = await runInProcess({
      mcpServers: [`notes=${process.execPath} ${fixturePath} --with echo,offer,fail`],
      set: ["mcp.lazy_loading=true", `mcp.deferred_tools=${deferredTools}`],
      allow: ["mcp__notes__*"],
      env: api.env,
    })
    expect(report).toMatchObject({ exit_code: 0, tools: { deferred: 3, loaded: 3 } })
    expect(eventsOf(events, "tool.search").map(({ names }) => names)).toEqual([
      ["mcp__notes__echo"],
      ["mcp__notes__later"],
    ])
    const lists = api.requests.map(({ body }) => body.tools)
    lists.slice(1).forEach((tools, at) => {
      expect(tools.slice(0, lists[at]?.length)).toEqual(lists[at])
    })
    expect(lists.at(-1)?.map(({ name }) => name)).toContain("mcp__notes__later")
    expect(new Set(api.requests.map(({ body }) => JSON.stringify(body.system))).size).toBe(1)
  })
})
