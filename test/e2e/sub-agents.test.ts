import { describe, expect } from "vitest"
import { allowing, fixture, it } from "../support/cli-test.ts"

describe("sub-agents of the built CLI", () => {
  it.concurrent("S4.20 use the parent's connection to a server, and their events are nested in the transcript", async ({
    cli,
  }) => {
    const script = [
      { calls: [{ tool: "mcp__notes__echo", input: { text: "one" } }] },
      { calls: [{ tool: "Agent", input: { task: "Echo two", tools: ["mcp__notes__echo"] }, id: "sub" }] },
      {
        calls: [{ tool: "mcp__notes__echo", input: { text: "two" } }],
        expect: { tools_offered: ["mcp__notes__echo"] },
      },
      { text: "two", expect: { last_result_contains: "two" } },
      { text: "Done.", expect: { last_result_contains: "two" } },
    ]
    const config = {
      mcp_servers: { notes: fixture(["--with", "echo"]) },
      tools: { agent: true },
      permissions: allowing("mcp__notes__echo", "Agent"),
    }
    const { exitCode, report, events, stderr } = await cli({ script, config })
    expect([exitCode, report?.turns, report?.calls.length]).toEqual([0, 5, 3])
    expect(events.filter(({ type }) => type === "server.connected")).toHaveLength(1)
    const calls = events.filter(({ type }) => type === "tool.call")
    expect(calls.map((event) => event.parent_call_id ?? null)).toEqual([null, null, "sub"])
    expect(stderr).toContain("  call mcp__notes__echo: allow, ok")
  })
})
