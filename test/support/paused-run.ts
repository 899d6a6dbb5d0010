import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import type { RunEvent } from "../../src/contract/event.ts"
import { foldReport } from "../../src/report/fold.ts"
import { fixture } from "./cli-test.ts"
import type { CliOptions, CliRun, RunningCli } from "./run-cli.ts"
import { expectValidEvents, expectValidReport } from "./run-events.ts"

/** A configuration with tools that are allowed, asked for and read-only; `callsFile` says which were really called. */
export function pausingConfig(callsFile: string, more: object = {}): object {
  return {
    mcp_servers: { notes: fixture(["--named", "get_note,save_note,send_note", "--calls-file", callsFile]) },
    permissions: {
      on_ask: "pause",
      rules: [
        { tool: "mcp__notes__{get,save}_note", action: "allow" },
        { tool: "mcp__notes__send_note", action: "ask" },
      ],
      ...more,
    },
  }
}

/** One turn: a write, a call to approve, a read, another write, another call to approve. */
export const askingTurn = {
  text: "I save, send and look.",
  calls: [
    { id: "save-1", tool: "mcp__notes__save_note", input: { text: "first" } },
    { id: "send-1", tool: "mcp__notes__send_note", input: { text: "to all" } },
    { id: "get-1", tool: "mcp__notes__get_note", input: { text: "7" } },
    { id: "save-2", tool: "mcp__notes__save_note", input: { text: "second" } },
    { id: "send-2", tool: "mcp__notes__send_note", input: { text: "to me" } },
  ],
  usage: { input_tokens: 100, output_tokens: 10 },
  cost_usd: 0.25,
}

/** Start a run that pauses at `askingTurn`, and return its transcript. */
export async function pausedRun(
  start: (options: CliOptions) => RunningCli,
  callsFile: string,
  options: CliOptions = {},
): Promise<{ readonly run: CliRun; readonly transcript: string }> {
  const running = start({ config: pausingConfig(callsFile), script: [askingTurn], ...options })
  const run = await running.ended
  expect(run.exitCode, run.stderr).toBe(3)
  return { run, transcript: join(running.outDir, "transcript.jsonl") }
}

/** The events of a transcript, valid and numbered; with a report they belong together. */
export function eventsIn(transcript: string, report: CliRun["report"] = null): readonly RunEvent[] {
  const lines = readFileSync(transcript, "utf8").split("\n").slice(0, -1)
  const events: RunEvent[] = lines.map((line) => JSON.parse(line))
  expectValidEvents(events)
  expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index))
  if (report === null) return events
  expectValidReport(report)
  expect(report).toEqual(foldReport(events))
  return events
}
