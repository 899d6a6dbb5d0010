import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Validator } from "@cfworker/json-schema"
import { stringify } from "smol-toml"
import { expect, onTestFinished } from "vitest"
import { type BatchReport, batchReportSchema } from "../../src/contract/batch.ts"
import { type Report, reportSchema } from "../../src/contract/report.ts"
import { batchReportJsonSchema } from "../../src/report/schemas.ts"
import { killProcessesOf, processesOf } from "./left-processes.ts"

const cliPath = fileURLToPath(new URL("../../dist/cli.js", import.meta.url))
const published = new Validator(batchReportJsonSchema(), "2020-12", false)

/** How a start of the CLI ended. */
export interface Ended {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A folder with a file of tasks, in which the CLI can be started any number of times. */
export interface BatchFolder {
  readonly path: string
  write(name: string, contents: string): void
  /** Begin; the signal ends it early. */
  start(
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): { kill(signal: NodeJS.Signals): void; ended: Promise<Ended> }
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended>
  /** The batch report of an output folder; it fits both schemas. */
  report(outDir: string): BatchReport
  /** The report of one task. */
  taskReport(outDir: string, id: string): Report
  /** The ids of all tasks that left a report. */
  reported(outDir: string): readonly string[]
}

/** Make such a folder, gone after the test with every process that was started in it. */
export function batchFolder(files: Readonly<Record<string, string | object>>): BatchFolder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "agent-run-batch-")))
  onTestFinished(() => {
    killProcessesOf(path)
    rmSync(path, { recursive: true, force: true })
  })
  for (const name of ["home", "tmp"]) mkdirSync(join(path, name))
  const write = (name: string, contents: string) => {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(join(path, name), contents)
  }
  for (const [name, contents] of Object.entries(files)) {
    write(name, typeof contents === "string" ? contents : stringify(contents))
  }

  function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const child = spawn(process.execPath, [cliPath, ...args], {
      cwd: path,
      env: { PATH: process.env.PATH ?? "", HOME: join(path, "home"), TMPDIR: join(path, "tmp"), ...env },
      stdio: ["ignore", "pipe", "pipe"],
    })
    const output = { stdout: "", stderr: "" }
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (chunk: string) => {
        output[name] += chunk
      })
    }
    const ended = new Promise<Ended>((resolve) => child.once("close", (exitCode) => resolve({ exitCode, ...output })))
    return { kill: (signal: NodeJS.Signals) => void child.kill(signal), ended }
  }

  function readJson(...names: readonly string[]): unknown {
    return JSON.parse(readFileSync(join(path, ...names), "utf8"))
  }

  return {
    path,
    write,
    start,
    async run(args, env) {
      const ended = await start(args, env).ended
      expect(processesOf(path), "processes left by the batch").toEqual([])
      return ended
    },
    report(outDir) {
      const found = readJson(outDir, "report.json")
      expect(published.validate(found).errors).toEqual([])
      return batchReportSchema.parse(found)
    },
    taskReport: (outDir, id) => reportSchema.parse(readJson(outDir, "tasks", id, "report.json")),
    reported: (outDir) =>
      readdirSync(join(path, outDir, "tasks")).filter((id) =>
        readdirSync(join(path, outDir, "tasks", id)).includes("report.json"),
      ),
  }
}

/** A script that answers at once, for this much. */
export function answering(text: string, costUsd = 0.25): object {
  return { turns: [{ text, cost_usd: costUsd, usage: { input_tokens: 10, output_tokens: 5 } }] }
}

/** A script that takes so long that only a signal or a limit ends it. */
export const waiting: object = { turns: [{ text: "never", delay_ms: 600_000 }] }

/** A script whose model says nothing. */
export const failing: object = { turns: [{ stop_reason: "refusal", text: "no" }] }

/** A file of tasks; each is an id and the script that plays its model. */
export function tasksFile(tasks: Readonly<Record<string, string>>, head: object = {}): object {
  const entries = Object.entries(tasks).map(([id, script]) => ({ id, task: `Do ${id}.`, overrides: { script } }))
  return { ...(Object.keys(head).length === 0 ? {} : { batch: head }), tasks: entries }
}
