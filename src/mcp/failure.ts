import { isJsonObject } from "../contract/json.ts"
import { refusalOf } from "./auth/refusal.ts"

type Sdk = typeof import("@modelcontextprotocol/client")

/** Why a request, or a whole connection, came to nothing. */
export type Failure =
  /** The server answered with a JSON-RPC error, or with something that is no answer. */
  | { readonly kind: "protocol"; readonly code: number | null; readonly message: string }
  | { readonly kind: "timeout"; readonly message: string }
  | { readonly kind: "aborted"; readonly message: string }
  /** The other side went away; `unsent` when it cannot have seen the request. */
  | { readonly kind: "closed"; readonly message: string; readonly unsent?: true }
  | { readonly kind: "http"; readonly status: number; readonly message: string }
  | { readonly kind: "network"; readonly message: string; readonly unsent?: true }
  /** Nobody let us in. */
  | { readonly kind: "auth"; readonly message: string; readonly hint: string | null }
  /** The server is there, and no longer has the tool that was asked for. */
  | { readonly kind: "withdrawn"; readonly message: string }

/** An error that says: the request never left us. */
export function unsentError(message: string): Error {
  return Object.assign(new Error(message), { unsent: true })
}

/** What a remote channel answers in the name of a server whose answer broke off. */
export const brokenAnswer = { code: -32000, message: "the connection closed before the answer was complete" }

/** Say in our own words what an error of the protocol client means. */
export function toFailure(error: unknown, sdk: Sdk): Failure {
  const refusal = refusalOf(error)
  if (refusal !== null) return { kind: "auth", ...refusal }
  if (error instanceof sdk.ProtocolError) return fromProtocolError(error.code, error.message)
  if (error instanceof sdk.SdkHttpError) return { kind: "http", status: error.status, message: fromHttp(error) }
  if (error instanceof sdk.SseError) return fromSseError(error.code, error.message)
  const cause = deepestCause(error)
  if (isJsonObject(error) && error.unsent === true)
    return { kind: "closed", message: oneLine(messageOf(error)), unsent: true }
  if (error instanceof sdk.SdkError) return fromSdkError(error.code, cause instanceof Error ? cause.message : "", sdk)
  const message = messageOf(cause)
  const postStatus = /\(HTTP (\d{3})\)/.exec(message)?.[1]
  if (postStatus !== undefined) return { kind: "http", status: Number(postStatus), message: oneLine(message) }
  if (isNetworkError(error)) {
    return { kind: "network", message: oneLine(message), ...(reachedNobody(cause) ? { unsent: true } : {}) }
  }
  if (error instanceof SyntaxError || (error instanceof Error && error.name.includes("Zod"))) {
    return { kind: "protocol", code: null, message: "the server answered with something that is no JSON-RPC message" }
  }
  return { kind: "closed", message: oneLine(message) }
}

function fromProtocolError(code: number, message: string): Failure {
  if (code === brokenAnswer.code && message === brokenAnswer.message) return { kind: "closed", message }
  // Servers of the older SDK generation send the prefix along in their own text.
  const prefix = `MCP error ${code}: `
  return { kind: "protocol", code, message: message.startsWith(prefix) ? message : `${prefix}${message}` }
}

function fromHttp(error: InstanceType<Sdk["SdkHttpError"]>): string {
  const text = oneLine(error.message.replace(/^Error POSTing to endpoint: /, ""))
  return `HTTP ${error.status}${error.statusText ? ` ${error.statusText}` : ""}${text === "" ? "" : `: ${text}`}`
}

function fromSseError(status: number | undefined, message: string): Failure {
  if (status === undefined) return { kind: "network", message: oneLine(message) }
  return { kind: "http", status, message: oneLine(message) }
}

function fromSdkError(code: string, message: string, sdk: Sdk): Failure {
  switch (code) {
    case sdk.SdkErrorCode.RequestTimeout:
      return { kind: "timeout", message: oneLine(message) }
    case sdk.SdkErrorCode.ConnectionClosed:
    case sdk.SdkErrorCode.NotConnected:
      return { kind: "closed", message: "the connection closed" }
    case sdk.SdkErrorCode.EraNegotiationFailed:
      return { kind: "network", message: oneLine(message) }
    default:
      return { kind: "protocol", code: null, message: oneLine(message) }
  }
}

/** Did an error come from the network, as opposed to from someone at its other end? */
export function isNetworkError(error: unknown): boolean {
  if (error instanceof TypeError || (error instanceof Error && error.name === "TimeoutError")) return true
  const cause = deepestCause(error)
  return isJsonObject(cause) && typeof cause.code === "string" && /^(E[A-Z]+|UND_ERR_)/.test(cause.code)
}

/** There was nobody to send the request to. */
function reachedNobody(cause: unknown): boolean {
  return isJsonObject(cause) && typeof cause.code === "string" && nobodyThere.has(cause.code)
}

const nobodyThere = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
])

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The innermost error that has something to say: "fetch failed" is only the wrapping. */
function deepestCause(error: unknown): unknown {
  let current = error
  for (let depth = 0; depth < 5; depth += 1) {
    if (!(current instanceof Error && current.cause instanceof Error) || current.cause.message === "") return current
    current = current.cause
  }
  return current
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim()
  return line.length <= 300 ? line : `${line.slice(0, 300)}…`
}
