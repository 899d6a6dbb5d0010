import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import type { RunEventBody } from "../../../src/contract/event.ts"
import { foldReport } from "../../../src/report/fold.ts"
import { createEventKeeper } from "../../../src/report/html/kept-events.ts"
import { renderPage } from "../../../src/report/html/page.ts"
import { decisionOf, stateOf, tellStory } from "../../../src/report/html/story.ts"
import { emitted, reply, runEnd, runStart, toolCall, toolResult } from "../../support/run-events.ts"
import { sampleRun } from "../../support/sample-run.ts"

describe("the page of a run", () => {
  it("says how it ended, why and what it cost before anything else", () => {
    const reason = { code: "max_turns", message: "2 turns were used", hint: "Raise agent.max_turns." } as const
    const page = pageOf([...sampleRun.slice(0, -1), runEnd({ status: "stopped", exit_code: 4, reason })])
    const head = textOf(page.slice(page.indexOf("<header"), page.indexOf("</header>")))
    expect(head).toContain("stopped agent-run exit code 4")
    expect(head).toContain("max_turns : 2 turns were used What to do: Raise agent.max_turns.")
    expect(head).toContain("Cost $0.0246")
    expect(head).toContain("Duration 1.5 s")
    expect(head).toContain("Calls 4 2 failed, 1 denied")
  })

  it("shows every call with its decision, rule, source, input, output and error", () => {
    const page = pageOf(sampleRun)
    const call = textOf(page.slice(page.indexOf('id="call-2"'), page.indexOf('id="call-3"')))
    expect(call).toContain("mcp__fs__write")
    expect(call).toContain("Decision deny by mcp__fs__* in agent.toml:14")
    expect(call).toContain("Server fs")
    expect(call).toContain("Error denied")
    expect(textOf(page)).toContain("no answer in 60 s")
  })

  it("T11 has a policy that lets only its own style and script work, and no reference to anything outside", () => {
    const page = pageOf(sampleRun)
    const [style, script] = ["style", "script"].map((tag) => {
      const source = page.match(new RegExp(`<${tag}>([^]*?)</${tag}>`))?.[1] ?? ""
      return `'sha256-${createHash("sha256").update(source).digest("base64")}'`
    })
    const policy = `default-src 'none'; style-src ${style}; script-src ${script}; base-uri 'none'; form-action 'none'`
    expect(page).toContain(`<meta http-equiv="Content-Security-Policy" content="${policy}">`)
    expect(page.match(/<script/g)).toHaveLength(1)
    expect(page).not.toMatch(/\b(?:src|srcset|style|on\w+)=/)
    expect(page.match(/\bhref="(?!#)[^"]*"/g)).toBeNull()
  })

  it("T11 turns markup of others into text, wherever it stands", () => {
    const attack = `"'></pre></script><script>alert(1)</script><img src=https://evil.test/x onerror=alert(1)><!--`
    const page = pageOf(hostileRun(attack))
    const ours = pageOf(hostileRun("plain"))
    expect(page.match(/<[a-z!/][^\s>]*/gi)).toEqual(ours.match(/<[a-z!/][^\s>]*/gi))
    expect(textOf(page)).toContain("evil.test")
  })

  it("T11 shows no character that hides or reorders text", () => {
    expect(pageOf(hostileRun("a\u202eb\u2066c\u200bd\u001b[31me\u0000f\ud800g"))).not.toMatch(
      /[\u202a-\u202e\u2066-\u2069\u200b\u001b\u0000\ud800]/,
    )
  })

  it("shows what waits for a person and what is planned", () => {
    const decision = { action: "ask", rule: "Write", source: "agent.toml:9" } as const
    const call = {
      turn: 1,
      call_id: "c1",
      tool: "Write",
      server: null,
      input: { file_path: "a.md" },
      decision,
    } as const
    const queued = { plan_id: "P1", call_id: "c2", tool: "Edit", server: null, refill: [], edit: null }
    const page = textOf(
      pageOf([
        runStart(),
        { type: "turn.start", turn: 1, kind: "work" },
        { type: "tool.call", ...call },
        { type: "approval.request", ...call },
        toolCall("c2", { tool: "Edit" }),
        { type: "plan.call", ...queued, input: { file_path: "b.md" }, decision },
        toolResult("c2", { tool: "Edit", state: "queued" }),
        runEnd({ status: "paused", exit_code: 3, reason: null, answer: null }),
      ]),
    )
    expect(page).toContain('pending Write { "file_path": "a.md" } Write in agent.toml:9'.replaceAll('"', "&quot;"))
    expect(page).toContain('P1 Edit { "file_path": "b.md" }'.replaceAll('"', "&quot;"))
    expect(page).toContain("Calls 2 0 failed, 0 denied")
    expect(page).toContain("approval Write waits for a person")
    expect(page).toMatch(/Edit {} queued 12 ms/)
  })

  it("is made of a run that was killed, too", () => {
    const events = [runStart(), { type: "turn.start", turn: 1, kind: "work" }, reply("Go."), toolCall("c1")] as const
    const page = textOf(pageOf(events))
    expect(page).toContain("the transcript has no run.end")
    expect(page).toContain("There is none: the run ended before.")
  })

  it("says what it leaves out: long texts are cut, and events beyond the bounds are counted", () => {
    const long = [runStart(), toolCall("c1", { input: { text: "x".repeat(20_007) } }), runEnd()]
    expect(textOf(pageOf(long))).toContain("7 more characters are in the transcript.")
    const keeper = createEventKeeper({ events: 10, chars: 1_000_000 })
    const events = emitted(sampleRun)
    for (const event of events) keeper.write(event)
    expect(keeper.kept()).toEqual({ events: events.slice(0, 10), leftOut: events.length - 10 })
    expect(textOf(renderPage(foldReport(events), keeper.kept()))).toContain(`${events.length - 10} more events`)
    const small = createEventKeeper({ events: 10, chars: 100 })
    for (const event of events) small.write(event)
    expect(small.kept()).toEqual({ events: [], leftOut: events.length })
  })
})

describe("the story of a run", () => {
  it("puts results and hooks to their calls, and the turns of a sub-agent beside those of the run", () => {
    const decision = { action: "deny", rule: "hook", source: "agent.toml:2" } as const
    const hook = { hook: "guard", event: "pre_tool_use", tool: "Read", outcome: "blocked" } as const
    const story = tellStory(
      emitted([
        runStart({ task: "T" }),
        { type: "turn.start", turn: 1, kind: "work" },
        toolCall("a", { tool: "Agent" }),
        { type: "turn.start", turn: 1, kind: "work", parent_call_id: "a" },
        { ...toolCall("b"), parent_call_id: "a" },
        { type: "hook", ...hook, call_id: "b", duration_ms: 1, reason: "no", note: null, decision },
        { ...toolResult("b", { state: "denied", ok: false, error_code: "denied" }), parent_call_id: "a" },
        toolCall("c"),
      ]),
    )
    const told = story.parts.map(({ title, items }) => [
      title,
      items.map((item) => (item.kind === "call" ? `${item.call.call_id} ${stateOf(item)}` : item.kind)),
    ])
    expect([story.task, told]).toEqual([
      "T",
      [
        ["Turn 1", ["a unanswered", "c unanswered"]],
        ["Turn 1 of a sub-agent", ["b denied"]],
      ],
    ])
    expect(story.calls.map(decisionOf)[1]).toEqual(decision)
  })
})

function pageOf(bodies: readonly RunEventBody[]): string {
  const events = emitted(bodies)
  return renderPage(foldReport(events), { events, leftOut: 0 })
}

/** A run in which all that others can write is the same text. */
function hostileRun(text: string): readonly RunEventBody[] {
  const decision = { action: "deny", rule: text, source: text } as const
  const server = { server: text, transport: text, state: "failed" } as const
  return [
    runStart({ task: text, model: text, workspace: text, config_sources: [text], run_id: text }),
    { type: "server.error", ...server, error: text, hint: text, stderr_tail: text },
    { type: "turn.start", turn: 1, kind: "work" },
    reply(text, {
      content: [
        { type: "text", text },
        { type: "opaque", raw: { type: text, text } },
      ],
    }),
    toolCall("c1", { tool: text, server: text, input: { [text]: text }, decision, wraps: { tool: text, input: text } }),
    { type: "warning", code: text, message: text },
    toolResult("c1", { tool: text, content: [{ type: "text", text }], structured: { [text]: text } }),
    runEnd({
      answer: text,
      structured: text,
      files_changed: [{ path: text, added: 1, removed: 1 }],
      expectations: [{ name: text, ok: false, message: text }],
      reason: { code: "max_turns", message: text, hint: text },
    }),
  ]
}

/** What a reader sees, roughly. */
function textOf(page: string): string {
  return page
    .replaceAll(/<(style|script)>[\s\S]*?<\/\1>/g, "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
}
