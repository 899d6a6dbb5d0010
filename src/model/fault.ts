import { isJsonObject, type JsonObject } from "../contract/json.ts"
import type { ReasonCode } from "../contract/reason.ts"
import { formatDuration } from "../util/duration.ts"
import type { Expiry } from "./watch.ts"

/** Why one attempt gave no reply, and whether another is worth it. */
export interface Fault {
  readonly code: ReasonCode
  readonly message: string
  readonly hint: string | null
  readonly retry: "never" | "soon" | "told_when" | "unreachable"
  /** What the API asked for. */
  readonly retryAfterMs: number | null
  /** A limit of the account was reached: whatever else goes there should slow down, too. */
  readonly rateLimited?: true
}

/** What came back when it was not an answer. `body` is the parsed JSON, or the text when it is none. */
export interface ErrorResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

/** A response that is an error, by its status and by what the API says in it. */
export function faultOfResponse({ status, headers, body }: ErrorResponse, endpoint: string): Fault {
  if (status >= 300 && status < 400) return redirected(status, headers.get("location"), endpoint)
  const error = apiErrorOf(body)
  if (error === null) return notTheApi(status, body, endpoint)

  const retryAfterMs = retryAfterOf(headers)
  const limited = status === 429 ? ({ rateLimited: true } as const) : {}
  const fault = { ...faultOfApiError(error.type, `HTTP ${status}: ${error.message}`, status), ...limited }
  if (headers.get("x-should-retry") === "false") return { ...fault, retry: "never" }
  if (fault.retry !== "soon" || retryAfterMs === null) return fault
  return { ...fault, retry: status === 429 ? "told_when" : "soon", retryAfterMs }
}

/** An `error` event inside a stream that began well. */
export function faultOfErrorEvent(data: unknown): Fault {
  const error = apiErrorOf(data) ?? { type: "api_error", message: preview(data) }
  return faultOfApiError(error.type, `an error in the stream: ${error.type}: ${error.message}`, null)
}

/** An answer with a good status that is no event stream. */
export function faultOfContentType(status: number, text: string, endpoint: string): Fault {
  return { ...notTheApi(status, text, endpoint), retry: "never" }
}

/** A stream that broke, or a message that is not whole. */
export function brokenStream(why: string): Fault {
  return {
    code: "model_stream_broken",
    message: `The answer of the model broke off: ${why}`,
    hint: null,
    retry: "soon",
    retryAfterMs: null,
  }
}

/** A request that would be refused for its size anyway. */
export function tooLarge(bytes: number): Fault {
  const megabytes = (bytes / 1_000_000).toFixed(1)
  return never(
    "context_overflow",
    `The request has ${megabytes} MB, and the model API takes 32 MB at most`,
    overflowHint,
  )
}

/** An attempt that our own watch ended. */
export function faultOfExpiry(
  expiry: Expiry,
  waits: { readonly firstByteMs: number; readonly idleMs: number; readonly requestMs: number },
): Fault {
  switch (expiry) {
    case "aborted":
      return aborted
    case "no_first_byte":
      return {
        code: "model_unreachable",
        message: `The model API did not begin to answer within ${formatDuration(waits.firstByteMs)}`,
        hint: "Check the network between this machine and the API, or try again later.",
        retry: "soon",
        retryAfterMs: null,
      }
    case "idle":
      return brokenStream(`nothing arrived for ${formatDuration(waits.idleMs)}`)
    case "deadline":
      return { ...brokenStream(`it was not complete within ${formatDuration(waits.requestMs)}`), retry: "never" }
    default:
      throw new Error(`unknown expiry ${expiry satisfies never}`)
  }
}

/** A request that the run no longer wants. */
export const aborted: Fault = {
  code: "interrupted",
  message: "The request to the model was aborted",
  hint: null,
  retry: "never",
  retryAfterMs: null,
}

const overflowHint = "Ask for less in one run, or let tools return less (limits of results, narrower reads)."

function faultOfApiError(type: string, message: string, status: number | null): Fault {
  if (type === "request_too_large" || status === 413 || isOverflow(message)) {
    return never("context_overflow", `The conversation is too long for the model: ${message}`, overflowHint)
  }
  if (
    authTypes.has(type) ||
    status === 401 ||
    status === 402 ||
    status === 403 ||
    /credit balance is too low/i.test(message)
  ) {
    const hint = "Check ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN) and what its account may do."
    return never("model_auth", `The model API refused the credentials or the account: ${message}`, hint)
  }
  if (busyTypes.has(type) || status === 408 || status === 409 || status === 429 || (status !== null && status >= 500)) {
    const hint = "Try again later, or name other models in agent.fallback_models."
    return {
      code: "model_overloaded",
      message: `The model API is busy: ${message}`,
      hint,
      retry: "soon",
      retryAfterMs: null,
    }
  }
  const hint = type === "not_found_error" ? "Check the model id and the base URL." : null
  return never("model_request_rejected", `The model API rejected the request: ${message}`, hint)
}

const authTypes: ReadonlySet<string> = new Set(["authentication_error", "permission_error", "billing_error"])
const busyTypes: ReadonlySet<string> = new Set(["overloaded_error", "api_error", "rate_limit_error", "timeout_error"])

function isOverflow(message: string): boolean {
  return /prompt is too long|exceed(s|ed)? (the )?(model's )?context (limit|window)/i.test(message)
}

function redirected(status: number, location: string | null, endpoint: string): Fault {
  const known = location !== null && URL.canParse(location, endpoint)
  const target = known ? new URL(location, endpoint).origin : "an address that is none"
  return never(
    "model_bad_response",
    `${endpoint} answered HTTP ${status}, a redirect to ${target}. Redirects are not followed, so that the key goes nowhere else`,
    "If that is where the API is, name it with --base-url or ANTHROPIC_BASE_URL.",
  )
}

/** Gateways answer 5xx with pages of their own for a moment; anything else will be the same next time. */
function notTheApi(status: number, body: unknown, endpoint: string): Fault {
  const text = preview(body)
  const kind = /^\s*<(!doctype|html|head|body|\?xml)/i.test(text)
    ? "an HTML page"
    : "something that is not of the model API"
  return {
    code: "model_bad_response",
    message: `${endpoint} answered HTTP ${status} with ${kind}: ${text === "" ? "(empty)" : text}`,
    hint: "A proxy or a gateway answered in its place: check --base-url, ANTHROPIC_BASE_URL and the proxy variables.",
    retry: status >= 500 || status === 408 || status === 429 ? "soon" : "never",
    retryAfterMs: null,
  }
}

function never(code: ReasonCode, message: string, hint: string | null): Fault {
  return { code, message, hint, retry: "never", retryAfterMs: null }
}

function apiErrorOf(body: unknown): { type: string; message: string } | null {
  const error = isJsonObject(body) ? body.error : null
  if (!isJsonObject(error)) return null
  return { type: textOf(error, "type") ?? "unknown_error", message: textOf(error, "message") ?? "no message" }
}

function textOf(object: JsonObject, key: string): string | null {
  const value = object[key]
  return typeof value === "string" ? value : null
}

/** `retry-after` in seconds or as a date; `retry-after-ms` in milliseconds. */
function retryAfterOf(headers: Headers): number | null {
  const exact = Number.parseFloat(headers.get("retry-after-ms") ?? "")
  if (exact >= 0) return exact
  const value = headers.get("retry-after")
  if (value === null) return null
  const seconds = Number(value)
  if (seconds >= 0) return seconds * 1000
  const date = Date.parse(value)
  return Number.isNaN(date) ? null : Math.max(0, date - Date.now())
}

function preview(body: unknown): string {
  const text = typeof body === "string" ? body : body === undefined ? "" : JSON.stringify(body)
  const line = text.replaceAll(/\s+/g, " ").trim()
  return line.length > 200 ? `${line.slice(0, 200)}…` : line
}
