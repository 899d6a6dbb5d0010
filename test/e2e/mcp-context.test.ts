import { describe, expect } from "vitest"
import { fixture, it } from "../support/cli-test.ts"
import type { Reply } from "../support/messages-server.ts"
import { definitionsOf } from "../support/real-tools.ts"

const noRun = { task: null, outDir: false } as const
const config = {
  mcp_servers: {
    github: fixture(["--definitions", definitionsOf("github")], { always_load: ["get_issue"] }),
    notion: fixture(["--definitions", definitionsOf("notion")]),
  },
  permissions: { rules: [{ tool: "mcp__github__merge_*", action: "deny" }] },
}

describe("mcp search", () => {
  it.concurrent("S0.27 finds what the model would find, and nothing that a rule hides", async ({ cli }) => {
    const search = (...args: readonly string[]) =>
      cli({ ...noRun, config, args: ["mcp", "search", ...args, "--only", "github", "-q"] })
    const { exitCode, stdout } = await search("open an issue", "--limit", "3")
    expect(exitCode).toBe(0)
    expect(stdout.trimEnd().split("\n")).toHaveLength(4)
    expect(stdout).toMatch(/^mcp__github__create_issue +Create new issue in GitHub repository$/m)
    const json = JSON.parse((await search("pull request", "--json")).stdout)
    expect(json).toMatchObject({ query: "pull request", regex: false })
    expect(json.tools).toHaveLength(5)
    expect((await search("merge", "--regex")).stdout).not.toContain("merge_pull_request")
    expect(await search("(", "--regex")).toMatchObject({ exitCode: 2, stdout: "" })
  })
})

describe("mcp stats", () => {
  it.concurrent("S0.26 S0.27 says what servers and tools cost, what is sent, and what lazy loading saves", async ({
    cli,
  }) => {
    const { exitCode, stdout } = await cli({ ...noRun, config, args: ["mcp", "stats", "--json", "-q"] })
    expect(exitCode).toBe(0)
    const { tools, servers, total, heaviest, ...costs } = JSON.parse(stdout)
    expect(costs).toEqual({
      counted_by: "estimate",
      context_window: 200_000,
      lazy_loading: true,
      catalogue: { level: "summaries", tokens: expect.any(Number) },
      search_tools: expect.any(Number),
    })
    expect(servers).toMatchObject([
      { server: "github", tools: 25 },
      { server: "notion", tools: 24, loaded: 0, share: 10 },
    ])
    const always = tools.find((tool: { name: string }) => tool.name === "mcp__github__get_issue")
    expect(always).toMatchObject({ summary: 0, loaded: always.full })
    expect(servers[0].loaded).toBe(always.full)
    expect(total).toMatchObject({ tools: 49, sent: costs.catalogue.tokens + costs.search_tools + always.full })
    expect(total.saved_percent).toBeGreaterThan(92)
    expect(heaviest).toHaveLength(10)
    expect(heaviest[0].name).toBe("mcp__notion__API-update-page-markdown")

    const text = await cli({ ...noRun, config, args: ["mcp", "stats", "-q", "--set", "mcp.lazy_loading=false"] })
    expect(text.stdout).toMatch(/^notion +24 +[\d,]+ +[\d,]+ +[\d,]+ +10 %$/m)
    expect(text.stdout).toContain("Lazy loading is off: every request carries ")
  })

  it.concurrent("S0.26 the API counts when a key is there; a count that fails is said and estimated", async ({
    cli,
    serve,
  }) => {
    const api = await serve((request) => countBytes(request.raw))
    const args = ["mcp", "stats", "--json", "-q"]
    const counted = JSON.parse((await cli({ ...noRun, config, env: api.env, args })).stdout)
    expect(counted.counted_by).toBe("api")
    expect(api.requests.map(({ path }) => path)).toEqual(Array(5).fill("/v1/messages/count_tokens"))
    const sizes = api.requests.map(({ raw }) => raw).sort((one, other) => one.length - other.length)
    const [, search = "", , github = ""] = sizes
    expect(github).toContain("mcp__github__create_issue")
    const rounding = counted.tools.length
    expect(Math.abs(counted.servers[0].full - (github.length - search.length))).toBeLessThan(rounding)

    const broken = await serve(() => ({ response }) => {
      response.writeHead(500).end("no")
    })
    const { exitCode, stdout, stderr } = await cli({ ...noRun, config, env: broken.env, args })
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout).counted_by).toBe("estimate")
    expect(stderr).toContain("the API did not count the tokens, so they are estimated: 500")
    const unasked = await cli({ ...noRun, config, env: broken.env, args: [...args, "--estimate"] })
    expect(unasked.stderr).toBe("")
  })
})

/** A token a byte, so that a test can tell what was counted. */
function countBytes(raw: string): Reply {
  return ({ response }) => {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ input_tokens: raw.length }))
  }
}
