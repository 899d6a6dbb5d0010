import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { outputFiles } from "../../src/contract/output.ts"
import { allowing, fixture, it } from "../support/cli-test.ts"
import { textOf } from "../support/run-cli.ts"

const canary = "canary-7Qm2xV9tLw4Kz8Rb"
const formsOfCanary = [
  canary,
  Buffer.from(canary).toString("base64"),
  Buffer.from(canary).toString("hex"),
  [...canary].reverse().join(""),
]

describe("secrets", () => {
  it.concurrent.for(["text", "json", "jsonl"])(
    "T22 a secret that a command, a server and the model repeat shows in no output (%s)",
    async (output, { start }) => {
      const command = [
        'echo "$MY_TOKEN"',
        'printf %s "$MY_TOKEN" | base64',
        "printf %s \"$MY_TOKEN\" | od -An -v -tx1 | tr -d ' \\n'",
        'printf %s "$MY_TOKEN" | rev',
        'echo "token: $MY_TOKEN" > leaked.txt',
        'echo "$MY_TOKEN" >&2; exit 3',
      ].join("; ")
      const script = [
        { calls: [{ tool: "Bash", input: { command } }, { tool: "mcp__leaky__env" }, { tool: `no_tool_${canary}` }] },
        { calls: [{ tool: "mcp__leaky__echo", input: { text: `it is ${canary}` } }] },
        { text: `The token is ${canary}.` },
      ]
      const config = {
        tools: { bash: { env_vars: ["MY_TOKEN"] } },
        mcp_servers: {
          leaky: fixture(["--with", "env,echo", "--stderr", canary], { env: { TOKEN: "${MY_TOKEN}" } }),
          dead: fixture(["--exit-at-start", "1", "--stderr", `login with ${canary} failed`]),
        },
        permissions: allowing("Bash", "mcp__leaky__*"),
      }
      const task = `Use ${canary} well.`
      const running = start({ task, script, config, env: { MY_TOKEN: canary }, args: ["--output", output, "-v"] })
      const run = await running.ended
      const written = readdirSync(running.outDir).map((name) => readFileSync(join(running.outDir, name), "utf8"))
      const seen = [...written, run.stdout, run.stderr].join("\n")
      for (const form of formsOfCanary) expect(seen).not.toContain(form)
      expect(textOf(join(running.workspace, "leaked.txt"))).toContain(canary)
      expect(run.report?.files_changed).toEqual([{ path: "leaked.txt", added: 1, removed: 0 }])
      expect([run.exitCode, written.length]).toEqual([0, Object.keys(outputFiles).length])
      expect(run.report?.redactions).toBeGreaterThan(10)
    },
  )
})

const ofTheRunner = {
  ACTIONS_RUNTIME_TOKEN: "runtime-token-value",
  ACTIONS_RUNTIME_URL: "https://runtime.example",
  ACTIONS_CACHE_URL: "https://cache.example",
  ACTIONS_RESULTS_URL: "https://results.example",
  ACTIONS_ID_TOKEN_REQUEST_URL: "https://oidc.example",
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: "oidc-token-value",
  GITHUB_TOKEN: "ghs_0123456789abcdefghijklmnopqrstuvwxyzAB",
  GH_TOKEN: "gho_0123456789abcdefghijklmnopqrstuvwxyzAB",
  INPUT_TASK: "the task",
  "INPUT_API-KEY": "input-key-value",
  GITHUB_ENV: "/tmp/env",
  GITHUB_PATH: "/tmp/path",
  GITHUB_OUTPUT: "/tmp/output",
  GITHUB_STATE: "/tmp/state",
  GITHUB_STEP_SUMMARY: "/tmp/summary",
  ANTHROPIC_API_KEY: "sk-ant-test-0123456789",
  ANTHROPIC_AUTH_TOKEN: "auth-token-value",
  ANTHROPIC_BASE_URL: "https://api.example",
  NPM_TOKEN: "npm_0123456789abcdefghijklmnopqrstuvwxyz",
  NODE_OPTIONS: "--no-warnings",
  MY_TOKEN: canary,
}

/** Programs that note their environment and do nothing more. */
function putSpies(folder: string, names: readonly string[]): string {
  const spies = join(folder, "spies")
  mkdirSync(spies)
  for (const name of names) {
    writeFileSync(join(spies, name), `#!/bin/sh\nenv > "${spies}/${name}.env"\nexit 1\n`)
    chmodSync(join(spies, name), 0o755)
  }
  return spies
}

function namesIn(dump: string): readonly string[] {
  return dump.split("\n").flatMap((line) => line.match(/^([A-Za-z_][\w-]*)=/)?.[1] ?? [])
}

describe("the environment of children", () => {
  it.concurrent("T3 T19 no child sees what belongs to the CI runtime or to us; servers see the safe base and their own", async ({
    start,
    folder,
  }) => {
    const spies = putSpies(folder, ["git", "rg"])
    const script = [
      {
        calls: [
          { tool: "mcp__spy__env" },
          { tool: "Grep", input: { pattern: "x" } },
          { tool: "Bash", input: { command: "env > bash.env" } },
        ],
      },
      { text: "Done." },
    ]
    const config = {
      mcp_servers: { spy: fixture(["--with", "env"], { env: { OWN: "1" } }) },
      permissions: allowing("Bash", "mcp__spy__env"),
    }
    const env = { ...ofTheRunner, RUNNER_TRACKING_ID: "github_1234", LC_ALL: "C", PATH: `${spies}:${process.env.PATH}` }
    const running = start({ script, config, env, files: { "x.txt": "x" } })
    const run = await running.ended
    const [shown] = run.events.flatMap((event) =>
      event.type === "tool.result" && event.server === "spy" ? event.content : [],
    )
    const seen = {
      server: Object.keys(JSON.parse(shown?.type === "text" ? shown.text : "{}")),
      bash: namesIn(textOf(join(running.workspace, "bash.env"))),
      git: namesIn(textOf(join(spies, "git.env"))),
      rg: namesIn(textOf(join(spies, "rg.env"))),
    }
    for (const names of Object.values(seen)) {
      expect(names).not.toEqual([])
      expect(names.filter((name) => Object.hasOwn(ofTheRunner, name))).toEqual([])
    }
    expect(seen.server.sort()).toEqual(["HOME", "LC_ALL", "OWN", "PATH", "RUNNER_TRACKING_ID", "TMPDIR"])
    expect(seen.bash).toContain("RUNNER_TRACKING_ID")
  })
})
