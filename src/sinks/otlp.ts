import { randomBytes } from "node:crypto"
import type { Sink } from "../contract/sink.ts"
import { type AttributeValue, createSpanFold, type Span } from "../report/spans.ts"
import { version } from "../util/version.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** A sink that keeps the spans of a run until they are sent. */
export interface TraceSink extends Sink {
  /** Send all spans. Never throws; returns why they did not arrive. */
  send(): Promise<string | null>
}

const timeoutMs = 5000

/** Traces as OTLP over HTTP in JSON, to where the OTEL_* variables say; `null` when they, or the caller, want none. */
export function createTraceSink(env: Environment): TraceSink | null {
  const parent = parseTraceParent(env.TRACEPARENT)
  if (parent?.sampled === false || env.OTEL_SDK_DISABLED === "true" || env.OTEL_TRACES_EXPORTER === "none") return null
  const traceId = parent?.traceId ?? randomBytes(16).toString("hex")
  const fold = createSpanFold(() => randomBytes(8).toString("hex"))

  async function send(): Promise<string | null> {
    try {
      const response = await fetch(endpointOf(env), {
        method: "POST",
        headers: { ...headersOf(env), "content-type": "application/json" },
        body: JSON.stringify(toRequest(fold.spans(), { traceId, parentId: parent?.spanId ?? "", env })),
        // Headers carry keys, which are for this endpoint only.
        redirect: "error",
        signal: AbortSignal.timeout(timeoutMs),
      })
      await response.body?.cancel()
      return response.ok ? null : `the endpoint answered ${response.status}`
    } catch (error) {
      return describeFailure(error)
    }
  }

  return { write: fold.write, close: async () => null, send }
}

function endpointOf(env: Environment): string {
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: ofTraces, OTEL_EXPORTER_OTLP_ENDPOINT: ofAll = "" } = env
  return ofTraces || `${ofAll.replace(/\/+$/, "")}/v1/traces`
}

function headersOf(env: Environment): Readonly<Record<string, string>> {
  return parsePairs(env.OTEL_EXPORTER_OTLP_TRACES_HEADERS || env.OTEL_EXPORTER_OTLP_HEADERS)
}

/** `a=1,b=2`, with percent-encoded values. */
function parsePairs(text = ""): Readonly<Record<string, string>> {
  const pairs = text.split(",").flatMap((pair) => {
    const at = pair.indexOf("=")
    return at <= 0 ? [] : [[pair.slice(0, at).trim(), decode(pair.slice(at + 1).trim())] as const]
  })
  return Object.fromEntries(pairs)
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

function parseTraceParent(text = "") {
  const [, traceId = "", spanId = "", flags = ""] =
    /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})/.exec(text) ?? []
  if (traceId === "" || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return null
  return { traceId, spanId, sampled: Number.parseInt(flags, 16) % 2 === 1 }
}

/** Messages of fetch can quote the address, and with it a password: only codes are told. */
function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return "the request failed"
  if (error.name === "TimeoutError") return `the endpoint did not answer within ${timeoutMs / 1000} s`
  const { cause } = error
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : error.name
  return `the request failed (${code})`
}

interface Trace {
  readonly traceId: string
  /** The span of whoever started the run; empty without one. */
  readonly parentId: string
  readonly env: Environment
}

function toRequest(spans: readonly Span[], trace: Trace): object {
  const { env } = trace
  const given = parsePairs(env.OTEL_RESOURCE_ATTRIBUTES)
  const service = env.OTEL_SERVICE_NAME || given["service.name"] || "agent-run"
  const resource = { "service.version": version, ...given, "service.name": service }
  return {
    resourceSpans: [
      {
        resource: { attributes: toAttributes(resource) },
        scopeSpans: [{ scope: { name: "agent-run", version }, spans: spans.map((span) => toWireSpan(span, trace)) }],
      },
    ],
  }
}

function toWireSpan(span: Span, { traceId, parentId }: Trace): object {
  const { error } = span
  return {
    traceId,
    spanId: span.id,
    parentSpanId: span.parentId ?? parentId,
    name: span.name,
    kind: span.kind === "client" ? 3 : 1,
    startTimeUnixNano: `${span.startMs}000000`,
    endTimeUnixNano: `${span.endMs}000000`,
    attributes: toAttributes({ ...span.attributes, ...(error === null ? {} : { "error.type": error }) }),
    status: error === null ? {} : { code: 2 },
  }
}

function toAttributes(values: Readonly<Record<string, AttributeValue>>): readonly object[] {
  return Object.entries(values).map(([key, value]) => ({ key, value: toValue(value) }))
}

function toValue(value: AttributeValue): object {
  if (typeof value === "string") return { stringValue: value }
  if (typeof value !== "number") return { arrayValue: { values: value.map((text) => ({ stringValue: text })) } }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
