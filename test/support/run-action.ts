import { spawn } from "node:child_process"
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect } from "vitest"
import type { Report } from "../../src/contract/report.ts"
import type { MessagesServer } from "./messages-server.ts"
import { parseFileCommands } from "./runner-files.ts"
import { type Files, scratchFolder, writeFiles } from "./scratch-folder.ts"

const bundle = fileURLToPath(new URL("../../action/index.js", import.meta.url))

/** One step of a workflow that uses the Action. */
export interface StepOptions {
  readonly event: string
  /** The JSON of the event. */
  readonly payload?: object
  readonly actor?: string
  /** The `with:` of the step. */
  readonly inputs?: Readonly<Record<string, string>>
  /** The checkout. */
  readonly files?: Files
  /** Makes something of the checkout before the step. */
  readonly prepare?: (checkout: string) => void | Promise<void>
  readonly api?: MessagesServer
  readonly env?: Readonly<Record<string, string>>
  /** Called with everything written so far, whenever something is written. */
  readonly onOutput?: (text: string, kill: (signal: NodeJS.Signals) => void) => void
}

/** What a step left. */
export interface StepEnd {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  readonly outputs: Readonly<Record<string, string>>
  readonly summary: string
  /** What was written for the environment and the path of later steps. */
  readonly leaked: string
  readonly report: Report
  readonly checkout: string
}

/** Run the committed bundle as the runner does: alone in a folder, inputs as variables, files for what it says. */
export async function runAction(options: StepOptions): Promise<StepEnd> {
  const folder = await scratchFolder({ "package.json": module })
  const at = (name: string) => join(folder, name)
  const checkout = at("checkout")
  const files = { GITHUB_OUTPUT: at("output"), GITHUB_STEP_SUMMARY: at("summary"), GITHUB_ENV: at("env") }
  for (const name of ["action", "checkout", "home", "temp"]) await mkdir(at(name))
  for (const path of [...Object.values(files), at("path")]) await writeFile(path, "")
  await copyFile(bundle, at("action/index.js"))
  await writeFiles(checkout, options.files ?? {})
  await options.prepare?.(checkout)
  await writeFile(at("event.json"), JSON.stringify(options.payload ?? {}))

  const inputs = { task: "Do it.", "api-key": "sk-ant-canary-0123456789", ...options.inputs }
  const child = spawn(process.execPath, [at("action/index.js")], {
    cwd: checkout,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOME: at("home"),
      RUNNER_TEMP: at("temp"),
      GITHUB_ACTIONS: "true",
      GITHUB_WORKSPACE: checkout,
      GITHUB_EVENT_NAME: options.event,
      GITHUB_EVENT_PATH: at("event.json"),
      GITHUB_ACTOR: options.actor ?? "octocat",
      GITHUB_REPOSITORY: "acme/widgets",
      GITHUB_PATH: at("path"),
      ...files,
      ...(options.api === undefined ? {} : { ANTHROPIC_BASE_URL: options.api.url }),
      ...options.env,
      ...Object.fromEntries(Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])),
    },
  })
  const output = { stdout: "", stderr: "" }
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (chunk: string) => {
      output[name] += chunk
      options.onOutput?.(output.stdout + output.stderr, (signal) => child.kill(signal))
    })
  }
  const exitCode = await new Promise<number | null>((resolve) => child.once("close", resolve))
  const read = (path: string) => readFile(path, "utf8")
  const outputs = parseFileCommands(await read(files.GITHUB_OUTPUT))
  expect(outputs.report, output.stderr).toBeTypeOf("string")
  return {
    exitCode,
    ...output,
    outputs,
    summary: await read(files.GITHUB_STEP_SUMMARY),
    leaked: (await read(files.GITHUB_ENV)) + (await read(at("path"))),
    report: JSON.parse(await read(outputs.report ?? "")),
    checkout,
  }
}

const module = JSON.stringify({ type: "module" })
