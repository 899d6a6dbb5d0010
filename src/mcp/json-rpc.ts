import type { JSONRPCMessage } from "@modelcontextprotocol/client"
import { isJsonObject, type JsonObject } from "../contract/json.ts"

const internalError = -32603

/** Read one line of a server. `null` when it is no JSON-RPC: servers print all kinds of things to stdout. */
export function parseMessages(line: string): readonly JSONRPCMessage[] | null {
  const value = parseJson(line)
  const messages: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (messages.length === 0 || !messages.every(isMessage)) return null
  return messages.map(toAnswerable)
}

function parseJson(line: string): unknown {
  const first = line.trimStart()[0]
  if (first !== "{" && first !== "[") return undefined
  try {
    return JSON.parse(line)
  } catch {
    // Not JSON is not an error: the caller counts it as noise.
    return undefined
  }
}

function isMessage(value: unknown): value is JsonObject {
  return isJsonObject(value) && value.jsonrpc === "2.0"
}

/** The client drops a malformed response silently and its call would wait for its timeout: answer it with an error. */
function toAnswerable(message: JsonObject): JSONRPCMessage {
  const isResponse = "id" in message && !("method" in message)
  if (!isResponse || isWellFormed(message)) return message as unknown as JSONRPCMessage
  const part = "error" in message ? "an error that is not one" : "a result that is not an object"
  const error = { code: internalError, message: `the server answered with ${part}` }
  return { jsonrpc: "2.0", id: message.id, error } as JSONRPCMessage
}

function isWellFormed({ result, error }: JsonObject): boolean {
  if (error !== undefined) {
    return isJsonObject(error) && Number.isInteger(error.code) && typeof error.message === "string"
  }
  return isJsonObject(result) && (result._meta === undefined || isJsonObject(result._meta))
}
