import { resolve } from "node:path"
import type { EffectiveValue } from "../config/effective.ts"
import { loadConfig } from "../config/load.ts"
import type { Config } from "../contract/config.ts"
import type { Finding } from "../contract/finding.ts"
import { type Reason, type ReasonCode, reasons } from "../contract/reason.ts"
import type { Report } from "../contract/report.ts"
import type { RunOptions } from "../contract/run-options.ts"
import { UserError } from "../contract/user-error.ts"
import { createBus } from "../events/bus.ts"
import { createRedactor } from "../events/redact.ts"
import { createPool, type Pool } from "../mcp/pool.ts"
import { toAnnotation } from "../report/annotation.ts"
import { toLogLines } from "../report/escape.ts"
import { createReportFold } from "../report/fold.ts"
import { toJsonText } from "../report/json.ts"
import { accessOf } from "../run/access.ts"
import { configOptionsOf, findWorkspace } from "../run/find-config.ts"
import { configSecrets } from "../run/prepare.ts"
import { createConsoleSink } from "../sinks/console.ts"
import { prepareOutputFile, writeOutput } from "../sinks/files.ts"
import { version } from "../util/version.ts"
import { toSafeOutput } from "./safe-output.ts"
import { listenForStop } from "./stop-signals.ts"
import { writeOut } from "./write-out.ts"

/** How a command shows what it does. */
export interface Presentation {
  readonly host: NodeJS.Process
  readonly json: boolean | undefined
  readonly quiet: boolean | undefined
  readonly verbose: boolean | undefined
}

/** What a command without a model works with. */
export interface ServerSession {
  readonly config: Config
  readonly effective: readonly EffectiveValue[]
  readonly workspace: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly json: boolean
  /** Aborted by SIGINT and SIGTERM. */
  readonly signal: AbortSignal
  /** Start the servers, with a line on stderr for each. A command that never asks for them starts none. */
  connect(): Promise<Pool>
  /** What the events so far amount to: states, counts and errors of servers. */
  report(): Report
  /** The result on stdout, without secrets: JSON with --json, else the text. */
  print(value: unknown, text: () => string): void
  /** Text on stdout, without secrets and commands for a CI runner; bytes as they are. */
  write(contents: string | Uint8Array): void
  /** A line on stderr for people. */
  note(text: string): void
  /** The same value without secrets. */
  redact<Value>(value: Value): Value
  /** An output file, without secrets; a relative path starts at the working folder. */
  writeFile(path: string, contents: string): Promise<void>
  /** Findings as annotations on stderr, when a GitHub runner reads it. */
  annotate(findings: readonly Finding[]): void
  /** Say on stderr why there is no good result; returns the exit code of the reason. */
  fail(code: ReasonCode, message: string, hint?: string): number
}

/** Load the configuration, let a command work with its servers, and close them whatever happens; returns the exit code. */
export async function connectServers(
  options: RunOptions,
  { host, ...show }: Presentation,
  work: (session: ServerSession) => Promise<number>,
): Promise<number> {
  using stop = listenForStop(host)
  const place = { env: host.env, cwd: host.cwd(), stdin: host.stdin, log: (line: string) => host.stderr.write(line) }
  const workspace = findWorkspace(options, place)
  const { config, effective } = await loadConfig(configOptionsOf(options, place, workspace))
  const redactor = createRedactor({ env: host.env, envGlobs: [], patterns: [] })
  redactor.add(configSecrets(config, place), config.security.redact)
  const bus = createBus({ redactor, now: () => new Date() })
  const fold = createReportFold()
  bus.attach({ write: fold.write, close: async () => null })
  bus.attach(
    createConsoleSink({
      write: (text) => host.stderr.write(text),
      verbosity: show.quiet ? "quiet" : show.verbose ? "verbose" : "normal",
      color: host.stderr.isTTY === true && !host.env.NO_COLOR,
    }),
  )
  for (const warning of config.warnings) bus.emit({ type: "warning", ...warning })
  const { servers, disabledServers: disabled, mcp: settings } = config
  const client = { name: "agent-run", version }
  const requests = { workspace, sample: null }
  const access = accessOf(options, config, redactor)
  const pool = createPool({ servers, disabled, settings, emit: bus.emit, client, env: host.env, requests, access })

  const note = (text: string) => {
    const lines = toLogLines(redactor.redactText(text), { lines: 40, chars: 4000 })
    host.stderr.write(`${lines.join("\n")}\n`)
  }

  const output: Uint8Array[] = []
  const session: ServerSession = {
    config,
    effective,
    workspace,
    cwd: place.cwd,
    env: host.env,
    json: show.json === true,
    signal: stop.signal,
    async connect() {
      await pool.start(stop.signal)
      throwIfStopped(stop.signal)
      return pool
    },
    report: fold.report,
    print(value, text) {
      if (show.json) output.push(Buffer.from(toJsonText(redactor.redact(value))))
      else session.write(text())
    },
    write(contents) {
      output.push(toSafeOutput(typeof contents === "string" ? redactor.redactText(contents) : contents, host))
    },
    note,
    redact: redactor.redact,
    async writeFile(path, contents) {
      const file = resolve(host.cwd(), path)
      prepareOutputFile(file)
      await writeOutput(file, redactor.redactText(contents))
    },
    annotate(findings) {
      if (host.env.GITHUB_ACTIONS !== "true") return
      for (const finding of findings) host.stderr.write(`${toAnnotation(redactor.redact(finding))}\n`)
    },
    fail(code, message, hint) {
      note(`agent-run: ${message}`)
      if (hint !== undefined) note(`  ${hint}`)
      return reasons[code].exitCode
    },
  }
  try {
    const exitCode = await work(session)
    throwIfStopped(stop.signal)
    const problem = await writeOut(host.stdout, Buffer.concat(output))
    if (problem === null) return exitCode
    return session.fail("output_incomplete", `the result could not be written to stdout: ${problem}`)
  } finally {
    await pool.close()
    await bus.close()
  }
}

function throwIfStopped(signal: AbortSignal): void {
  if (!signal.aborted) return
  const { code, message, hint }: Reason = signal.reason
  throw new UserError(code, message, hint === null ? {} : { hint })
}
