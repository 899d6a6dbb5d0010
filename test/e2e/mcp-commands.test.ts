import { describe, expect } from "vitest"
import { fixture, it } from "../support/cli-test.ts"

const noRun = { task: null, outDir: false } as const
const config = {
  mcp_servers: {
    notes: fixture(["--resources", "--prompts", "--with", "echo,fail,delete_note,env,hang"], {
      disabled_tools: ["hang"],
      env_vars: ["CANARY_TOKEN"],
    }),
    more: fixture(["--resources"]),
    broken: { command: "no-such-program-anywhere" },
  },
  permissions: { rules: [{ tool: "mcp__notes__delete_*", action: "deny" }] },
}
const env = { CANARY_TOKEN: "canary-0123456789" }

describe("mcp tools", () => {
  it.concurrent("S0.27 S1.6 shows name, hints, head of the description, and what hides a tool", async ({ cli }) => {
    const { exitCode, stdout } = await cli({ ...noRun, config, env, args: ["mcp", "tools", "notes", "-q"] })
    expect(exitCode).toBe(0)
    expect(stdout.trimEnd().split("\n").slice(0, 4)).toEqual([
      "TOOL                     SCORE  HINTS        DESCRIPTION",
      "mcp__notes__echo         70                  Tool echo of the fixture",
      "mcp__notes__fail         70                  Tool fail of the fixture",
      expect.stringMatching(
        /^mcp__notes__delete_note {2}70 {5}destructive {2}hidden by deny mcp__notes__delete_\* \(agent/,
      ),
    ])
    expect(stdout).toMatch(/^mcp__notes__hang +- +hidden by disabled_tools \(agent\.toml:\d+\)$/m)
  })

  it.concurrent("S1.6 gives schemas and hints with --json, of all connected servers", async ({ cli }) => {
    const { exitCode, stdout } = await cli({ ...noRun, config, env, args: ["mcp", "tools", "--json", "-q"] })
    expect(exitCode).toBe(0)
    const { tools } = JSON.parse(stdout)
    expect(tools.map((tool: { server: string }) => tool.server)).toEqual([...Array(4).fill("notes"), "more", "notes"])
    expect(tools[0]).toEqual({
      name: "mcp__notes__echo",
      server: "notes",
      tool: "echo",
      description: "Tool echo of the fixture",
      hints: [],
      input_schema: { type: "object", properties: { text: { type: "string" } } },
      hidden_by: null,
      score: 70,
    })
  })

  it.for([
    ["nowhere", 2, 'no MCP server "nowhere" is configured; configured: notes, more, broken'],
    ["broken", 5, 'MCP server "broken": '],
  ] as const)("a named server that is not there: %s is exit code %d", async ([name, code, said], { cli }) => {
    const { exitCode, stdout, stderr } = await cli({ ...noRun, config, env, args: ["mcp", "tools", name, "-q"] })
    expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: "" })
    expect(stderr).toContain(said)
  })
})

describe("mcp resources, read and prompts", () => {
  it.concurrent("C9 lists resources and templates, and reads text and bytes as they are", async ({ cli }) => {
    const run = (...args: readonly string[]) =>
      cli({ ...noRun, config, args: ["mcp", ...args, "--only", "notes", "-q"], env })
    const list = await run("resources", "--json")
    expect(JSON.parse(list.stdout).resources).toHaveLength(5)
    expect(JSON.parse(list.stdout).resources[1]).toEqual({
      ...{ server: "notes", uri: "note://2", template: false, name: "two", mime_type: null },
      description: "the second",
    })
    expect((await run("resources")).stdout).toMatch(/^notes {3}note:\/\/\{id\} \(template\) {2}any note$/m)
    expect(await run("read", "note://1")).toMatchObject({ exitCode: 0, stdout: "text of one", stderr: "" })
    expect((await run("read", "note://archive")).stdout).toBe("\0\0\0")
    expect(JSON.parse((await run("read", "note://archive", "--json")).stdout)).toEqual({
      server: "notes",
      contents: [{ uri: "note://archive", mime_type: "application/zip", base64: "AAAA" }],
    })
  })

  it.concurrent("C9 a URI that several servers offer needs --server, one that none offers is a usage error", async ({
    cli,
  }) => {
    const run = (...args: readonly string[]) => cli({ ...noRun, config, args: ["mcp", "read", ...args, "-q"], env })
    const several = await run("note://1")
    expect(several).toMatchObject({ exitCode: 2, stdout: "" })
    expect(several.stderr).toContain("several MCP servers: notes, more")
    expect(await run("note://1", "--server", "more")).toMatchObject({ exitCode: 0, stdout: "text of one" })
    expect((await run("nope://1")).stderr).toContain("agent-run mcp resources lists what there is")
  })

  it.concurrent("S3.27 lists prompts by the name that --prompt takes", async ({ cli }) => {
    const { stdout } = await cli({ ...noRun, config, env, args: ["mcp", "prompts", "-q"] })
    expect(stdout.trimEnd().split("\n")).toEqual([
      "PROMPT        ARGUMENTS     DESCRIPTION",
      "notes/review  path [style]  Review a file",
      "notes/talk",
      "notes/empty",
    ])
  })
})

describe("mcp call", () => {
  it.for([
    [["notes/echo", '{"text": "hi"}'], 0, "hi\n", "in a run the answer would be deny: default"],
    [["mcp__notes__echo", '{"text": "::warning::hi"}', "--allow", "mcp__notes__echo"], 0, ": :warning::hi\n", ""],
    [["notes/fail"], 8, "it did not work\n", "mcp__notes__fail reported an error"],
    [["notes/delete_note"], 7, "", 'the rule "deny mcp__notes__delete_*" (agent.toml:'],
    [["notes/hang"], 7, "", "mcp_servers.notes.disabled_tools (agent.toml:"],
    [["notes/nothing"], 2, "", 'no tool "notes/nothing"; there are: mcp__notes__echo'],
    [["broken/x"], 5, "", 'MCP server "broken": '],
    [["notes/echo", "[1]"], 2, "", "must be a JSON object"],
  ] as const)("S0.27 call %j ends with %d", async ([args, code, out, said], { cli }) => {
    const { exitCode, stdout, stderr } = await cli({ ...noRun, config, env, args: ["mcp", "call", ...args, "-q"] })
    expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: out })
    expect(stderr).toContain(said)
  })

  it.concurrent("T22 prints no secret, and gives the whole result with --json", async ({ cli }) => {
    const { stdout } = await cli({ ...noRun, config, env, args: ["mcp", "call", "notes/env", "--json", "-q"] })
    expect(JSON.parse(stdout)).toEqual({
      ...{ tool: "mcp__notes__env", ok: true, error_code: null, structured: null },
      content: [{ type: "text", text: expect.stringContaining("[redacted:CANARY_TOKEN]") }],
    })
    expect(stdout).not.toContain(env.CANARY_TOKEN)
  })
})
