import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import fc from "fast-check"
import { describe, expect, it, onTestFinished } from "vitest"
import { fromWireContent, toWireInput, toWireTool } from "../../src/model/wire-tool.ts"
import { answer, startMessagesServer, text, toolUse } from "../support/messages-server.ts"
import { eventsOf, runInProcess } from "../support/run-in-process.ts"
import { scratchFolder } from "../support/scratch-folder.ts"

const oddServer = fileURLToPath(new URL("../fixtures/servers/odd-schema.mjs", import.meta.url))

describe("a tool whose schema the API refuses", () => {
  it("is offered in a form that it takes, while its server and the transcript see its own", async () => {
    const api = await startMessagesServer([
      answer([toolUse("mcp__odd__find", { filter_id__2: "7", filter_id_: "8", a_b: 1 }, "t1")], {
        stopReason: "tool_use",
      }),
      answer([text("found")]),
    ])
    onTestFinished(() => api.close())
    const config = join(await scratchFolder(), "agent.toml")
    writeFileSync(config, `[mcp_servers.odd]\ntype = "sdk"\nmodule = ${JSON.stringify(oddServer)}\n`)
    const { report, events } = await runInProcess({ env: api.env, config: [config], allow: ["mcp__odd__*"] })
    expect(report).toMatchObject({ exit_code: 0, answer: "found" })

    const sent = JSON.parse(api.requests[0]?.raw ?? "{}")
    const tool = sent.tools.find(({ name }: { name: string }) => name === "mcp__odd__find")
    expect(tool).toEqual({
      name: "mcp__odd__find",
      description: expect.stringMatching(/^Find it\.\n\nThe input must also match this JSON Schema: \{"anyOf":/),
      input_schema: {
        type: "object",
        properties: { filter_id__2: { type: "string" }, filter_id_: { type: "string" }, a_b: { type: "number" } },
        required: ["filter_id__2"],
      },
    })
    const input = { "filter[id]": "7", filter_id_: "8", "a b": 1 }
    expect(eventsOf(events, "tool.call")).toMatchObject([{ input }])
    expect(eventsOf(events, "tool.result")).toMatchObject([{ content: [{ text: JSON.stringify(input) }] }])
    const [, said] = JSON.parse(api.requests[1]?.raw ?? "{}").messages
    expect(said.content[0].input).toEqual({ filter_id__2: "7", filter_id_: "8", a_b: 1 })
  })

  it("keeps every argument of every branch, and what all branches need", () => {
    const inputSchema = {
      type: "object",
      oneOf: [
        { properties: { by: { const: "id" }, id: { type: "string" } }, required: ["by", "id"] },
        { properties: { by: { const: "name" }, name: { type: "string" } }, required: ["by", "name"] },
      ],
      allOf: [{ required: ["limit"], properties: { limit: { type: "integer" } } }, true],
    }
    expect(toWireTool({ name: "find", description: "", inputSchema }).schema).toEqual({
      type: "object",
      properties: {
        by: { const: "id" },
        id: { type: "string" },
        name: { type: "string" },
        limit: { type: "integer" },
      },
      required: ["by", "limit"],
    })
  })

  it("any other tool is passed on untouched", () => {
    const inputSchema = {
      type: "object",
      properties: { a: { anyOf: [{ type: "string" }, { $ref: "#/$defs/b" }] } },
      $defs: { b: { type: "object", properties: { "not top": {} } } },
    }
    const tool = toWireTool({ name: "find", description: "Find it.", inputSchema })
    expect(tool).toEqual({ name: "find", description: "Find it.", schema: inputSchema, wireNames: new Map() })
    expect(tool.schema).toBe(inputSchema)
  })

  it("whatever its arguments are called, the names on the wire are legal and lead back", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ maxLength: 80 }), { maxLength: 12 }), (names) => {
        const properties = Object.fromEntries(names.map((name) => [name, {}]))
        const definition = { name: "find", description: "", inputSchema: { type: "object", properties } }
        const tool = toWireTool(definition)
        const wired = Object.keys(tool.schema.properties ?? {})
        expect(wired.every((name) => /^[a-zA-Z0-9_.-]{1,64}$/.test(name))).toBe(true)
        expect(new Set(wired).size).toBe(Object.keys(properties).length)
        const input = Object.fromEntries(Object.keys(properties).map((name, index) => [name, index]))
        const block = { type: "tool_use", id: "1", name: "find", input: toWireInput(input, tool) } as const
        expect(fromWireContent([block], [definition])).toEqual([{ ...block, input }])
      }),
    )
  })
})
