import type { JSONRPCMessage, Transport, TransportSendOptions } from "@modelcontextprotocol/client"
import { isJsonObject, type JsonObject } from "../../contract/json.ts"

/** An argument that a tool wants to see in a header too, for the machines between us and its server. */
interface Declaration {
  readonly path: readonly string[]
  readonly header: string
}

const annotation = "x-mcp-header"
const versionKey = "io.modelcontextprotocol/protocolVersion"

/**
 * Repeat the arguments of calls in headers where the tool asks for it (revision 2026-07-28, SEP-2243). A tool that asks
 * in a wrong way must not be used; it is taken out of the list and named.
 */
export function mirrorParameters(transport: Transport, warn: (message: string) => void): void {
  const declarations = new Map<string, readonly Declaration[]>()
  const listings = new Set<unknown>()
  const send = transport.send.bind(transport)
  let receive: Transport["onmessage"]

  // The client sets its handler more than once, before and after it has found the protocol to speak.
  Object.defineProperty(transport, "onmessage", {
    get() {
      const handler = receive
      const filtered: Transport["onmessage"] = (message, extra) => handler?.(filter(message), extra)
      return handler === undefined ? undefined : filtered
    },
    set(handler: Transport["onmessage"]) {
      receive = handler
    },
  })

  transport.send = (message: JSONRPCMessage, options?: TransportSendOptions) => {
    if (!("method" in message) || !("id" in message) || !isEnveloped(message.params)) return send(message, options)
    if (message.method === "tools/list") listings.add(message.id)
    const headers = message.method === "tools/call" ? headersFor(message.params) : {}
    if (Object.keys(headers).length === 0) return send(message, options)
    return send(message, { ...options, headers: { ...options?.headers, ...headers } })
  }

  function headersFor({ name, arguments: input }: JsonObject): Record<string, string> {
    const wanted = typeof name === "string" ? (declarations.get(name) ?? []) : []
    return Object.fromEntries(
      wanted.flatMap(({ path, header }) => {
        const text = toText(path.reduce<unknown>((at, key) => (isJsonObject(at) ? at[key] : undefined), input))
        return text === null ? [] : [[`Mcp-Param-${header}`, encode(text)]]
      }),
    )
  }

  function filter<Message extends JSONRPCMessage>(message: Message): Message {
    if (!("result" in message) || !listings.delete(message.id)) return message
    const { result } = message
    if (!isJsonObject(result) || !Array.isArray(result.tools)) return message
    return { ...message, result: { ...result, tools: result.tools.filter(accept) } }
  }

  function accept(tool: unknown): boolean {
    if (!isJsonObject(tool) || typeof tool.name !== "string") return true
    const found = readDeclarations(tool.inputSchema)
    if (typeof found === "string") {
      warn(`the tool "${tool.name}" is left out: ${found}`)
      return false
    }
    declarations.set(tool.name, found)
    return true
  }
}

function isEnveloped(params: unknown): params is JsonObject {
  return isJsonObject(params) && isJsonObject(params._meta) && typeof params._meta[versionKey] === "string"
}

/** What a schema declares, or what is wrong with it. */
function readDeclarations(inputSchema: unknown): readonly Declaration[] | string {
  const found: Declaration[] = []
  const fault = visit(inputSchema, [], found)
  if (fault !== null) return fault
  const names = found.map(({ header }) => header.toLowerCase())
  const twice = found.find(({ header }, index) => names.indexOf(header.toLowerCase()) !== index)
  return twice === undefined ? found : `${annotation} "${twice.header}" is declared twice`
}

/** `path` is `null` where the value of a property cannot be told from the schema alone. */
function visit(schema: unknown, path: readonly string[] | null, found: Declaration[]): string | null {
  if (Array.isArray(schema)) return firstFault(schema, (item) => visit(item, null, found))
  if (!isJsonObject(schema)) return null
  if (Object.hasOwn(schema, annotation)) {
    const header = schema[annotation]
    if (path === null || path.length === 0) return `${annotation} stands where no single argument is meant`
    if (typeof header !== "string" || !/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(header)) {
      return `${annotation} of "${path.join(".")}" is not the name of a header`
    }
    if (!["string", "integer", "boolean"].includes(String(schema.type))) {
      return `${annotation} of "${path.join(".")}" needs the type string, integer or boolean`
    }
    found.push({ path, header })
  }
  return firstFault(Object.entries(schema), ([keyword, value]) => {
    if (keyword === "properties" && isJsonObject(value)) {
      return firstFault(Object.entries(value), ([name, inner]) =>
        visit(inner, path === null ? null : [...path, name], found),
      )
    }
    if (mapKeywords.has(keyword) && isJsonObject(value)) {
      return firstFault(Object.values(value), (inner) => visit(inner, null, found))
    }
    return schemaKeywords.has(keyword) ? visit(value, null, found) : null
  })
}

const mapKeywords = new Set(["patternProperties", "dependentSchemas", "$defs", "definitions"])
const schemaKeywords = new Set(
  "items prefixItems contains additionalProperties unevaluatedProperties unevaluatedItems propertyNames oneOf anyOf allOf not if then else".split(
    " ",
  ),
)

function firstFault<Item>(items: readonly Item[], check: (item: Item) => string | null): string | null {
  for (const item of items) {
    const fault = check(item)
    if (fault !== null) return fault
  }
  return null
}

function toText(value: unknown): string | null {
  if (typeof value === "string") return value
  if (typeof value === "boolean") return String(value)
  if (typeof value !== "number" || !Number.isFinite(value)) return null
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? null : String(value)
}

/** What a header cannot hold as it is travels in base64. */
function encode(text: string): string {
  const isPlain = /^[\t\u0020-\u007e]+$/.test(text) && text.trim() === text && !/^=\?base64\?.*\?=$/.test(text)
  return isPlain ? text : `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`
}
