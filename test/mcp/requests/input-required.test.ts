import { describe, expect, it } from "vitest"
import type { JsonObject } from "../../../src/contract/json.ts"
import type { RemoteServerConfig } from "../../../src/contract/server.ts"
import { remoteServer, startPool } from "../../support/mcp-servers.ts"
import { startModernMcpServer } from "../../support/modern-mcp-server.ts"

async function askModern(input: JsonObject, more: Partial<RemoteServerConfig> = {}) {
  const server = await startModernMcpServer()
  const config = remoteServer("new", server.url, { transport: "http", ...more })
  const started = await startPool([config], { requests: { workspace: "/srv/tree", sample: null } })
  const result = await started.call("mcp__new__ask", input)
  const [block] = result.content
  const calls = server.requests.filter(({ method }) => method === "tools/call")
  return { ...started, result, text: block?.type === "text" ? block.text : "", calls }
}

const form = { method: "elicitation/create", params: { message: "?", requestedSchema: { type: "object" } } }
const url = { method: "elicitation/create", params: { mode: "url", message: "?", url: "https://example.com" } }

describe("a server of 2026-07-28 that needs input", () => {
  it("F46 C10 gets the answers of the policy in the next round, and then gives its own", async () => {
    const { text, events, calls } = await askModern(
      { questions: { a: form, b: url, c: { method: "roots/list" } } },
      { roots: true },
    )
    expect(JSON.parse(text)).toEqual({
      inputResponses: {
        a: { action: "decline" },
        b: { action: "decline" },
        c: { roots: [{ uri: "file:///srv/tree", name: "tree" }] },
      },
      requestState: "s1",
    })
    const asked = events.flatMap((event) => (event.type === "server.request" ? [event.method] : []))
    expect(asked).toEqual(["elicitation/create", "elicitation/create", "roots/list"])
    expect(calls.map(({ params }) => params?._meta?.["io.modelcontextprotocol/logLevel"])).toEqual(["info", "info"])
  })

  it("F46 gets an error result for what is switched off", async () => {
    const { result } = await askModern({ questions: { a: { method: "sampling/createMessage", params: {} } } })
    expect(result).toEqual({
      content: [
        {
          type: "text",
          text: 'MCP server "new": the server asked for sampling/createMessage, refused: Method not found',
        },
      ],
      isError: true,
      errorCode: "protocol_error",
    })
  })

  it("is asked again after a pause when it has no question", async () => {
    const { text } = await askModern({ wait: true })
    expect(JSON.parse(text)).toEqual({ requestState: "later" })
  })

  it("F46 that never stops asking is an error result", async () => {
    const { text, calls } = await askModern({ questions: { a: form }, endless: true })
    expect(text).toContain("asked 10 times for input and still gave no answer")
    expect(calls).toHaveLength(11)
  })
})
