import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { it } from "../support/cli-test.ts"
import { startOAuthMcpServer } from "../support/oauth-mcp-server.ts"

const script = [{ text: "Done." }]

describe("a server that wants a token", () => {
  it("T20 S3.21 is needs-auth on the command line, which opens no browser, and is asked again only with --refresh-auth", async ({
    cli,
    folder,
  }) => {
    const server = await startOAuthMcpServer()
    const env = { AGENT_RUN_CACHE_DIR: join(folder, "cache") }
    const config = { mcp_servers: { far: { url: server.url } } }
    const first = await cli({ script, config, env })
    expect(first.exitCode).toBe(0)
    expect(first.report?.servers).toMatchObject([{ name: "far", state: "needs-auth", tools: 0 }])
    expect(first.stderr).toMatch(/bearer_token_env_var.*opens no browser/s)
    const second = await cli({ script, config, env })
    expect(second.report?.servers).toMatchObject([
      { name: "far", state: "needs-auth", error: expect.stringContaining("was not asked again") },
    ])
    expect(server.paths).toEqual(["/mcp"])
    const third = await cli({ script, config, env, args: ["--refresh-auth"] })
    expect(third.report?.servers).toMatchObject([{ name: "far", state: "needs-auth" }])
    expect(server.paths).toEqual(["/mcp", "/mcp"])
  })

  it("T22 is used with the secret of a client; neither the secret nor a token is in any output", async ({ start }) => {
    const server = await startOAuthMcpServer()
    const leak = { said: "access-token-number-1 and c4nary-of-the-client" }
    const auth = { client_id: "ci", client_secret_env: "FAR_CLIENT", issuer: server.origin }
    const run = start({
      script: [{ calls: [{ tool: "mcp__far__echo", input: leak }] }, ...script],
      config: { mcp_servers: { far: { type: "http", url: server.url, auth, required: true } } },
      args: ["--allow", "mcp__far__*"],
      env: { FAR_CLIENT: "c4nary-of-the-client" },
    })
    const { exitCode, stdout, stderr, events } = await run.ended
    expect(exitCode).toBe(0)
    expect(server.tokenRequests).toHaveLength(1)
    const files = ["report.json", "transcript.jsonl", "summary.md"].map((name) =>
      readFileSync(join(run.outDir, name), "utf8"),
    )
    const everything = [stdout, stderr, JSON.stringify(events), ...files].join("\n")
    expect(everything).not.toMatch(/access-token-number-1|c4nary-of-the-client/)
    expect(everything).toContain("[redacted:far.access_token]")
  })
})
