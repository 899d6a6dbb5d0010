import { describe, expect } from "vitest"
import { fixture, it } from "../support/cli-test.ts"
import { answer, text } from "../support/messages-server.ts"
import type { CliOptions } from "../support/run-cli.ts"

interface Mistake extends CliOptions {
  readonly what: string
  /** Where it is and what to do, in this order. */
  readonly says: readonly RegExp[]
  readonly code?: string
  readonly exitCode?: number
}

const configMistakes: readonly Mistake[] = [
  {
    what: "a mistyped key of a server",
    config: '[mcp_servers.gh]\ncomand = "gh-mcp"\n',
    says: [/agent\.toml:2:1 mcp_servers\.gh\.comand: unknown key/, /Did you mean "command"\?/],
  },
  {
    what: "a value of the wrong type",
    config: '[agent]\n\nmax_turns = "ten"\n',
    says: [/agent\.toml:3:1 agent\.max_turns: expected a number, got text/],
  },
  { what: "broken TOML", config: "[agent]\nmax_turns = \n", says: [/agent\.toml:2:\d+ not valid TOML/] },
  {
    what: "a variable that is not set",
    config: { mcp_servers: { gh: fixture(["--named", "${GH_TOOL}"]) } },
    says: [/agent\.toml:\d+:\d+ mcp_servers\.gh\.args.*GH_TOOL/, /Set it in the environment of agent-run/],
    code: "unset_variable",
  },
  {
    what: "the endpoint in a file",
    config: '[agent]\nbase_url = "https://example.com"\n',
    says: [/agent\.toml:2:1 agent\.base_url/, /use --base-url or ANTHROPIC_BASE_URL/],
  },
  {
    what: "a folder in place of a file",
    args: ["--config", "docs"],
    files: { "docs/a.md": "" },
    says: [/docs is not a regular file/],
  },
  { what: "a file that does not exist", args: ["--config", "nope.toml"], says: [/--config nope\.toml does not exist/] },
  {
    what: "a rule that is wider than it looks",
    args: ["--allow", "*"],
    says: [/--allow.*would allow/, /broad = true/],
  },
  {
    what: "a cost limit for a model of unknown price",
    args: ["--model", "house-model", "--max-cost-usd", "1"],
    says: [/price of house-model is unknown/, /agent\.prices\."house-model" = \{/],
    code: "unknown_price",
  },
  {
    what: "a required server that the denylist forbids",
    config: { mcp_servers: { gh: fixture([], { required: true }) }, security: { mcp_server_denylist: ["gh"] } },
    says: [/required MCP server "gh" is not started: it is on the denylist \(agent\.toml:\d+/],
    code: "required_server_unavailable",
    exitCode: 5,
  },
]

const usageMistakes: readonly Mistake[] = [
  {
    what: "--only with an unknown server",
    args: ["--only", "gh"],
    says: [/--only gh.*is not a configured MCP server/, /configured: "files"/],
  },
  {
    what: "--without with an unknown server",
    args: ["--without", "gh"],
    says: [/--without gh.*is not a configured MCP server/, /configured: "files"/],
  },
  {
    what: "two task sources",
    args: ["--task-file", "task.md"],
    says: [/2 tasks: --task and --task-file were given/, /Give one of them/],
  },
  { what: "an empty task", task: " \n", says: [/the task is empty/, /agent-run --task/] },
  { what: "no task", task: null, says: [/no task/, /agent-run --task/] },
  {
    what: "an empty task on stdin",
    task: null,
    args: ["--task-file", "-"],
    stdin: { text: "\n" },
    says: [/the task is empty/],
  },
  {
    what: "a task file that does not exist",
    task: null,
    args: ["--task-file", "task.md"],
    says: [/--task-file task\.md: cannot read the task: ENOENT/],
  },
  {
    what: "--set with an unknown key",
    args: ["--set", "agent.max_turn=3"],
    says: [/--set agent\.max_turn/, /Did you mean "max_turns"\?/],
  },
  { what: "a limit of nothing", args: ["--max-turns", "0"], says: [/--max-turns.*must be at least 1/] },
  {
    what: "a workspace that does not exist",
    args: ["--workspace", "nope"],
    says: [/--workspace \S*nope: the workspace does not exist/],
  },
  {
    what: "a server given twice",
    args: ["--mcp-server", "files=node"],
    says: [/--mcp-server files.*already configured at agent\.toml:1/, /choose another name/],
  },
]

/** Found while the command line is read, before there is a run. */
const unparsed: readonly Mistake[] = [
  { what: "an unknown flag", args: ["--max-turn", "3"], says: [/max-turn/, /agent-run --help/] },
  { what: "an unknown command", args: ["walk"], says: [/walk/, /agent-run --help/] },
  {
    what: "a choice that there is not",
    args: ["--output", "xml"],
    says: [/output.*"xml".*"jsonl"/, /agent-run --help/],
  },
  { what: "an option without its value", args: ["--max-turns"], says: [/max-turns/, /agent-run --help/] },
  { what: "more behind two dashes", args: ["--", "--bare"], says: [/what follows -- would not be read/] },
  { what: "an option given twice", args: ["--model", "a", "--model", "b"], says: [/--model was given 2 times/] },
  {
    what: "a duration that is none",
    args: ["--timeout", "soon"],
    says: [/--timeout: "soon" is no duration/, /Write 90s, 10m/],
  },
  { what: "a number that is none", args: ["--max-turns", "many"], says: [/--max-turns needs a number/] },
]

describe("bad input ends with exit 2 before any model request", () => {
  it.concurrent.for([
    ...configMistakes.map((mistake) => ({ code: "config_error", ...mistake })),
    ...usageMistakes.map((mistake) => ({
      code: "usage_error",
      config: { mcp_servers: { files: fixture() } },
      ...mistake,
    })),
  ])("$what is named in the report and on stderr", async ({ says, code, exitCode = 2, ...options }, { cli, serve }) => {
    const api = await serve([answer([text("Never said.")])])
    const run = await cli({ api, ...options })
    expect({ exitCode: run.exitCode, code: run.report?.reason?.code, stdout: run.stdout }).toEqual({
      exitCode,
      code,
      stdout: "",
    })
    const { message = "", hint = "" } = run.report?.reason ?? {}
    for (const words of says) {
      expect(`${message}\n${hint}`).toMatch(words)
      expect(run.stderr).toMatch(words)
    }
    expect(run.events.map((event) => event.type)).toEqual(["run.start", "run.end"])
    expect([api.requests.length, api.connections()]).toEqual([0, 0])
  })

  it.concurrent.for(unparsed)("$what is named on stderr", async ({ says, ...options }, { cli, serve }) => {
    const api = await serve([answer([text("Never said.")])])
    const run = await cli({ api, ...options })
    expect({ exitCode: run.exitCode, stdout: run.stdout }).toEqual({ exitCode: 2, stdout: "" })
    for (const words of says) expect(run.stderr).toMatch(words)
    expect(api.connections()).toBe(0)
  })

  it.concurrent("credentials that are missing are named", async ({ cli }) => {
    const run = await cli({ args: ["--base-url", "http://127.0.0.1:9"] })
    expect([run.exitCode, run.report?.reason?.code]).toEqual([2, "missing_api_key"])
    expect(run.stderr).toMatch(/Set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN/)
  })

  it.concurrent("an endpoint that is neither https nor this machine is refused", async ({ cli }) => {
    const run = await cli({ args: ["--base-url", "http://example.com"], env: { ANTHROPIC_API_KEY: "sk-ant-test" } })
    expect([run.exitCode, run.report?.reason?.code]).toEqual([2, "usage_error"])
    expect(run.stderr).toMatch(/--base-url must be an https URL/)
  })

  it.concurrent("a script that cannot be used is named with its place", async ({ cli }) => {
    const files = { "script.toml": '[[turns]]\ntext = "Hello"\n[[turns]]\ntxt = "typo"\n' }
    const broken = await cli({ args: ["--script", "script.toml"], files })
    const missing = await cli({ args: ["--script", "nope.toml"] })
    expect([broken.exitCode, broken.report?.reason?.code]).toEqual([2, "script_error"])
    expect(broken.stderr).toMatch(/script\.toml:4 turns\[1\]\.txt: unknown key/)
    expect([missing.exitCode, missing.report?.reason?.code]).toEqual([2, "script_error"])
    expect(missing.stderr).toMatch(/nope\.toml cannot be read/)
  })
})

describe("output that cannot be written", () => {
  it.concurrent.for([
    { what: "a folder below a file", option: "--out-dir", path: "a.txt/out" },
    { what: "a report that is a folder", option: "--report", path: "docs" },
    { what: "a transcript that is a folder", option: "--transcript", path: "docs" },
    { what: "a summary below a file", option: "--summary", path: "a.txt/summary.md" },
    { what: "a folder that this user may not write to", option: "--report", path: "/proc/report.json" },
  ])("F75 $what is refused before the first model request", async ({ option, path }, { cli, serve }) => {
    const api = await serve([answer([text("Never said.")])])
    const files = { "a.txt": "a", "docs/a.md": "a" }
    const run = await cli({ api, files, args: [option, path, "--output", "json"], outDir: false })
    expect([run.exitCode, JSON.parse(run.stdout).reason.code]).toEqual([2, "output_unwritable"])
    expect(run.stderr).toContain(path)
    expect(run.stderr).toMatch(/Give a path in a folder that exists/)
    expect(api.connections()).toBe(0)
  })

  it("several mistakes of one file are named together, each on its own line", async ({ cli }) => {
    const config = "[agent]\nmax_turn = 3\nmodle = 'x'\n"
    const { stderr, exitCode } = await cli({ config, script: [{ text: "Never said." }] })
    expect(exitCode).toBe(2)
    expect(stderr.split("\n").slice(0, 3)).toEqual([
      "failed (exit 2): config_error:",
      '  agent.toml:2:1 agent.max_turn: unknown key. Did you mean "max_turns"?',
      '  agent.toml:3:1 agent.modle: unknown key. Did you mean "model"?',
    ])
  })
})
