import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { describe, expect } from "vitest"
import { it } from "../support/cli-test.ts"
import { answer, errorReply, toolUse } from "../support/messages-server.ts"
import { eventsOf } from "../support/run-in-process.ts"

interface WireSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]
  readonly status: { readonly code?: number }
}

interface Received {
  readonly path: string | undefined
  readonly headers: IncomingMessage["headers"]
  readonly text: string
}

const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
const caller = "00f067aa0ba902b7"

const script = [
  { text: "I look.", calls: [{ tool: "Read", input: { file_path: "secret-name.txt" } }] },
  { text: "I write.", calls: [{ tool: "Write", input: { file_path: "private.txt", content: "confidential" } }] },
  { text: "The answer is confidential." },
]
const run = { script, task: "A confidential task.", files: { "secret-name.txt": "confidential\n" } }

describe("traces", () => {
  it("a run becomes a trace below its caller's: the run, each request, each call", async ({ cli, onTestFinished }) => {
    const { url, received } = await collect(onTestFinished)
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/`,
      OTEL_EXPORTER_OTLP_HEADERS: "x-key=a%20b, x-team=shop",
      OTEL_SERVICE_NAME: "nightly",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=ci,service.name=other",
      TRACEPARENT: `00-${trace}-${caller}-01`,
    }
    const { exitCode, events } = await cli({ ...run, env })
    expect(exitCode).toBe(0)
    const { path, headers, text } = only(received)
    expect({ path, key: headers["x-key"], team: headers["x-team"], type: headers["content-type"] }).toEqual({
      path: "/v1/traces",
      key: "a b",
      team: "shop",
      type: "application/json",
    })
    expect(text).not.toMatch(/confidential|secret-name|private\.txt/)

    const { resource, spans } = read(text)
    expect(resource).toMatchObject({ "service.name": "nightly", "deployment.environment.name": "ci" })
    expect(spans.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      "chat scripted 3",
      "execute_tool Read 1",
      "chat scripted 3",
      "execute_tool Write 1",
      "chat scripted 3",
      "invoke_agent agent-run 1",
    ])
    const root = spans.at(-1)
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([trace]))
    expect(root).toMatchObject({ parentSpanId: caller, status: {} })
    for (const span of spans.slice(0, -1)) expect(span.parentSpanId).toBe(root?.spanId)
    for (const span of spans) expect(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano)).toBe(true)
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length)
    expect(valuesOf(root)).toMatchObject({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.conversation.id": eventsOf(events, "run.start")[0]?.run_id,
      "agent_run.exit_code": "0",
    })
    expect(valuesOf(spans[0])).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "scripted",
      "gen_ai.usage.input_tokens": "0",
    })
    expect(valuesOf(spans[1])).toMatchObject({ "gen_ai.tool.name": "Read", "agent_run.decision": "allow" })
    expect(valuesOf(spans[3])).toMatchObject({ "gen_ai.tool.name": "Write", "error.type": "denied" })
    expect(spans[3]?.status).toEqual({ code: 2 })
  })

  it("tokens of a request count with the cache, and a red run has its reason", async ({
    cli,
    serve,
    onTestFinished,
  }) => {
    const { url, received } = await collect(onTestFinished)
    const usage = { input_tokens: 5, output_tokens: 7, cache_read_input_tokens: 100, cache_creation_input_tokens: 20 }
    const api = await serve([
      answer([toolUse("Read", { file_path: "secret-name.txt" })], { usage }),
      errorReply(401, "authentication_error"),
    ])
    const { exitCode, report } = await cli({
      api,
      files: run.files,
      env: { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/here` },
    })
    expect(exitCode).not.toBe(0)
    const { path, text } = only(received)
    expect(path).toBe("/here")
    const { spans } = read(text)
    expect(spans.map(({ name }) => name.split(" ")[0])).toEqual(["chat", "execute_tool", "chat", "invoke_agent"])
    const [first, , failed, root] = spans
    for (const span of [first, root]) {
      expect(valuesOf(span)).toMatchObject({
        "gen_ai.provider.name": "anthropic",
        "gen_ai.usage.input_tokens": "125",
        "gen_ai.usage.output_tokens": "7",
        "gen_ai.usage.cache_read.input_tokens": "100",
      })
    }
    expect(valuesOf(first)["gen_ai.response.finish_reasons"]).toEqual({ values: [{ stringValue: "tool_use" }] })
    for (const span of [failed, root]) {
      expect(span?.status).toEqual({ code: 2 })
      expect(valuesOf(span)["error.type"]).toBe(report?.reason?.code)
    }
    expect(report?.reason).not.toBeNull()
  })

  it.for<Record<string, string>>([
    { TRACEPARENT: `00-${trace}-${caller}-00` },
    { OTEL_SDK_DISABLED: "true" },
    { OTEL_TRACES_EXPORTER: "none" },
  ])("nothing is sent with %o", async (more, { cli, onTestFinished }) => {
    const { url, received } = await collect(onTestFinished)
    const { exitCode } = await cli({ ...run, env: { OTEL_EXPORTER_OTLP_ENDPOINT: url, ...more } })
    expect(exitCode).toBe(0)
    expect(received).toEqual([])
  })

  it.for<{ what: string; says: RegExp; respond: (response: ServerResponse) => void }>([
    { what: "an error", says: /the endpoint answered 503/, respond: (response) => response.writeHead(503).end() },
    {
      what: "a redirect",
      says: /the request failed/,
      respond: (response) => response.writeHead(307, { location: "/elsewhere" }).end(),
    },
    { what: "a broken connection", says: /the request failed/, respond: (response) => response.destroy() },
    { what: "silence", says: /did not answer within 5 s/, respond: () => {} },
  ])(
    "$what of the collector is one line and leaves the exit code alone",
    async ({ says, respond }, { cli, onTestFinished }) => {
      const { url, received } = await collect(onTestFinished, respond)
      const { exitCode, stderr, report } = await cli({ ...run, env: { OTEL_EXPORTER_OTLP_ENDPOINT: url } })
      expect({ exitCode, status: report?.status }).toEqual({ exitCode: 0, status: "completed" })
      const lines = stderr.split("\n").filter((line) => line.includes("traces were not sent"))
      expect(lines).toEqual([expect.stringMatching(says)])
      expect(received).toHaveLength(1)
    },
  )

  it("an address that is none is one line too, without the password in it", async ({ cli }) => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://user:pass-word-1@localhost:99999" }
    const { exitCode, stderr } = await cli({ ...run, env })
    expect(exitCode).toBe(0)
    expect(stderr).toContain("agent-run: traces were not sent: the request failed")
    expect(stderr).not.toContain("pass-word-1")
  })
})

/** A collector on this machine that takes what comes. */
async function collect(
  onTestFinished: (callback: () => void) => void,
  respond: (response: ServerResponse) => void = (response) => response.end("{}"),
): Promise<{ readonly url: string; readonly received: readonly Received[] }> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    received.push({ path: request.url, headers: request.headers, text: Buffer.concat(chunks).toString() })
    respond(response)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the collector has no port")
  return { url: `http://127.0.0.1:${address.port}`, received }
}

function only(received: readonly Received[]): Received {
  const [first] = received
  if (first === undefined || received.length > 1) throw new Error(`${received.length} requests came`)
  return first
}

function read(text: string): { readonly resource: object; readonly spans: readonly WireSpan[] } {
  const { resourceSpans } = JSON.parse(text)
  return { resource: valuesOf(resourceSpans[0].resource), spans: resourceSpans[0].scopeSpans[0].spans }
}

function valuesOf(holder: Pick<WireSpan, "attributes"> | undefined): Readonly<Record<string, unknown>> {
  return Object.fromEntries((holder?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]))
}
