import { describe, expect, it } from "vitest"
import type { RunEventBody } from "../../src/contract/event.ts"
import { createBus } from "../../src/events/bus.ts"
import { createRedactor } from "../../src/events/redact.ts"
import {
  createClock,
  createRecorder,
  expectValidEvents,
  reply,
  runEnd,
  runStart,
  serverConnected,
  serverError,
  toolCall,
  toolResult,
} from "../support/run-events.ts"

describe("redacting events", () => {
  it("T22 leaves our own vocabulary alone even if secrets are spelled like it", () => {
    const ours = [
      ["server.connected", "connected", "needs-auth", "tool.result", "assistant", "tool_use", "completed"],
      [
        "internal_error",
        "server_unavailable",
        "not_started",
        "2026-11-18T10:00:00.000Z",
        "max_turns",
        "schema_version",
      ],
    ].flat()
    const env = Object.fromEntries(ours.map((value, index) => [`SECRET_${index}`, value]))
    const bus = createBus({ redactor: createRedactor({ env, envGlobs: [], patterns: [] }), now: createClock() })
    const recorder = createRecorder()
    bus.attach(recorder)
    const bodies: readonly RunEventBody[] = [
      runStart(),
      serverConnected("everything"),
      {
        type: "server.disconnected",
        server: "b",
        transport: "http",
        state: "needs-auth",
        reason: "not_started",
        detail: null,
      },
      reply("x", { content: [{ type: "tool_use", id: "c1", name: "Read", input: {} }] }),
      toolResult("c1", { state: "error", ok: false, error_code: "server_unavailable" }),
      { type: "limit", limit: "max_turns", allowed: 50, used: 50 },
      runEnd({ status: "failed", exit_code: 1, reason: { code: "internal_error", message: "m", hint: null } }),
    ]
    for (const body of bodies) bus.emit(body)
    const unsealed = recorder.events.map(({ digest: _, ...event }) => event)
    expect(unsealed).toEqual(
      bodies.map((body, seq) => ({ schema_version: 1, seq, at: `2026-11-18T10:00:0${seq}.000Z`, ...body })),
    )
    expectValidEvents(recorder.events)
  })

  it("T22 finds a secret in every free field, keys and numbers of inputs included", () => {
    const secret = "correct-horse"
    const env = { API_TOKEN: secret, PIN_SECRET: "4711471147" }
    const bus = createBus({ redactor: createRedactor({ env, envGlobs: [], patterns: [] }), now: createClock() })
    const recorder = createRecorder()
    bus.attach(recorder)
    const file = { path: secret, added: 1, removed: 0 }
    const decision = { action: "deny", rule: secret, source: secret } as const
    for (const body of [
      runStart({ task: secret, model: secret, workspace: secret, config_sources: [secret] }),
      serverError(secret, secret),
      reply(secret, { content: [{ type: "opaque", raw: { thinking: [secret] } }], stop_reason: secret }),
      toolCall(secret, { tool: secret, server: secret, input: { [secret]: [{ pin: 4711471147 }] }, decision }),
      toolResult(secret, { content: [{ type: "text", text: secret }], structured: { [secret]: secret } }),
      runEnd({ answer: secret, files_changed: [file], expectations: [{ name: secret, ok: true, message: secret }] }),
    ] satisfies readonly RunEventBody[]) {
      bus.emit(body)
    }
    const text = JSON.stringify(recorder.events)
    expect(text).not.toContain(secret)
    expect(text).not.toContain("4711471147")
    expectValidEvents(recorder.events)
    expect(recorder.events[3]).toMatchObject({ input: { "[redacted:API_TOKEN]": [{ pin: "[redacted:PIN_SECRET]" }] } })
  })
})
