import { spawn } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { stringify } from "smol-toml"
import { expect } from "vitest"
import type { RunEvent } from "../../src/contract/event.ts"
import type { Report } from "../../src/contract/report.ts"
import type { ScriptTurn } from "../../src/model/script-schema.ts"
import { foldReport } from "../../src/report/fold.ts"
import { killProcessesOf, type LeftProcess, processesOf } from "./left-processes.ts"
import type { MessagesServer } from "./messages-server.ts"
import { expectValidEvents, expectValidReport } from "./run-events.ts"

const cliPath = fileURLToPath(new URL("../../dist/cli.js", import.meta.url))
const unbundledCliPath = fileURLToPath(new URL("../../build/cli.js", import.meta.url))

/** One start of the CLI; everything has a default. */
export interface CliOptions {
  /** `null` gives no --task. */
  readonly task?: string | null
  readonly args?: readonly string[]
  /** The workspace's agent.toml. */
  readonly config?: string | object
  /** More files of the workspace. */
  readonly files?: Readonly<Record<string, string>>
  /** The model is this script … */
  readonly script?: readonly ScriptTurn[]
  /** … or this server. */
  readonly api?: MessagesServer
  readonly env?: Readonly<Record<string, string>>
  /** "open" stays silent and open; a text is sent and ends. Default: nothing to read. */
  readonly stdin?: "none" | "open" | { readonly text: string }
  /** A line for sh that uses `agent-run "$@"`. */
  readonly shell?: string
  /** Options of node itself, such as a preload. */
  readonly nodeArgs?: readonly string[]
  /** Start the same program as one file a module, so that a preload can replace one of them. */
  readonly unbundled?: true
  /** Without --out-dir there is neither report nor transcript. */
  readonly outDir?: false
  /** The test ends the process by force: no report and no last event are expected. */
  readonly cutShort?: boolean
  readonly timeoutMs?: number
}

/** How a run of the CLI ended, and what it left. Report and events are valid, and belong together. */
export interface CliRun {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
  readonly report: Report | null
  readonly events: readonly RunEvent[]
}

/** A CLI that runs. */
export interface RunningCli {
  readonly workspace: string
  readonly outDir: string
  kill(signal: NodeJS.Signals): void
  /** The CLI itself and everything it started that is still there. */
  processes(): readonly LeftProcess[]
  /** The events in the transcript so far. */
  events(): readonly RunEvent[]
  /** Also makes sure that no process and no temporary file of the run is left, and that no key shows anywhere. */
  readonly ended: Promise<CliRun>
}

const defaultTimeoutMs = 25_000

/** Start the built CLI in `folder`, which becomes its home: every process it starts can be told by that. */
export function startCli(folder: string, options: CliOptions): RunningCli {
  const workspace = join(folder, "workspace")
  const outDir = join(folder, "out")
  furnish(folder, workspace, options)
  const { stdin = "none" } = options
  const [command, ...args] = commandOf(folder, options)
  const child = spawn(command, args, {
    cwd: workspace,
    env: environmentOf(folder, options),
    stdio: [stdin === "none" ? "ignore" : "pipe", "pipe", "pipe"],
  })
  const { stdout, stderr } = child
  // A run need not read what it is sent.
  child.stdin?.on("error", () => {})
  if (typeof stdin === "object") child.stdin?.end(stdin.text)
  const output = { stdout: "", stderr: "" }
  stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    output.stdout += chunk
  })
  stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    output.stderr += chunk
  })

  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()))
  const exited = new Promise<Pick<CliRun, "exitCode" | "signal">>((resolve) =>
    child.once("exit", (exitCode, signal) => resolve({ exitCode, signal })),
  )
  const { timeoutMs = defaultTimeoutMs } = options

  async function waitForEnd(): Promise<CliRun> {
    const late = setTimeout(() => {
      killProcessesOf(folder)
      child.kill("SIGKILL")
    }, timeoutMs)
    const started = performance.now()
    const end = await exited
    const left = options.cutShort ? [] : processesOf(folder)
    if (performance.now() - started >= timeoutMs) {
      throw new Error(`agent-run did not end within ${timeoutMs / 1000} s. Its stderr:\n${output.stderr}`)
    }
    clearTimeout(late)
    expect(left, "processes left by the run").toEqual([])
    if (!options.cutShort) expect(readdirSync(join(folder, "tmp")), "temporary files left by the run").toEqual([])
    await until(() => processesOf(folder).length === 0, "no process of the run is left")
    child.stdin?.destroy()
    await closed
    return { ...end, ...output, ...readOutputs(outDir, { ...end, ...output, ...options }) }
  }

  const ended = waitForEnd()
  // A test that fails before it waits for the end has its own error to show.
  ended.catch(() => {})
  return {
    workspace,
    outDir,
    kill: (signal) => void child.kill(signal),
    processes: () => processesOf(folder),
    events: () => eventsIn(textOf(join(outDir, "transcript.jsonl"))),
    ended,
  }
}

/** Wait for a state of the outside world, looking often. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  const giveUpAt = performance.now() + 20_000
  while (!condition()) {
    if (performance.now() > giveUpAt) throw new Error(`waited in vain until ${what}`)
    await pause(10)
  }
}

/** The contents of a file, empty when there is none. */
export function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : ""
}

function furnish(folder: string, workspace: string, { config, files, script }: CliOptions): void {
  for (const name of ["home", "tmp", "bin", "workspace"]) mkdirSync(join(folder, name), { recursive: true })
  symlinkSync(process.execPath, join(folder, "bin", "node"))
  symlinkSync(cliPath, join(folder, "bin", "agent-run"))
  for (const [path, contents] of Object.entries(files ?? {})) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true })
    writeFileSync(join(workspace, path), contents)
  }
  if (config !== undefined) {
    writeFileSync(join(workspace, "agent.toml"), typeof config === "string" ? config : stringify(config))
  }
  if (script) writeFileSync(join(folder, "script.json"), JSON.stringify({ turns: script }))
}

function commandOf(folder: string, options: CliOptions): readonly [string, ...string[]] {
  const args = argumentsOf(folder, options)
  if (options.shell !== undefined) return ["sh", "-c", options.shell, "sh", ...args]
  return [process.execPath, ...(options.nodeArgs ?? []), options.unbundled ? unbundledCliPath : cliPath, ...args]
}

function argumentsOf(folder: string, options: CliOptions): readonly string[] {
  const { task = "Do what the test asks.", api, script } = options
  return [
    ...(task === null ? [] : ["--task", task]),
    ...(options.outDir === false ? [] : ["--out-dir", join(folder, "out")]),
    ...(script ? ["--script", join(folder, "script.json")] : []),
    ...(api ? ["--base-url", api.url] : []),
    ...(options.args ?? []),
  ]
}

function environmentOf(folder: string, { api, env }: CliOptions): Record<string, string> {
  const path = `${join(folder, "bin")}:${process.env.PATH ?? ""}`
  const own = { PATH: path, HOME: join(folder, "home"), TMPDIR: join(folder, "tmp") }
  return { ...own, ...(api ? { ANTHROPIC_API_KEY: api.env.ANTHROPIC_API_KEY } : {}), ...env }
}

type Ending = Pick<CliRun, "exitCode" | "stdout" | "stderr"> & Pick<CliOptions, "api" | "cutShort" | "shell">

function readOutputs(outDir: string, ending: Ending): Pick<CliRun, "report" | "events"> {
  const transcript = textOf(join(outDir, "transcript.jsonl"))
  const reportText = textOf(join(outDir, "report.json"))
  const events = eventsIn(transcript)
  const report: Report | null = reportText === "" ? null : JSON.parse(reportText)
  const key = ending.api?.env.ANTHROPIC_API_KEY
  if (key !== undefined) expect(transcript + reportText + ending.stdout + ending.stderr).not.toContain(key)

  expectValidEvents(events)
  expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + (events[0]?.seq ?? 0)))
  if (ending.cutShort || events.length === 0) return { report, events }
  expect(transcript.endsWith("\n"), "the transcript ends with a whole line").toBe(true)
  expect([events[0]?.type, events.at(-1)?.type]).toEqual(["run.start", "run.end"])
  expect(report).toEqual(foldReport(events))
  if (report) expectValidReport(report)
  if (ending.shell === undefined) expect(report?.exit_code).toBe(ending.exitCode)
  return { report, events }
}

/** Whole lines only: the last one may still be on its way. */
function eventsIn(transcript: string): readonly RunEvent[] {
  const lines = transcript.split("\n").slice(0, -1)
  return lines.map((line) => JSON.parse(line))
}
