import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect } from "vitest"
import { it } from "../support/cli-test.ts"
import { installed, nodeServer, serve, serverOf, serveSilence, useServers } from "./real-server.ts"

const here = fileURLToPath(new URL(".", import.meta.url))
const filesystem = "@modelcontextprotocol/server-filesystem/dist/index.js"
const connected = { name: "srv", state: "connected", error: null }
const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync)

describe("server-filesystem", () => {
  it("works in the folder it is given, which no root changes", async ({ cli }) => {
    const run = await useServers({
      cli,
      servers: { srv: nodeServer(filesystem, ["inside"]) },
      files: { "inside/a.txt": "contents of a", "outside.txt": "secret" },
      uses: [
        { tool: "mcp__srv__list_allowed_directories", holds: /workspace\/inside$/m },
        { tool: "mcp__srv__read_text_file", input: { path: "a.txt" }, holds: "contents of a" },
        { tool: "mcp__srv__read_text_file", input: { path: "../outside.txt" }, holds: "Access denied", fails: true },
      ],
    })
    expect(serverOf(run)).toMatchObject({ ...connected, transport: "stdio" })
  })

  it("roots = true gives it the workspace instead", async ({ cli }) => {
    await useServers({
      cli,
      servers: { srv: nodeServer(filesystem, ["inside"], { roots: true }) },
      files: { "inside/a.txt": "contents of a", "outside.txt": "no secret" },
      uses: [
        { tool: "mcp__srv__list_allowed_directories", holds: /workspace$/m, thinksMs: 500 },
        { tool: "mcp__srv__read_text_file", input: { path: "outside.txt" }, holds: "no secret" },
      ],
    })
  })
})

describe("server-memory", () => {
  it("remembers, and offers what it knows as a resource", async ({ cli, folder }) => {
    const srv = nodeServer("@modelcontextprotocol/server-memory/dist/index.js", [], {
      env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") },
    })
    const entities = [{ name: "Ada", entityType: "person", observations: ["wrote a program"] }]
    const run = await useServers({
      cli,
      servers: { srv },
      uses: [
        { tool: "mcp__srv__create_entities", input: { entities }, holds: "Ada" },
        { tool: "mcp__srv__search_nodes", input: { query: "program" }, holds: "Ada" },
        { tool: "ListMcpResources", holds: "memory://" },
        { tool: "ReadMcpResource", input: { uri: "memory://knowledge-graph" }, holds: "wrote a program" },
      ],
    })
    expect(serverOf(run)).toMatchObject({ ...connected, tools: 9, resources: 1 })
  })
})

describe("git-mcp-server", () => {
  it("makes a repository, sees a change, and offers its working folder as a resource", async ({ cli, folder }) => {
    const workspace = join(folder, "run-1", "workspace")
    const run = await useServers({
      cli,
      servers: { srv: nodeServer("@cyanheads/git-mcp-server/dist/index.js") },
      files: { "a.txt": "new" },
      uses: [
        { tool: "mcp__srv__git_init", input: { path: workspace }, holds: "success" },
        { tool: "mcp__srv__git_status", input: { path: workspace }, holds: "a.txt" },
        { tool: "mcp__srv__git_show", input: { path: workspace, object: "nothing" }, holds: "nothing", fails: true },
        { tool: "ListMcpResources", holds: "git://working-directory" },
        { tool: "ReadMcpResource", input: { uri: "git://working-directory" }, holds: /./ },
      ],
    })
    expect(serverOf(run)).toMatchObject({ ...connected, tools: 28, resources: 1, prompts: 1 })
  })
})

describe("context7-mcp", () => {
  const findReact = { query: "how to render", libraryName: "react" }
  const askReact = { query: "how to render", libraryId: "/facebook/react" }

  /** The server, with the internet at this address instead. */
  async function context7(internet: string) {
    const path = installed("@upstash/context7-mcp/dist/index.js")
    const port = await serve((free) => ({
      args: [path, "--transport", "http", "--port", `${free}`],
      env: { CONTEXT7_API_URL: internet },
    }))
    return { type: "http", url: `http://127.0.0.1:${port}/mcp` }
  }

  it("speaks 2026-07-28, and passes on that it was refused, which it does not call an error", async ({ cli }) => {
    const run = await useServers({
      cli,
      servers: { srv: await context7("http://127.0.0.1:9") },
      uses: [
        { tool: "mcp__srv__resolve-library-id", input: findReact, holds: "fetch failed" },
        { tool: "mcp__srv__query-docs", input: askReact, holds: "fetch failed" },
      ],
    })
    expect(serverOf(run)).toMatchObject({ ...connected, tools: 2 })
    expect(run.events).toContainEqual(expect.objectContaining({ protocol_version: "2026-07-28" }))
  })

  it("is cut off with a clear error result when no answer comes from the internet", async ({ cli }) => {
    const srv = { ...(await context7(await serveSilence())), tool_timeout_sec: 1 }
    const run = await useServers({
      cli,
      servers: { srv },
      uses: [
        { tool: "ListMcpResources", holds: "No resources." },
        { tool: "mcp__srv__resolve-library-id", input: findReact, holds: "gave no answer within 1.0 s", fails: true },
        { tool: "mcp__srv__query-docs", input: askReact, holds: "gave no answer within 1.0 s", fails: true },
      ],
    })
    expect(run.report?.calls.map(({ error_code }) => error_code)).toEqual([null, "timeout", "timeout"])
  })
})

describe("playwright-mcp", () => {
  it("F44 is listed, says what it lacks, and is closed with all that npm started for it", async ({ cli, folder }) => {
    const server = ["playwright-mcp", "--headless", "--executable-path", "/no/such/browser"]
    // It leaves temporary files behind, also when it ends by itself: not in the folder where the run is checked for that.
    const srv = { command: "npm", args: ["exec", "--prefix", here, "--", ...server], env: { TMPDIR: folder } }
    const run = await useServers({
      cli,
      servers: { srv },
      uses: [
        { tool: "ListMcpResources", holds: "No resources." },
        { tool: "mcp__srv__browser_navigate", input: { url: "about:blank" }, holds: "/no/such/browser", fails: true },
      ],
    })
    expect(serverOf(run)).toMatchObject({ ...connected, tools: 25 })
  })

  it.runIf(chromium)("F44 opens a page, and its browser is gone with it", async ({ cli, folder }) => {
    const args = ["--headless", "--isolated", "--no-sandbox", "--executable-path", chromium ?? ""]
    await useServers({
      cli,
      servers: { srv: nodeServer("@playwright/mcp/cli.js", args, { env: { TMPDIR: folder } }) },
      uses: [{ tool: "mcp__srv__browser_navigate", input: { url: "data:text/html,<h1>Hello" }, holds: "Hello" }],
    })
  })
})
