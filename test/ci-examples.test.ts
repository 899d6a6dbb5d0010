import { execFile } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { chmod } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { scratchFolder, writeFiles } from "./support/scratch-folder.ts"

const root = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "")
const key = "key-from-the-secret-store"

const gitlab: { agent: { script: string[]; artifacts: object; allow_failure: object } } = parse(
  example(".gitlab-ci.yml"),
)
const circle: {
  jobs: { agent: { steps: (string | { run?: { command: string } })[] } }
  workflows: { nightly: { jobs: object[] } }
} = parse(example("circleci/config.yml"))
const buildkite: { steps: { command?: string }[] } = parse(example("buildkite/pipeline.yml"))
const jenkins = example("Jenkinsfile")
const circleCommands = circle.jobs.agent.steps.flatMap((step) =>
  typeof step === "object" && step.run ? [step.run.command] : [],
)

/** What each system gives to a shell, and the exit code it gets when the run stops at a limit. */
const jobs = [
  { name: "GitLab", shell: ["bash", "-eo", "pipefail"], commands: gitlab.agent.script },
  { name: "Jenkins", shell: ["sh", "-xe"], commands: shellStepsOf(jenkins) },
  { name: "CircleCI", shell: ["bash", "-eo", "pipefail"], commands: circleCommands },
  { name: "Buildkite", shell: ["bash", "-e"], commands: buildkite.steps.flatMap(({ command }) => command ?? []) },
  { name: "cron", shell: ["sh"], commands: cronLinesOf(example("crontab")) },
  { name: "Make", shell: ["sh", "-e"], commands: [`make -f '${root}/examples/ci/Makefile' agent`], atLimit: 2 },
  { name: "Make advice", shell: ["sh"], commands: [`make -f '${root}/examples/ci/Makefile' agent-advice`], atLimit: 0 },
]

describe.each(jobs)("the example for $name", ({ shell, commands, atLimit = 4 }) => {
  it("C1 is green when the run is, with the key from the secret store, and keeps report and JUnit", async () => {
    const { exitCode, output, reports, folder } = await runJob(shell, commands, "")
    expect(exitCode, output).toBe(0)
    expect(reports).toMatchObject([{ status: "completed", exit_code: 0, answer: "1 FIXME, listed in FIXMES.md." }])
    expect(readFileSync(join(folder, "key"), "utf8")).toBe(key)
    expect(readFileSync(join(folder, "shop", "FIXMES.md"), "utf8")).toContain("src/cart.js:2")
    expect(output).not.toContain(key)
  })

  it("C1 sees the exit code of a run that stopped at a limit, and keeps its files", async () => {
    const { exitCode, output, reports } = await runJob(shell, commands, "--max-turns 1")
    expect(exitCode, output).toBe(atLimit)
    expect(reports).toMatchObject([{ status: "stopped", exit_code: 4, reason: { code: "max_turns" } }])
  })
})

describe("the examples for other CI systems", () => {
  const names = [
    ".gitlab-ci.yml",
    "Jenkinsfile",
    "circleci/config.yml",
    "buildkite/pipeline.yml",
    "crontab",
    "Makefile",
  ]

  it.each(names)("%s says what it is, bounds time and cost, and has no key in it", (name) => {
    const text = example(name)
    expect(text).toMatch(/^(?:#|\/\/) \S+: /)
    expect(text).toMatch(/agent-run .*--max-cost-usd 1 --timeout 15m/)
    expect(text).not.toContain("sk-ant")
  })

  it("GitLab keeps artifacts and JUnit of a red job, and takes a limit for a warning", () => {
    expect(gitlab.agent.allow_failure).toEqual({ exit_codes: [4] })
    expect(gitlab.agent.artifacts).toMatchObject({
      when: "always",
      paths: ["agent-run-out/"],
      reports: { junit: "agent-run-out/junit.xml" },
    })
  })

  it("CircleCI stores results behind the run, and gets the key from a context", () => {
    const { steps } = circle.jobs.agent
    expect(steps.map((step) => (typeof step === "string" ? step : Object.keys(step)[0]))).toEqual([
      "checkout",
      "run",
      "store_test_results",
      "store_artifacts",
    ])
    expect(steps).toContainEqual({ store_test_results: { path: "agent-run-out/junit.xml" } })
    expect(steps).toContainEqual({ store_artifacts: { path: "agent-run-out" } })
    expect(circle.workflows.nightly.jobs).toEqual([{ agent: { context: "agent-run" } }])
  })

  it("Buildkite keeps artifacts, goes on to the annotation after a failure, and retries the model only", () => {
    expect(buildkite.steps).toMatchObject([
      {
        artifact_paths: "agent-run-out/**/*",
        soft_fail: [{ exit_status: 4 }],
        retry: { automatic: [{ exit_status: 6, limit: 1 }] },
      },
      { wait: null, continue_on_failure: true },
      { plugins: [{ "junit-annotate#v2.7.0": { artifacts: "agent-run-out/junit.xml" } }] },
    ])
  })

  it("the Jenkinsfile is balanced, and publishes whatever happens", () => {
    expect(openBracketsOf(jenkins)).toEqual([])
    const always = jenkins.split("always {")[1]
    expect(always).toContain("archiveArtifacts artifacts: 'agent-run-out/**'")
    expect(always).toContain("junit testResults: 'agent-run-out/junit.xml'")
    expect(jenkins).toContain("ANTHROPIC_API_KEY = credentials('anthropic-api-key')")
  })
})

function example(name: string): string {
  return readFileSync(join(root, "examples", "ci", name), "utf8")
}

function shellStepsOf(jenkinsfile: string): readonly string[] {
  return [...jenkinsfile.matchAll(/\bsh\([^']*'''([\s\S]*?)'''/g)].map(([, script = ""]) => script)
}

/** The commands of a crontab, as cron hands them to the shell: a backslash before a percent sign is gone. */
function cronLinesOf(crontab: string): readonly string[] {
  return [...crontab.matchAll(/^(?:[\d*/,-]+ ){5}(.+)$/gm)].map(([, line = ""]) => line.replaceAll("\\%", "%"))
}

/** Brackets that nothing closes, or the one that closes nothing; those in comments and strings do not count. */
function openBracketsOf(groovy: string): readonly string[] {
  const code = groovy.replaceAll(/'''[\s\S]*?'''|'[^'\n]*'|"[^"\n]*"|\/\/.*$/gm, "")
  const pairs: Readonly<Record<string, string>> = { ")": "(", "}": "{", "]": "[" }
  const open: string[] = []
  for (const [bracket] of code.matchAll(/[(){}[\]]/g)) {
    if (pairs[bracket] === undefined) open.push(bracket)
    else if (open.pop() !== pairs[bracket]) return [bracket]
  }
  return open
}

/** Run the commands of a job in a tree of its own. The model is the script of examples/ci-script; `more` is added to the options. */
async function runJob(shell: readonly string[], commands: readonly string[], more: string) {
  expect(commands.join("\n")).toMatch(/agent-run |make /)
  const script = join(root, "examples", "ci-script")
  const cli = `'${process.execPath}' '${join(root, "dist", "cli.js")}'`
  const folder = await scratchFolder({
    "shop/ci/task.md": readFileSync(join(script, "task.md")),
    "shop/agent.toml": readFileSync(join(script, "agent.toml")),
    "shop/src/cart.js": "export const total = (items) =>\n  // FIXME round before adding up\n  sum(items)\n",
    ".config/agent-run/key.env": `export ANTHROPIC_API_KEY=${key}\n`,
  })
  await writeFiles(join(folder, "bin"), {
    "agent-run": `#!/bin/sh\nprintf %s "$ANTHROPIC_API_KEY" > "$HOME/key"\nexec ${cli} "$@" --script '${script}/script.toml' $MORE_OPTIONS\n`,
    "buildkite-agent": `#!/bin/sh\ntest "$*" = "secret get ANTHROPIC_API_KEY" && echo ${key}\n`,
  })
  for (const name of ["agent-run", "buildkite-agent"]) await chmod(join(folder, "bin", name), 0o755)
  const fetchesKey = /key\.env|secret get/.test(commands.join("\n"))
  const env = {
    PATH: `${join(folder, "bin")}:${process.env.PATH}`,
    HOME: folder,
    MORE_OPTIONS: more,
    ...(fetchesKey ? {} : { ANTHROPIC_API_KEY: key }),
  }
  const [program = "sh", ...args] = shell
  const ended = await new Promise<{ exitCode: number; output: string }>((resolve) => {
    const options = { cwd: join(folder, "shop"), env }
    const child = execFile(program, [...args, "-c", commands.join("\n")], options, (error, stdout, stderr) => {
      resolve({ exitCode: error === null ? 0 : Number(error.code), output: stdout + stderr })
    })
    child.stdin?.end()
  })
  const outputs = readdirSync(folder, { encoding: "utf8", recursive: true }).filter((path) =>
    path.endsWith("report.json"),
  )
  const reports: unknown[] = outputs.map((path) => JSON.parse(readFileSync(join(folder, path), "utf8")))
  for (const path of outputs) {
    expect(readFileSync(join(folder, path, "..", "junit.xml"), "utf8")).toContain("<testsuite")
  }
  return { ...ended, reports, folder }
}
