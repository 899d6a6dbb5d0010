import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { fixture, it } from "../support/cli-test.ts"

const noRun = { task: null, outDir: false } as const
const config = `
[mcp_servers.notes]
${Object.entries(fixture(["--with", "echo,delete_note"]))
  .map(([key, value]) => `${key} = ${JSON.stringify(value)}`)
  .join("\n")}

[[permissions.rules]]
tool = "mcp__notes__*"
action = "allow"

[[permissions.rules]]
tool = "Bash"
action = "allow"
commands = ["npm test *", "rm *"]

[[permissions.rules]]
tool = "Bash"
action = "deny"
commands = ["rm *"]

[[hooks.pre_tool_use]]
tool = "Bash"
command = ["true"]
`
const lineOf = (text: string) => config.split("\n").findIndex((line) => line.includes(text)) + 1
const allowNotes = `agent.toml:${lineOf("mcp__notes__*") - 1}`
const allowBash = `agent.toml:${lineOf("npm test *") - 3}`
const denyBash = `agent.toml:${lineOf('["rm *"]') - 3}`

describe("policy explain", () => {
  it.concurrent("T15 says which rules match, which decides, where it stands and what would change it", async ({
    cli,
  }) => {
    const args = ["policy", "explain", "Bash", '{"command":"rm -rf x"}']
    const { exitCode, stdout } = await cli({ ...noRun, config, args })
    expect(exitCode).toBe(0)
    expect(stdout).toBe(
      [
        'deny  Bash {"command":"rm -rf x"}',
        `  decided by  deny Bash commands "rm *" (${denyBash})`,
        `  matches     allow Bash commands "npm test *" "rm *" (${allowBash})`,
        `  matches     deny Bash commands "rm *" (${denyBash})`,
        `  without     ${denyBash} it would be allow, by allow Bash commands "npm test *" "rm *" (${allowBash})`,
        "",
      ].join("\n"),
    )
  })

  it.concurrent("T15 gives the rule to add, and the same as JSON", async ({ cli }) => {
    const write = ["policy", "explain", "Write", '{"file_path":"./docs/../a.md"}']
    const text = await cli({ ...noRun, config, args: write })
    expect(text.stdout).toContain(
      '  to allow it, add\n    [[permissions.rules]]\n    tool = "Write"\n    action = "allow"\n    paths = ["a.md"]\n',
    )
    const json = await cli({
      ...noRun,
      config,
      args: ["policy", "explain", "Bash", '{"command":"npm test"}', "--json"],
    })
    expect(JSON.parse(json.stdout)).toEqual({
      tool: "Bash",
      input: { command: "npm test" },
      action: "allow",
      rule: 'allow Bash commands "npm test *" "rm *"',
      source: allowBash,
      matching: [{ action: "allow", rule: 'allow Bash commands "npm test *" "rm *"', source: allowBash }],
      hints: { read_only: false, destructive: false, idempotent: false },
      notes: [],
      hooks: [`agent.toml:${lineOf("[[hooks")}`],
      to_change: {
        remove: [allowBash],
        without: { action: "deny", rule: "default", source: "built-in default" },
        add: null,
      },
    })
  })

  it.concurrent("S4.19 S3.7 starts no server and says that hints are unknown, unless it is told to connect", async ({
    cli,
  }) => {
    const args = ["policy", "explain", "mcp__notes__delete_note"]
    const unknown = await cli({ ...noRun, config, args })
    expect(unknown.stdout).toContain(
      `allow  mcp__notes__delete_note {}\n  decided by  allow mcp__notes__* (${allowNotes})`,
    )
    expect(unknown.stdout).toContain("if it calls itself destructive, the answer is ask")
    expect(unknown.stderr).toBe("")
    const known = await cli({ ...noRun, config, args: [...args, "--connect"] })
    expect(known.stdout).toContain(
      "ask  mcp__notes__delete_note {}\n  decided by  destructive hint over allow mcp__notes__*",
    )
    expect(known.stderr).toContain("server notes: connected")
    const absent = await cli({ ...noRun, config, args: ["policy", "explain", "mcp__notes__ecko", "--connect", "-q"] })
    expect([absent.exitCode, absent.stderr]).toEqual([
      2,
      'agent-run: there is no tool "mcp__notes__ecko"\n  Did you mean mcp__notes__echo?\n',
    ])
  })

  it.concurrent("T15 knows hidden tools, the baseline, and files that a search leaves out", async ({ cli }) => {
    const hidden = await cli({
      ...noRun,
      config: '[tools]\nbuiltin = ["Read", "Grep"]\n',
      args: ["policy", "explain", "Bash", "{}"],
    })
    expect(hidden.stdout).toContain("deny  Bash {}\n  decided by  deny Bash (tools.builtin)")
    expect(hidden.stdout).toContain("the tool is hidden")
    const grep = '[[permissions.rules]]\ntool = "Grep"\naction = "deny"\npaths = ["secrets/**"]\n'
    const searched = await cli({ ...noRun, config: grep, args: ["policy", "explain", "Grep", '{"pattern":"x"}'] })
    expect(searched.stdout).toContain(
      'allow  Grep {"pattern":"x"}\n  decided by  baseline (built-in)\n  note        files that a deny or ask',
    )
  })

  it.concurrent("names what is wrong with its words", async ({ cli }) => {
    const run = await cli({ ...noRun, args: ["policy", "explain", "Bash", "git status"] })
    expect([run.exitCode, run.stdout]).toEqual([2, ""])
    expect(run.stderr).toContain("the input must be a JSON object")
    expect((await cli({ ...noRun, args: ["policy"] })).exitCode).toBe(2)
  })
})

const cases = `
[[cases]]
name = "tests may run"
tool = "Bash"
input = { command = "npm test -- -t a" }
expect = "allow"
source = "agent.toml"

[[cases]]
tool = "Bash"
input = { command = "npm test && rm x" }
expect = "allow"
source = "${allowBash}"

[[cases]]
name = "destructive <ones>"
tool = "mcp__notes__delete_note"
hints = { destructive = true }
expect = "ask"

[[cases]]
tool = "Read"
input = { file_path = "a" }
expect = "allow"
rule = "baseline"
`

describe("policy test", () => {
  it.concurrent("T15 T21 exits with 0 when every case is decided as it says", async ({ cli }) => {
    const files = {
      "policy.toml": cases
        .replace('expect = "allow"\nsource = "agent.toml:', 'expect = "deny"\nsource = "agent.toml:')
        .replace(allowBash, denyBash),
    }
    const run = await cli({ ...noRun, config, files, args: ["policy", "test", "policy.toml"] })
    expect([run.exitCode, run.stdout, run.stderr]).toEqual([0, "4 cases, 0 wrong\n", ""])
  })

  it.concurrent("T15 exits with 8 and a diff when one is not, and writes JUnit XML", async ({ start }) => {
    const args = ["policy", "test", "policy.toml", "--junit", "out/junit.xml"]
    const running = start({ ...noRun, config, files: { "policy.toml": cases }, args })
    const run = await running.ended
    expect(run.exitCode).toBe(8)
    expect(run.stdout).toBe(
      [
        'not ok  Bash {"command":"npm test && rm x"} (policy.toml:9)',
        '  Bash {"command":"npm test && rm x"}',
        "  - action: allow",
        `  + action: deny, by deny Bash commands "rm *" (${denyBash})`,
        `  - source: ${allowBash}`,
        `  + source: ${denyBash}`,
        "4 cases, 1 wrong",
        "",
      ].join("\n"),
    )
    const junit = readFileSync(join(running.workspace, "out/junit.xml"), "utf8")
    expect(junit).toContain('<testsuite name="policy.toml" tests="4" failures="1">')
    expect(junit).toContain(
      '<testcase classname="mcp__notes__delete_note" name="destructive &lt;ones&gt;" file="policy.toml:15" />',
    )
    expect(junit).toContain('name="Bash {&quot;command&quot;:&quot;npm test &amp;&amp; rm x&quot;}"')
    expect(junit).toContain(
      `<failure message="expected allow, decided deny by deny Bash commands &quot;rm *&quot; (${denyBash})">`,
    )
  })

  it.concurrent("T15 gives JSON", async ({ cli }) => {
    const run = await cli({
      ...noRun,
      config,
      files: { "policy.toml": cases },
      args: ["policy", "test", "policy.toml", "--json"],
    })
    const { cases: judged, wrong } = JSON.parse(run.stdout)
    expect([wrong, judged.map(({ ok }: { ok: boolean }) => ok)]).toEqual([1, [true, false, true, true]])
  })

  it.concurrent("T21 a custom tool is decided with its fixed arguments, and so is the tool behind it", async ({
    cli,
  }) => {
    const custom = `
[[tools.custom]]
name = "comment"
description = "Comment on an issue of the shop"
uses = "mcp__gh__add_comment"
fixed = { repo = "acme/shop" }

[[permissions.rules]]
tool = "comment"
action = "allow"

[[permissions.rules]]
tool = "mcp__gh__add_comment"
action = "allow"
args = { repo = "acme/*" }
`
    const policy = `
[[cases]]
tool = "comment"
input = { body = "hello" }
expect = "allow"

[[cases]]
name = "the model cannot override what is fixed"
tool = "comment"
input = { body = "hello", repo = "evil/shop" }
expect = "allow"

[[cases]]
tool = "mcp__gh__add_comment"
input = { repo = "evil/shop" }
expect = "deny"
`
    const files = { "policy.toml": policy }
    const run = await cli({ ...noRun, config: custom, files, args: ["policy", "test", "policy.toml"] })
    expect([run.exitCode, run.stdout, run.stderr]).toEqual([0, "3 cases, 0 wrong\n", ""])
    const bad = custom.replace("acme/*", "other/*")
    const explained = await cli({ ...noRun, config: bad, args: ["policy", "explain", "comment", '{"body":"x"}'] })
    expect(explained.stdout).toContain('deny  comment {"body":"x"}')
    expect(explained.stdout).toContain('    tool = "mcp__gh__add_comment"')
  })

  it.for([
    ["", "cases: is required"],
    ["cases = []", "cases: must not be empty"],
    [
      '[[cases]]\ntool = "Bash"\nexpect = "alow"',
      'policy.toml:3 cases[0].expect: expected one of "allow", "ask", "deny", got "alow". Did you mean "allow"?',
    ],
    ['[[cases]]\ntool = "Bash"\nexpect = "deny"\ncommand = "x"', "policy.toml:4 cases[0].command: unknown key"],
    ["[[cases]", "policy.toml:1:9 not valid TOML"],
  ])("T15 a file that is wrong is exit code 2, with the line: %j", async ([text = "", message = ""], { cli }) => {
    const run = await cli({ ...noRun, files: { "policy.toml": text }, args: ["policy", "test", "policy.toml"] })
    expect([run.exitCode, run.stdout]).toEqual([2, ""])
    expect(run.stderr).toContain(message)
  })

  it.concurrent("T15 a name that no tool has is said, so that a deny by mistake is not taken for a rule", async ({
    cli,
  }) => {
    const files = { "policy.toml": '[[cases]]\ntool = "Bsh"\nexpect = "deny"\n' }
    const run = await cli({ ...noRun, files, args: ["policy", "test", "policy.toml"] })
    expect([run.exitCode, run.stderr]).toEqual([0, "warning policy.toml:1: no built-in tool is called Bsh\n"])
  })
})
