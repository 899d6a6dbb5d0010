import { Validator } from "@cfworker/json-schema"
import { expect } from "vitest"
import { type RunEvent, type RunEventBody, type RunEventOf, runEventSchema } from "../../src/contract/event.ts"
import { type Report, reportSchema } from "../../src/contract/report.ts"
import type { Sink } from "../../src/contract/sink.ts"
import { createBus } from "../../src/events/bus.ts"
import { createRedactor } from "../../src/events/redact.ts"
import { eventJsonSchema, reportJsonSchema } from "../../src/report/schemas.ts"

type BodyOf<Type extends RunEvent["type"]> = Omit<RunEventOf<Type>, "schema_version" | "seq" | "at">

/** The first event of a run, with any field replaced. */
export function runStart(fields: Partial<BodyOf<"run.start">> = {}): BodyOf<"run.start"> {
  const paths = { workspace: "/work", config_sources: ["agent.toml"] }
  return {
    type: "run.start",
    run_id: "r1",
    version: "1.0.0",
    task: "Do it",
    model: "m",
    sandbox: "off",
    ...paths,
    ...fields,
  }
}

/** The last event of a run that answered, with any field replaced. */
export function runEnd(fields: Partial<BodyOf<"run.end">> = {}): BodyOf<"run.end"> {
  const ending = { status: "completed", exit_code: 0, reason: null, answer: "Done.", duration_ms: 1500 } as const
  return {
    type: "run.end",
    ...ending,
    tools_offered: 9,
    tools_deferred: 0,
    files_changed: [],
    expectations: [],
    redactions: 0,
    ...fields,
  }
}

/** A request for a call, allowed unless said otherwise. */
export function toolCall(id: string, fields: Partial<BodyOf<"tool.call">> = {}): BodyOf<"tool.call"> {
  const decision = { action: "allow", rule: "Read", source: "agent.toml:4" } as const
  return { type: "tool.call", turn: 1, call_id: id, tool: "Read", server: null, input: {}, decision, ...fields }
}

/** A good result of a call, unless said otherwise. */
export function toolResult(id: string, fields: Partial<BodyOf<"tool.result">> = {}): BodyOf<"tool.result"> {
  const result = { state: "output", ok: true, duration_ms: 12, error_code: null } as const
  const content = [{ type: "text" as const, text: "contents" }]
  return { type: "tool.result", turn: 1, call_id: id, tool: "Read", server: null, ...result, content, ...fields }
}

/** What the model said, with usage and cost. */
export function reply(text: string, fields: Partial<BodyOf<"message">> = {}): BodyOf<"message"> {
  const usage = { input_tokens: 100, output_tokens: 20, cache_read_input_tokens: 300, cache_creation_input_tokens: 0 }
  const facts = { model: "m", stop_reason: "end_turn", usage, cost_usd: 0.0123 }
  return { type: "message", turn: 1, role: "assistant", content: [{ type: "text", text }], ...facts, ...fields }
}

/** A server that is ready. */
export function serverConnected(server: string): BodyOf<"server.connected"> {
  const offers = { tools: 12, resources: 3, prompts: 0, connect_ms: 340, protocol_version: "2025-11-25" }
  return { type: "server.connected", server, transport: "stdio", state: "connected", ...offers }
}

/** A server that could not be connected. */
export function serverError(server: string, error: string): BodyOf<"server.error"> {
  const more = { hint: "Install it.", stderr_tail: "line 1\nline 2" }
  return { type: "server.error", server, transport: "stdio", state: "failed", error, ...more }
}

/** A sink that keeps what it is given. */
export function createRecorder(): Sink & { readonly events: RunEvent[] } {
  const events: RunEvent[] = []
  return { events, write: (event) => void events.push(event), close: async () => null }
}

/** Events as a bus passes them on, a second apart, checked against the schemas. */
export function emitted(bodies: readonly RunEventBody[]): readonly RunEvent[] {
  const redactor = createRedactor({ env: {}, envGlobs: [], patterns: [] })
  const bus = createBus({ redactor, now: createClock() })
  const recorder = createRecorder()
  bus.attach(recorder)
  for (const body of bodies) bus.emit(body)
  expectValidEvents(recorder.events)
  return recorder.events
}

/** A clock that moves one second each time it is looked at. */
export function createClock(): () => Date {
  let time = Date.parse("2026-11-18T10:00:00.000Z") - 1000
  return () => {
    time += 1000
    return new Date(time)
  }
}

const eventValidator = new Validator(toValidatorSchema(eventJsonSchema()), "2020-12")
const reportValidator = new Validator(toValidatorSchema(reportJsonSchema()), "2020-12")

/** Hold events against our schema and against the published one. */
export function expectValidEvents(events: readonly unknown[]): void {
  for (const event of events) {
    expect(runEventSchema.safeParse(event).error).toBeUndefined()
    expect(eventValidator.validate(toJson(event)).errors).toEqual([])
  }
}

/** Hold a report against our schema and against the published one. */
export function expectValidReport(report: Report): void {
  expect(reportSchema.safeParse(report).error).toBeUndefined()
  expect(reportValidator.validate(toJson(report)).errors).toEqual([])
}

function toJson(value: unknown) {
  return JSON.parse(JSON.stringify(value))
}

function toValidatorSchema(schema: object) {
  return toJson(schema)
}
