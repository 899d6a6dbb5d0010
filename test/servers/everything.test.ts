import { describe, expect } from "vitest"
import { serverSchema } from "../../src/config/server-schema.ts"
import { it } from "../support/cli-test.ts"
import { installed, nodeServer, serve, serverOf, type Use, useServers } from "./real-server.ts"

const path = "@modelcontextprotocol/server-everything/dist/index.js"
const document = "demo://resource/static/document/architecture.md"
const hasWs = serverSchema.safeParse({ type: "ws", url: "ws://127.0.0.1" }).success

const basics: readonly Use[] = [
  { tool: "mcp__srv__echo", input: { message: "hi" }, holds: "Echo: hi" },
  { tool: "mcp__srv__get-sum", input: { a: 2, b: 3 }, holds: "The sum of 2 and 3 is 5." },
  { tool: "mcp__srv__get-sum", input: { a: "two" }, holds: "Invalid arguments", fails: true },
  { tool: "mcp__srv__get-tiny-image", holds: "[image/png]" },
  { tool: "mcp__srv__get-structured-content", input: { location: "Chicago" }, holds: "temperature" },
  {
    tool: "mcp__srv__trigger-long-running-operation",
    input: { duration: 1, steps: 2 },
    holds: "Long running operation completed",
  },
  { tool: "ListMcpResources", holds: document },
  { tool: "ReadMcpResource", input: { uri: document }, holds: "# Everything Server" },
  { tool: "ReadMcpResource", input: { uri: "demo://resource/dynamic/text/3" }, holds: "Resource 3" },
  { tool: "ReadMcpResource", input: { uri: "demo://resource/dynamic/blob/4" }, holds: /\[binary resource .*bytes\]/ },
]

const everything = { name: "srv", state: "connected", resources: 7, prompts: 4, error: null }

describe("server-everything", () => {
  it("S1.4 S2.2 works over stdio", async ({ cli }) => {
    const run = await useServers({ cli, servers: { srv: nodeServer(path) }, uses: basics })
    expect(serverOf(run)).toMatchObject({ ...everything, transport: "stdio" })
    expect(run.events.find(({ type }) => type === "tool.progress")).toMatchObject({ progress: 1, total: 2 })
  })

  it("S1.4 works over Streamable HTTP", async ({ cli }) => {
    const port = await serve((free) => ({ args: [installed(path), "streamableHttp"], env: { PORT: `${free}` } }))
    const srv = { type: "http", url: `http://127.0.0.1:${port}/mcp` }
    const run = await useServers({ cli, servers: { srv }, uses: basics })
    expect(serverOf(run)).toMatchObject({ ...everything, transport: "http" })
  })

  it("S1.4 works over SSE", async ({ cli }) => {
    const port = await serve((free) => ({ args: [installed(path), "sse"], env: { PORT: `${free}` } }))
    const srv = { type: "sse", url: `http://127.0.0.1:${port}/sse` }
    const run = await useServers({ cli, servers: { srv }, uses: basics })
    expect(serverOf(run)).toMatchObject({ ...everything, transport: "sse" })
  })

  it.runIf(hasWs)("works over a websocket, through supergateway", async ({ cli }) => {
    const stdio = `${process.execPath} ${installed(path)}`
    const gateway = installed("supergateway/dist/index.js")
    const port = await serve((free) => ({
      args: [gateway, "--stdio", stdio, "--outputTransport", "ws", "--port", `${free}`, "--messagePath", "/message"],
    }))
    const srv = { type: "ws", url: `ws://127.0.0.1:${port}/message` }
    const run = await useServers({ cli, servers: { srv }, uses: basics })
    expect(serverOf(run)).toMatchObject({ ...everything, transport: "ws" })
  })

  it("F46 C10 learns the workspace, samples our model, and nobody fills in a form without defaults", async ({
    cli,
  }) => {
    const srv = nodeServer(path, [], { roots: true, sampling: true, elicitation: "defaults" })
    const usage = { input_tokens: 10, output_tokens: 5 }
    const run = await useServers({
      cli,
      servers: { srv },
      uses: [
        { tool: "mcp__srv__get-roots-list", holds: /file:\/\/.*\/workspace/ },
        {
          tool: "mcp__srv__trigger-sampling-request",
          input: { prompt: "Say something", maxTokens: 20 },
          sampled: { text: "Something.", usage, expect: { last_message_contains: "Say something", messages: 1 } },
          holds: "Something.",
        },
        { tool: "mcp__srv__trigger-elicitation-request", holds: "User declined" },
        {
          tool: "mcp__srv__simulate-research-query",
          input: { topic: "python", ambiguous: true },
          holds: "User declined - using default interpretation",
        },
      ],
    })
    expect(run.report?.usage).toMatchObject(usage)
    const asked = run.events.flatMap((event) =>
      event.type === "server.request" ? [[event.method, event.outcome]] : [],
    )
    expect(asked).toEqual(
      expect.arrayContaining([
        ["roots/list", "answered"],
        ["sampling/createMessage", "answered"],
        ["elicitation/create", "declined"],
      ]),
    )
  })

  it("runs a tool that insists on it as a task, and offers nothing that needs what is off", async ({ cli }) => {
    const run = await useServers({
      cli,
      servers: { srv: nodeServer(path) },
      uses: [{ tool: "mcp__srv__simulate-research-query", input: { topic: "bees" }, holds: "# Research Report: bees" }],
    })
    expect(run.events.filter(({ type }) => type === "tool.progress").length).toBeGreaterThan(1)
    expect(run.events.filter(({ type }) => type === "server.request")).toEqual([])
  })
})
