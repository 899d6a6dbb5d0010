import { isJsonObject, type JsonObject } from "../contract/json.ts"
import {
  errorResult,
  type ResultBlock,
  type Subject,
  type Tool,
  type ToolResult,
  textResult,
} from "../contract/tool.ts"
import { adaptContents } from "./adapt-result.ts"
import { adaptFailure } from "./adapt-tool.ts"
import type { Connection } from "./connection.ts"
import { cutText } from "./cut-text.ts"
import type { ServerResource } from "./discover.ts"
import { matchesTemplate } from "./uri-template.ts"

const maxTextLength = 1024 * 1024
const builtin = { kind: "builtin" } as const
const hints = { readOnly: true, destructive: false, idempotent: true } as const
const serverProperty = { type: "string", description: "Name of an MCP server" }

/** The two tools through which the model sees the resources of all connected servers. */
export function createResourceTools(connections: readonly Connection[], descriptionLimit: number): readonly Tool[] {
  return [createListTool(connections, descriptionLimit), createReadTool(connections)]
}

function createListTool(connections: readonly Connection[], descriptionLimit: number): Tool {
  return {
    name: "ListMcpResources",
    description: "List the resources and resource templates of the connected MCP servers, one JSON object a line.",
    inputSchema: { type: "object", properties: { server: serverProperty } },
    origin: builtin,
    hints,
    subjects: () => [],
    async execute(input) {
      const chosen = chooseServers(connections, input.server)
      if ("isError" in chosen) return chosen
      const lines = chosen.servers.flatMap((connection) => describeResources(connection, descriptionLimit))
      return textResult(lines.length === 0 ? "No resources." : cutText(lines.join("\n"), maxTextLength))
    },
  }
}

function createReadTool(connections: readonly Connection[]): Tool {
  return {
    name: "ReadMcpResource",
    description:
      "Read a resource of an MCP server by its URI, as ListMcpResources shows it or a template describes it.",
    inputSchema: {
      type: "object",
      properties: {
        uri: { type: "string", description: "URI of the resource" },
        server: { ...serverProperty, description: "Name of the server, only when several offer this URI" },
      },
      required: ["uri"],
    },
    origin: builtin,
    hints,
    subjects: ({ uri, server }): readonly Subject[] =>
      typeof uri === "string" ? [{ kind: "resource", uri, listed: isListed(connections, uri, server) }] : [],
    async execute({ uri, server }, { signal }) {
      if (typeof uri !== "string" || uri === "") return errorResult("invalid_input", "uri must be a non-empty string.")
      const connection = chooseReader(connections, uri, server)
      if ("isError" in connection) return connection
      const answer = await connection.request("resources/read", { uri }, { signal })
      return answer.ok ? adaptReading(answer.result) : adaptFailure(answer.failure, connection, `reading ${uri}`)
    },
  }
}

function chooseServers(
  connections: readonly Connection[],
  server: unknown,
): { readonly servers: readonly Connection[] } | ToolResult {
  if (server === undefined || server === null) return { servers: connections.filter(isConnected) }
  const found = connections.find(({ config }) => config.name === server)
  if (found === undefined) {
    const known = connections.filter(isConnected).map(({ config }) => config.name)
    const text = `There is no MCP server "${String(server)}". Connected servers: ${known.join(", ") || "none"}.`
    return errorResult("invalid_input", text)
  }
  return isConnected(found) ? { servers: [found] } : notConnected(found)
}

function notConnected(connection: Connection): ToolResult {
  const state = connection.state()
  const why = "error" in state ? state.error : `MCP server "${connection.config.name}" is ${state.status}`
  const lost = state.status === "pending" && state.lost !== undefined ? `${state.lost}. It is being reconnected` : null
  return errorResult("server_unavailable", `${lost ?? why}.`)
}

function describeResources(connection: Connection, descriptionLimit: number): readonly string[] {
  const { resources, templates } = connection.catalog()
  const describe = (key: string) => (resource: ServerResource) => {
    const { name, title, description, mimeType, size } = resource.details
    const short = typeof description === "string" ? cutText(description, descriptionLimit) : undefined
    const line = {
      server: connection.config.name,
      [key]: resource.uri,
      name,
      title,
      description: short,
      mimeType,
      size,
    }
    return JSON.stringify(line)
  }
  return [...resources.map(describe("uri")), ...templates.map(describe("uriTemplate"))]
}

/** Does the server that would be asked say that it has this URI? The rules allow such a reading by themselves. */
function isListed(connections: readonly Connection[], uri: string, server: unknown): boolean {
  return holdersOf(connections, uri).some(
    ({ config }) => server === undefined || server === null || config.name === server,
  )
}

/** The server to ask for a URI: the one that is named, or the only one that offers it. */
export function chooseReader(
  connections: readonly Connection[],
  uri: string,
  server: unknown,
): Connection | ToolResult {
  if (server !== undefined && server !== null) {
    const chosen = chooseServers(connections, server)
    if ("isError" in chosen) return chosen
    return chosen.servers[0] ?? errorResult("invalid_input", "No such server.")
  }
  const [first, ...others] = holdersOf(connections, uri)
  if (first === undefined) {
    const text = `No connected MCP server lists ${uri}. Call ListMcpResources to see what there is, or name the server.`
    return errorResult("invalid_input", text)
  }
  if (others.length === 0) return first
  const names = [first, ...others].map(({ config }) => config.name).join(", ")
  return errorResult("invalid_input", `${uri} is offered by several MCP servers: ${names}. Name one with server.`)
}

/** The servers that list a URI; only when none does, those with a template for it. */
function holdersOf(connections: readonly Connection[], uri: string): readonly Connection[] {
  const connected = connections.filter(isConnected)
  const listing = connected.filter((connection) => connection.catalog().resources.some((one) => one.uri === uri))
  if (listing.length > 0) return listing
  return connected.filter((connection) => connection.catalog().templates.some((one) => matchesTemplate(one.uri, uri)))
}

function isConnected(connection: Connection): boolean {
  return connection.state().status === "connected"
}

function adaptReading(result: unknown): ToolResult {
  const contents: readonly unknown[] = isJsonObject(result) && Array.isArray(result.contents) ? result.contents : []
  const blocks = contents
    .filter(isJsonObject)
    .map((one, _, all) => (all.length === 1 ? adaptOnly(one) : adaptContents(one)))
  const texts = blocks.filter((block) => block.type === "text").map((block) => block.text)
  const images = blocks.filter((block) => block.type === "image")
  if (blocks.length === 0) texts.push("(no contents)")
  const text: readonly ResultBlock[] =
    texts.length === 0 ? [] : [{ type: "text", text: cutText(texts.join("\n"), maxTextLength) }]
  return { content: [...text, ...images], isError: false }
}

/** A single text needs no line that says which one it is. */
function adaptOnly(contents: JsonObject): ResultBlock {
  return typeof contents.text === "string" ? { type: "text", text: contents.text } : adaptContents(contents)
}
