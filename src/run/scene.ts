import { randomUUID } from "node:crypto"
import type { PausedTranscript } from "../approvals/read-transcript.ts"
import type { Emit, RunEventOf } from "../contract/event.ts"
import { ended, exitCodeOf, type Outcome, statusOf } from "../contract/outcome.ts"
import { noOutputs, type OutputPaths } from "../contract/output.ts"
import { planKeyVariable } from "../contract/plan.ts"
import type { Report } from "../contract/report.ts"
import type { Host, RunOptions } from "../contract/run-options.ts"
import { createBus } from "../events/bus.ts"
import { createRedactor, type Redactor } from "../events/redact.ts"
import { createDeadLetters, type DeadLetters } from "../mcp/life/dead-letters.ts"
import { createReportFold } from "../report/fold.ts"
import { createEventKeeper, type EventKeeper } from "../report/html/kept-events.ts"
import { toJsonReport } from "../report/json.ts"
import { renderJunit } from "../report/junit.ts"
import { renderSummary } from "../report/markdown.ts"
import { renderSarif } from "../report/run-findings.ts"
import { prepareOutputFile, writeOutput } from "../sinks/files.ts"
import { createJsonlFileSink } from "../sinks/jsonl-file.ts"
import { version } from "../util/version.ts"
import { detectCi } from "./ci.ts"
import type { SharedRooms } from "./shared-rooms.ts"

type StartFacts = Omit<
  RunEventOf<"run.start">,
  "type" | "schema_version" | "seq" | "at" | "digest" | "run_id" | "version"
> & {
  /** Of the run that goes on; a new one otherwise. */
  readonly run_id?: string
}

/** How a run ended, with what the last event and the files need beside the events before it. */
export interface RunEnd {
  readonly outcome: Outcome
  readonly tools: { readonly offered: number; readonly deferred: number }
  readonly expectations: RunEventOf<"run.end">["expectations"]
  readonly filesChanged: RunEventOf<"run.end">["files_changed"]
  readonly patch: string
  /** A file to be written beside the configured ones, made from the report. */
  readonly file: { readonly path: string; render(report: Report): string } | null
}

/** What surrounds a run from its first moment: the events, where they go, and the way out. */
export interface Scene {
  readonly emit: Emit
  readonly redactor: Redactor
  /** What other runs of this process use, too. */
  readonly shared: SharedRooms | null
  elapsedMs(): number
  /** Open output files; called as soon as their paths are known. Throws a UserError when one cannot be written. */
  openOutputs(paths: OutputPaths): void
  /** No further output will come. */
  sealOutputs(): void
  /** Where calls go that failed for good. Throws a UserError when the file cannot be written. */
  openDeadLetters(path: string): DeadLetters
  /** Go on in the transcript of a paused run, behind its whole lines. */
  resume(path: string, transcript: PausedTranscript): void
  /** All events so far survive the end of this process, or why not. */
  sync(): Promise<string | null>
  /** Called when everything is written. */
  onEnd(callback: () => void): void
  /** The first event. Without it, the end writes one with what is known. */
  start(facts: StartFacts): void
  /** The report so far. */
  report(): Report
  /** The last event, all files, the report. Always succeeds. */
  conclude(end: RunEnd): Promise<Report>
}

/** Set the scene of one run. */
export function setScene(options: RunOptions, host: Host, shared: SharedRooms | null): Scene {
  const begunAt = performance.now()
  const elapsedMs = () => performance.now() - begunAt
  const redactor = createRedactor({ env: host.env, envGlobs: [], patterns: [] })
  const bus = createBus({ redactor, now: () => new Date(), key: host.env[planKeyVariable] })
  const fold = createReportFold()
  let outputs: OutputPaths = noOutputs
  let keeper: EventKeeper | null = null
  let started = false
  const ci = detectCi(host.env)

  const endings: (() => void)[] = []

  bus.attach({ write: fold.write, recall: fold.write, close: async () => null })
  for (const sink of options.sinks ?? []) bus.attach(sink)
  if (options.onEvent) bus.attach({ write: options.onEvent, close: async () => null })

  function start(facts: StartFacts): void {
    started = true
    bus.emit({ type: "run.start", run_id: randomUUID(), version, ...facts, ...(ci && { ci }) })
  }

  async function conclude(end: RunEnd): Promise<Report> {
    if (!started) start(factsBeforeConfig(options, host))
    const outcome = incomplete(end.outcome, await bus.flush())
    bus.emit({
      type: "run.end",
      status: statusOf(outcome),
      exit_code: exitCodeOf(outcome),
      reason: outcome.kind === "ended" ? outcome.reason : null,
      answer: outcome.answer,
      ...(outcome.kind === "answered" && outcome.structured !== undefined && { structured: outcome.structured }),
      duration_ms: Math.round(elapsedMs()),
      tools_offered: end.tools.offered,
      tools_deferred: end.tools.deferred,
      files_changed: end.filesChanged,
      expectations: end.expectations,
      redactions: 0,
    })
    const problems = [...(await bus.close())]
    const report = fold.report()
    problems.push(...(await writeFiles(report, end)))
    for (const end of endings) end()
    for (const problem of problems) host.log(`agent-run: ${problem}`)
    return problems.length > 0 && report.exit_code === 0 ? { ...report, ...incompleteHead(problems) } : report
  }

  async function writeFiles(report: Report, { patch, file }: RunEnd): Promise<readonly string[]> {
    const files: readonly (readonly [string | null, () => string | Promise<string>])[] = [
      [outputs.summary, () => renderSummary(report)],
      [outputs.junit, () => renderJunit(report)],
      [outputs.sarif, () => renderSarif(report)],
      [outputs.html, () => renderHtml(report)],
      [outputs.patch, () => redactor.redactText(patch)],
      [file?.path ?? null, () => file?.render(report) ?? ""],
      [outputs.report, () => toJsonReport(report)],
    ]
    const problems: string[] = []
    for (const [path, render] of files) {
      if (path === null) continue
      await Promise.resolve(render())
        .then((contents) => writeOutput(path, contents))
        .catch((error: Error) => problems.push(`cannot write ${path}: ${error.message}`))
    }
    return problems
  }

  async function renderHtml(report: Report): Promise<string> {
    const { renderPage } = await import("../report/html/page.ts")
    return renderPage(report, keeper?.kept() ?? { events: [], leftOut: 0 })
  }

  return {
    emit: bus.emit,
    redactor,
    shared,
    elapsedMs,
    openOutputs(paths) {
      for (const [name, path] of Object.entries(paths)) {
        if (path !== null && name !== "transcript") prepareOutputFile(path)
      }
      // A run that goes on has its transcript already, and must not empty it.
      if (options.resume === undefined && paths.transcript !== null && paths.transcript !== outputs.transcript) {
        bus.attach(createJsonlFileSink(paths.transcript))
      }
      if (paths.html !== null && keeper === null) {
        keeper = createEventKeeper()
        bus.attach({ write: keeper.write, recall: keeper.write, close: async () => null })
      }
      outputs = paths
    },
    sealOutputs: bus.seal,
    openDeadLetters(path) {
      prepareOutputFile(path)
      const warn = (message: string) => bus.emit({ type: "warning", code: "dead_letter_lost", message })
      return createDeadLetters({ path, redact: redactor.redact, warn })
    },
    resume(path, transcript) {
      bus.attach(createJsonlFileSink(path, transcript))
      bus.continueFrom(transcript.events)
    },
    async sync() {
      const problems = await bus.sync()
      return problems.length === 0 ? null : problems.join("; ")
    },
    onEnd: (callback) => void endings.push(callback),
    start,
    report: fold.report,
    conclude,
  }
}

function factsBeforeConfig(options: RunOptions, host: Host): StartFacts {
  const model = typeof options.model === "object" ? options.model.id : (options.model ?? "")
  return {
    task: options.task ?? "",
    model,
    workspace: options.workspace ?? host.cwd,
    config_sources: [],
    sandbox: "off",
  }
}

function incomplete(outcome: Outcome, problems: readonly string[]): Outcome {
  if (outcome.kind === "ended" || problems.length === 0) return outcome
  const { reason } = incompleteHead(problems)
  return { ...ended(reason), answer: outcome.answer }
}

function incompleteHead(problems: readonly string[]) {
  const hint = "The run itself was finished. Look at the output named above: is the disk full, was a file removed?"
  const reason = { code: "output_incomplete", message: problems.join("; "), hint } as const
  return { status: "failed", exit_code: exitCodeOf(ended(reason)), reason } as const
}
