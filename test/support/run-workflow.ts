import { execFile } from "node:child_process"
import { symlinkSync } from "node:fs"
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { parse } from "yaml"
import { root } from "./doc-shell.ts"
import type { MessagesServer } from "./messages-server.ts"
import { commitPullRequest, git } from "./pull-request.ts"
import { parseFileCommands } from "./runner-files.ts"
import { type Files, scratchFolder, writeFiles } from "./scratch-folder.ts"

type Variables = Readonly<Record<string, string>>

interface Step {
  readonly id?: string
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, string | number | boolean>>
  readonly env?: Readonly<Record<string, string | number>>
}

interface Job {
  readonly outputs?: Variables
  readonly steps: readonly Step[]
}

/** A workflow of examples/workflows, and what it finds. */
export interface WorkflowOptions {
  readonly name: string
  readonly event: string
  /** The JSON of the event; the base of a pull request is added. */
  readonly payload?: object
  readonly base: Files
  readonly files?: Files
  readonly api?: MessagesServer
  readonly env?: Variables
}

/** What a workflow left. */
export interface WorkflowEnd {
  readonly checkout: string
  /** What was given to programs that a test cannot let loose: sudo, npm and gh, with its standard input. */
  readonly asked: string
  /** The log of the repository that was pushed to. */
  readonly pushed: string
}

const token = "ghs_canary0123456789"
const repository = "acme/widgets"

/** Run every step of every job, in order, on one checkout; actions of others do nothing, but the files they hand on are there. */
export async function runWorkflow(options: WorkflowOptions): Promise<WorkflowEnd> {
  const folder = await scratchFolder()
  const at = (name: string) => join(folder, name)
  const checkout = at("checkout")
  for (const name of ["checkout", "temp", "home", "bin"]) await mkdir(at(name))
  await writeFile(at("asked"), "")
  const shim =
    '#!/bin/sh\necho "$(basename "$0") $*" >> "$ASKED"\ncase "$*" in *"--body-file -"*) cat >> "$ASKED";; esac\n'
  await writeFiles(at("bin"), { sudo: shim, npm: shim, gh: shim })
  for (const name of ["sudo", "npm", "gh"]) await chmod(at(`bin/${name}`), 0o755)
  const sha = await commitPullRequest(checkout, options.base, { ...options.base, ...options.files })
  git(checkout, ["init", "--quiet", "--bare", at("remote")])
  const event = { pull_request: { number: 7, base: { sha } }, ...options.payload }
  await writeFile(at("event.json"), JSON.stringify(event))

  const context: Record<string, unknown> = {
    runner: { temp: at("temp") },
    secrets: { ANTHROPIC_API_KEY: "sk-ant-canary-0123456789", AGENT_RUN_PLAN_KEY: "k".repeat(32) },
    github: { token, event },
  }
  const env = {
    ...{ PATH: `${at("bin")}:${process.env.PATH}`, HOME: at("home"), ASKED: at("asked"), RUNNER_TEMP: at("temp") },
    ...{ GITHUB_ACTIONS: "true", GITHUB_WORKSPACE: checkout, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: "42" },
    ...{ GITHUB_EVENT_NAME: options.event, GITHUB_EVENT_PATH: at("event.json"), GITHUB_ACTOR: "octocat" },
    ...{ GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: `url.${at("remote")}.insteadOf` },
    GIT_CONFIG_VALUE_0: `https://x-access-token:${token}@github.com/${repository}.git`,
    ...(options.api === undefined ? {} : { ANTHROPIC_BASE_URL: options.api.url }),
    ...options.env,
  }
  const workflow = await readFile(join(root, "examples", "workflows", options.name), "utf8")
  const jobs: Readonly<Record<string, Job>> = parse(workflow).jobs
  const needs: Record<string, object> = {}
  for (const [name, job] of Object.entries(jobs)) {
    const steps: Record<string, object> = {}
    const here = { ...context, steps, needs }
    for (const step of job.steps) {
      const outputs = await runStep(step, { checkout, here, env, outputFile: at("output") })
      if (step.id !== undefined) steps[step.id] = { outputs }
    }
    needs[name] = { outputs: fillAll(job.outputs ?? {}, here) }
  }
  const pushed = git(at("remote"), ["log", "--all", "--stat", "--format=%s"]).toString()
  return { checkout, asked: await readFile(at("asked"), "utf8"), pushed }
}

interface Around {
  readonly checkout: string
  readonly here: object
  readonly env: Variables
  readonly outputFile: string
}

async function runStep(step: Step, { checkout, here, env, outputFile }: Around): Promise<Variables> {
  const variables = { ...env, ...fillAll(step.env ?? {}, here) }
  if (step.run !== undefined) {
    await execute("bash", ["-e", "-c", step.run], { cwd: checkout, env: variables })
    return {}
  }
  if (step.uses?.startsWith("actions/checkout@") && typeof step.with?.path === "string")
    symlinkSync(root, join(checkout, step.with.path))
  if (!step.uses?.startsWith("OWNER/agent-run@")) return {}
  await writeFile(outputFile, "")
  const inputs = fillAll({ "github-token": token, ...step.with }, here)
  const given = Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]),
  )
  const surroundings = { ...variables, GITHUB_OUTPUT: outputFile, ...given }
  await execute(process.execPath, [join(root, "action", "index.js")], { cwd: checkout, env: surroundings })
  return parseFileCommands(await readFile(outputFile, "utf8"))
}

function execute(program: string, args: readonly string[], options: { cwd: string; env: Variables }): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) resolve()
      else reject(new Error(`${args.at(-1)} ended with ${error.code}\n${stdout}${stderr}`))
    })
    child.stdin?.end()
  })
}

/** Put values in the place of `${{ … }}`: paths, and a field of fromJSON. */
function fillAll(values: Readonly<Record<string, string | number | boolean>>, context: object): Variables {
  const fill = (text: string) =>
    text.replaceAll(/\$\{\{ (.+?) \}\}/g, (_whole, expression) => resolveExpression(expression, context))
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fill(String(value))]))
}

function resolveExpression(expression: string, context: object): string {
  const [, json, field] = /^fromJSON\((.+)\)\.(\w+)$/.exec(expression) ?? []
  if (json !== undefined && field !== undefined) return String(JSON.parse(resolveExpression(json, context))[field])
  const found = expression.split(".").reduce<unknown>((value, name) => Object(value)[name], context)
  if (found === undefined) throw new Error(`nobody knows ${expression}`)
  return String(found)
}
