import { describe, expect, it } from "vitest"
import type { JsonObject } from "../../src/contract/json.ts"
import { fixtureServer, type StartedPool, startPool } from "../support/mcp-servers.ts"

const two = () => [
  fixtureServer("notes", ["--resources"]),
  fixtureServer("cards", ["--resources", "--scheme", "card"]),
  fixtureServer("plain"),
]

async function textOf({ call }: StartedPool, name: string, input: JsonObject = {}): Promise<string> {
  const [block] = (await call(name, input)).content
  return block?.type === "text" ? block.text : `a block of type ${block?.type}`
}

describe("the resource tools", () => {
  it("C9 S2.9 list the resources and templates of all connected servers, or of one", async () => {
    const started = await startPool(two())
    const lines = (await textOf(started, "ListMcpResources")).split("\n").map((line) => JSON.parse(line))
    expect(lines.slice(0, 5)).toEqual([
      { server: "notes", uri: "note://1", name: "one", mimeType: "text/plain" },
      { server: "notes", uri: "note://2", name: "two", description: "the second" },
      { server: "notes", uri: "note://image", name: "dot", mimeType: "image/png" },
      { server: "notes", uri: "note://archive", name: "zip", mimeType: "application/zip" },
      { server: "notes", uriTemplate: "note://{id}", name: "any note" },
    ])
    expect(lines).toHaveLength(10)
    expect((await textOf(started, "ListMcpResources", { server: "cards" })).split("\n")).toHaveLength(5)
    expect(await textOf(started, "ListMcpResources", { server: "plain" })).toBe("No resources.")
  })

  it("C9 S2.10 read a resource by its URI from the server that has it", async () => {
    const started = await startPool(two())
    expect(await textOf(started, "ReadMcpResource", { uri: "note://1" })).toBe("text of one")
    expect(await textOf(started, "ReadMcpResource", { uri: "card://77" })).toBe("text of card://77")
    expect(await textOf(started, "ReadMcpResource", { uri: "odd://1", server: "cards" })).toBe("text of odd://1")
    expect(await textOf(started, "ReadMcpResource", { uri: "note://archive" })).toBe(
      "[binary resource note://archive, application/zip, 3 bytes]",
    )
    expect((await started.call("ReadMcpResource", { uri: "note://image" })).content).toEqual([
      { type: "image", mediaType: "image/png", data: expect.any(String) },
    ])
  })

  it("S2.10 a URI that several servers offer needs the server's name", async () => {
    const started = await startPool([fixtureServer("a", ["--resources"]), fixtureServer("b", ["--resources"])])
    expect(await started.call("ReadMcpResource", { uri: "note://1" })).toEqual({
      content: [{ type: "text", text: "note://1 is offered by several MCP servers: a, b. Name one with server." }],
      isError: true,
      errorCode: "invalid_input",
    })
    expect(await textOf(started, "ReadMcpResource", { uri: "note://1", server: "b" })).toBe("text of one")
  })

  it.each([
    ["ListMcpResources", { server: "nobody" }, "invalid_input", 'There is no MCP server "nobody".'],
    ["ReadMcpResource", { uri: "x://1" }, "invalid_input", "No connected MCP server lists x://1."],
    ["ReadMcpResource", {}, "invalid_input", "uri must be"],
    ["ReadMcpResource", { uri: "x://1", server: "plain" }, "protocol_error", "MCP error -32601"],
    ["ReadMcpResource", { uri: "note://1", server: "dead" }, "server_unavailable", 'MCP server "dead": exited'],
  ])("S2.10 S2.18 %s %j is an error result: %s", async (name, input, errorCode, text) => {
    const started = await startPool([...two(), fixtureServer("dead", ["--exit-at-start", "1"])])
    expect(await started.call(name, input)).toMatchObject({ isError: true, errorCode })
    expect(await textOf(started, name, input)).toContain(text)
  })

  it("say of a reading whether the server that would be asked lists it", async () => {
    const { pool } = await startPool(two())
    const [list, read] = pool.resourceTools()
    const listed = (input: JsonObject) => read?.subjects(input)
    expect(list?.subjects({})).toEqual([])
    expect(listed({ uri: "note://1" })).toEqual([{ kind: "resource", uri: "note://1", listed: true }])
    expect(listed({ uri: "note://99" })).toEqual([{ kind: "resource", uri: "note://99", listed: true }])
    expect(listed({ uri: "note://1", server: "cards" })).toEqual([{ kind: "resource", uri: "note://1", listed: false }])
    expect(listed({ uri: "file:///etc/passwd" })).toEqual([
      { kind: "resource", uri: "file:///etc/passwd", listed: false },
    ])
    expect(listed({ uri: 7 })).toEqual([])
    expect([list, read].map((tool) => [tool?.origin, tool?.hints])).toEqual([
      [{ kind: "builtin" }, { readOnly: true, destructive: false, idempotent: true }],
      [{ kind: "builtin" }, { readOnly: true, destructive: false, idempotent: true }],
    ])
  })
})
