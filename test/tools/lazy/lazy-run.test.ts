import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import type { ScriptTurn } from "../../../src/model/script-schema.ts"
import { definitionsOf } from "../../support/real-tools.ts"
import { eventsOf, runInProcess } from "../../support/run-in-process.ts"

const fixturePath = fileURLToPath(new URL("../../fixtures/servers/fixture-server.mjs", import.meta.url))
const createIssue = "mcp__github__create_issue"
const issue = { owner: "acme", repo: "app", title: "It is broken" }

/** A run with the tools of real servers, which echo what they are called with. */
function runWith(
  turns: readonly ScriptTurn[],
  { servers = ["github"], set = [], allow = [], deny = [] }: Partial<Surroundings> = {},
) {
  return runInProcess({
    turns: [...turns],
    mcpServers: servers.map(
      (name) => `${name}=${process.execPath} ${fixturePath} --definitions ${definitionsOf(name)}`,
    ),
    set: ["mcp.lazy_loading=true", ...set],
    allow: [...allow, ...servers.map((name) => `mcp__${name}__*`)],
    deny,
  })
}

interface Surroundings {
  readonly servers: readonly string[]
  readonly set: readonly string[]
  readonly allow: readonly string[]
  readonly deny: readonly string[]
}

function search(query: string, more: object = {}): NonNullable<ScriptTurn["calls"]>[number] {
  return { tool: "mcp_tool_search", input: { query, ...more } }
}

describe("lazy loading", () => {
  it("S0.14 S0.16 S0.18 S0.28 a search loads what it finds, and the next call uses it", async () => {
    const { report, events } = await runWith([
      {
        calls: [search("open an issue", { limit: 2 })],
        expect: {
          tools_offered: ["mcp_tool_search", "mcp_tool_list", "Read"],
          tools_not_offered: [createIssue],
          system_contains: ["\nmcp__github__*\n", "\nget_pull_request_files: list of files changed\n"],
        },
      },
      {
        calls: [{ tool: createIssue, input: issue }],
        expect: { tools_offered: [createIssue], last_result_contains: [createIssue, "Loaded; call them"] },
      },
      { text: "Filed.", expect: { last_result_contains: "It is broken", last_result_is_error: false } },
    ])
    expect(report).toMatchObject({ exit_code: 0, tools: { offered: 36, deferred: 26, loaded: 2 } })
    expect(eventsOf(events, "server.connected")).toMatchObject([{ server: "github", tools: 26 }])
    expect(eventsOf(events, "tool.call").map(({ tool }) => tool)).toEqual(["mcp_tool_search", createIssue])
    expect(eventsOf(events, "tool.result").map(({ ok }) => ok)).toEqual([true, true])
    const [found] = eventsOf(events, "tool.search")
    expect(found).toMatchObject({ query: "open an issue", regex: false, results: 2 })
    expect(found?.names).toContain(createIssue)
    expect(eventsOf(events, "tool.dynamicLoad").map(({ tool, server, by }) => ({ tool, server, by }))).toEqual(
      found?.names.map((tool) => ({ tool, server: "github", by: "search" })),
    )
  })

  it("S0.14 an unloaded tool that is called runs when its input is valid, and is loaded then", async () => {
    const { report, events } = await runWith([
      { calls: [{ tool: createIssue, input: issue }], expect: { tools_not_offered: [createIssue] } },
      { text: "Filed.", expect: { tools_offered: [createIssue], last_result_contains: "It is broken" } },
    ])
    expect(report).toMatchObject({ exit_code: 0, tools: { deferred: 26, loaded: 1 } })
    expect(eventsOf(events, "tool.dynamicLoad")).toMatchObject([{ tool: createIssue, by: "call" }])
  })

  it("S0.14 an unloaded tool that is called with invalid input answers with its definition", async () => {
    const { report } = await runWith([
      { calls: [{ tool: createIssue, input: { title: 7 } }] },
      {
        calls: [{ tool: createIssue, input: issue }],
        expect: {
          tools_offered: [createIssue],
          last_result_is_error: true,
          last_result_contains: [
            'does not have required property "owner"',
            '"inputSchema":{"type":"object"',
            '"assignees"',
          ],
        },
      },
      { text: "Filed.", expect: { last_result_contains: "It is broken" } },
    ])
    expect(report.calls.map(({ ok, error_code }) => ({ ok, error_code }))).toEqual([
      { ok: false, error_code: "invalid_input" },
      { ok: true, error_code: null },
    ])
  })

  it("S0.11 a search finds at most max_tools_per_search tools, however many it asks for", async () => {
    const { events } = await runWith(
      [
        { calls: [search("pull request"), search("pull request", { limit: 50 }), search("issue", { limit: 1 })] },
        { text: "Done." },
      ],
      { set: ["mcp.max_tools_per_search=3", "expect.some_call_succeeds=false"] },
    )
    expect(eventsOf(events, "tool.search").map(({ results }) => results)).toEqual([3, 3, 1])
    const byDefault = await runWith([{ calls: [search("pull request")] }, { text: "Done." }])
    expect(eventsOf(byDefault.events, "tool.search").map(({ results }) => results)).toEqual([5])
  })

  it("S0.16 a query may be a regular expression; a wrong or endless one is an error result", async () => {
    const { report, events } = await runWith([
      {
        calls: [
          search("^mcp__github__merge_", { regex: true }),
          search("(", { regex: true }),
          search("^(.*.*.*.*.*.*)*$x", { regex: true }),
          search("quantum entanglement"),
        ],
      },
      { text: "Done.", expect: { last_result_contains: "No tool matches", last_result_is_error: false } },
    ])
    expect(eventsOf(events, "tool.search").map(({ names, regex }) => ({ names, regex }))).toEqual([
      { names: ["mcp__github__merge_pull_request"], regex: true },
      { names: [], regex: false },
    ])
    expect(report.calls.map((call) => call.error_code)).toEqual([null, "invalid_input", "invalid_input", null])
  })

  it("S0.19 mcp_tool_list names every tool of one server and loads none", async () => {
    const list = (server: string) => ({ calls: [{ tool: "mcp_tool_list", input: { server } }] })
    const { report } = await runWith(
      [
        list("maps"),
        {
          ...list("unknown"),
          expect: {
            last_result_contains: [
              "mcp__maps__maps_geocode: Convert address",
              "mcp__maps__maps_elevation",
              "mcp__maps__maps_directions",
            ],
            tools_not_offered: ["mcp__maps__maps_geocode"],
          },
        },
        {
          text: "Done.",
          expect: { last_result_is_error: true, last_result_contains: "Servers with tools: github, maps" },
        },
      ],
      { servers: ["github", "maps"] },
    )
    expect(report.tools).toEqual({ offered: 43, deferred: 33, loaded: 0 })
  })

  it("a tool that a bare deny hides does not wait, is not found, listed or callable", async () => {
    const { events, report } = await runWith(
      [
        {
          calls: [
            search("merge a pull request"),
            search("merge", { regex: true }),
            { tool: "mcp_tool_list", input: { server: "github" } },
            { tool: "mcp__github__merge_pull_request", input: {} },
          ],
        },
        { text: "Done." },
      ],
      { deny: ["mcp__github__merge_*"], set: ["expect.some_call_succeeds=false"] },
    )
    const said = JSON.stringify(events.filter(({ type }) => type === "tool.search" || type === "tool.dynamicLoad"))
    expect(said).not.toContain("merge_pull_request")
    const results = eventsOf(events, "tool.result")
    const list = results.find(({ tool }) => tool === "mcp_tool_list")
    expect(list?.content).toEqual([{ type: "text", text: expect.not.stringContaining("merge_pull_request") }])
    expect(results.find(({ tool }) => tool === "mcp__github__merge_pull_request")?.error_code).toBe("denied")
    expect(report.tools.deferred).toBe(25)
  })

  it("S0.12 always_load_tools are offered in full from the start", async () => {
    const { report } = await runWith([{ text: "Done.", expect: { tools_offered: [createIssue] } }], {
      set: ['mcp.always_load_tools=["mcp__github__create_*"]'],
    })
    expect(report.tools).toEqual({ offered: 36, deferred: 20, loaded: 0 })
  })

  it("S0.9 without lazy loading, or with few tokens, everything is offered and nothing can be searched", async () => {
    const all: ScriptTurn = {
      text: "Done.",
      expect: { tools_offered: [createIssue], tools_not_offered: ["mcp_tool_search", "mcp_tool_list"] },
    }
    for (const value of ["false", "auto"]) {
      const { report } = await runWith([all], { set: [`mcp.lazy_loading=${value}`] })
      expect(report).toMatchObject({ exit_code: 0, tools: { offered: 34, deferred: 0, loaded: 0 } })
    }
  })

  it("a rule that hides the search tool ends lazy loading, because nothing could be found", async () => {
    const { report } = await runWith([{ text: "Done.", expect: { tools_offered: [createIssue] } }], {
      deny: ["mcp_tool_search"],
    })
    expect(report.tools.deferred).toBe(0)
  })

  it("S4.20 a sub-agent that is given certain tools has their definitions at once, and no catalogue", async () => {
    const { report } = await runWith(
      [
        { calls: [{ tool: "Agent", input: { task: "File it", tools: [createIssue] } }] },
        {
          calls: [{ tool: createIssue, input: issue }],
          expect: { tools_offered: [createIssue], tools_not_offered: ["mcp_tool_search", "mcp__github__get_issue"] },
        },
        { text: "Filed." },
        { text: "Done.", expect: { tools_not_offered: ["mcp__github__get_issue"] } },
      ],
      { set: ["tools.agent=true"], allow: ["Agent"] },
    )
    expect(report).toMatchObject({ exit_code: 0, tools: { deferred: 26 } })
  })

  it("a run that only searched did nothing", async () => {
    const { report } = await runWith([{ calls: [search("issue")] }, { text: "I looked." }])
    expect(report).toMatchObject({ exit_code: 8, reason: { code: "no_call_succeeded" } })
  })
})
