import { Validator } from "@cfworker/json-schema"
import { parse } from "smol-toml"
import { describe, expect, it } from "vitest"
import { type ConfigCommand, runConfigCommand } from "../../src/commands/config.ts"
import type { ConfigOptions } from "../../src/config/load.ts"
import { createWorkspace, failure, optionsFor } from "../config/workspace.ts"

async function run(
  command: Pick<ConfigCommand, "action" | "json">,
  files: Readonly<Record<string, string>>,
  options: Partial<ConfigOptions> = {},
): Promise<{ readonly exitCode: number; readonly output: string }> {
  let output = ""
  const exitCode = await runConfigCommand({
    ...command,
    file: undefined,
    note: () => {},
    options: optionsFor(createWorkspace(files), options),
    write: (text) => {
      output += text
    },
  })
  return { exitCode, output }
}

const toml = `[agent]
max_turns = 7

[mcp_servers.gh]
command = "npx"
args = ["--token", "hunter22", "--api-key=hunter22", "\${GH_TOKEN}", "plain"]
env = { GH_TOKEN = "\${GH_TOKEN}", API_KEY = "hunter22", MODE = "\${MODE:-fast}", DB = "pg://me:hunter22@h/db" }

[mcp_servers.far]
url = "https://h.example/mcp?api_key=hunter22&x=1"
headers = { X-Any = "hunter22", Authorization = "Bearer \${GH_TOKEN:-hunter22}" }
enabled = false

[[permissions.rules]]
tool = "mcp__gh__*"
action = "allow"
args = { repo = "acme/*" }
`

describe("config show", () => {
  it("S1.5 prints every effective value as TOML with its source", async () => {
    const { exitCode, output } = await run(
      { action: "show", json: false },
      { "agent.toml": toml },
      { env: { GH_TOKEN: "canary-value" }, flags: { model: "m" }, deny: ["Bash"] },
    )
    expect(exitCode).toBe(0)
    for (const line of [
      'model = "m"  # --model',
      "max_turns = 7  # agent.toml:2",
      "timeout_sec = 1800  # default",
      'command = "npx"  # agent.toml:5',
      'args = ["--token", "***", "--api-key=***", "${GH_TOKEN}", "plain"]  # agent.toml:6',
      'env = { GH_TOKEN = "${GH_TOKEN}", API_KEY = "***", MODE = "${MODE:-fast}", DB = "pg://me:***@h/db" }  # agent.toml:7',
      "# not started: it is switched off (agent.toml:12)",
      'url = "https://h.example/mcp?api_key=***&x=1"  # agent.toml:10',
      'headers = { X-Any = "***", Authorization = "Bearer ${GH_TOKEN:-***}" }  # agent.toml:11',
      "[[permissions.rules]]  # --deny",
      "[[permissions.rules]]  # agent.toml:14",
      'args = { repo = "acme/*" }',
    ]) {
      expect(output.split("\n")).toContain(line)
    }
    expect(parse(output)).toMatchObject({ agent: { model: "m" }, permissions: { rules: [{ tool: "Bash" }, {}] } })
  })

  it("S3.28 shows hooks, each with its line, as text and as JSON", async () => {
    const files = {
      "agent.toml": '[[hooks.run_start]]\ncommand = ["true"]\n\n[[hooks.run_start]]\ncommand = ["false"]\n',
    }
    const text = await run({ action: "show", json: false }, files)
    expect(text.output).toContain('[[hooks.run_start]]  # agent.toml:4\ncommand = ["false"]')
    const { hooks, permissions } = JSON.parse((await run({ action: "show", json: true }, files)).output)
    expect(hooks.run_start).toEqual([
      { value: { command: ["true"] }, source: "agent.toml:1" },
      { value: { command: ["false"] }, source: "agent.toml:4" },
    ])
    expect(permissions.rules).toEqual([])
  })

  it.each([true, false])("never shows a secret, written or expanded (json: %s)", async (json) => {
    const { output } = await run(
      { action: "show", json },
      { "agent.toml": toml },
      { env: { GH_TOKEN: "canary-value" } },
    )
    expect(output).not.toContain("hunter22")
    expect(output).not.toContain("canary-value")
  })

  it("gives every value as {value, source} with --json", async () => {
    const { output } = await run({ action: "show", json: true }, { "agent.toml": toml }, { env: { GH_TOKEN: "t" } })
    expect(JSON.parse(output)).toMatchObject({
      agent: { max_turns: { value: 7, source: "agent.toml:2" }, timeout_sec: { value: 1800, source: "default" } },
      mcp_servers: { gh: { command: { value: "npx", source: "agent.toml:5" } } },
      permissions: {
        default: { value: "deny", source: "default" },
        rules: [{ value: { tool: "mcp__gh__*", action: "allow" }, source: "agent.toml:14" }],
      },
      tools: { bash: { timeout_sec: { value: 120, source: "default" } } },
    })
  })
})

describe("config check", () => {
  it("S1.5 names the files it read and what it warns about", async () => {
    const files = {
      "agent.toml": "[agent]\nmax_turns = 7\n",
      ".mcp.json": '{ "s": { "command": "x", "trust": true } }',
    }
    const message = ".mcp.json:1:26 s.trust never has an effect; write a rule under [[permissions.rules]] instead"
    expect(await run({ action: "check", json: false }, files)).toEqual({
      exitCode: 0,
      output: `ok  agent.toml\nok  .mcp.json\nwarning  ${message}\n`,
    })
    expect(JSON.parse((await run({ action: "check", json: true }, files)).output)).toEqual({
      ok: true,
      files: ["agent.toml", ".mcp.json"],
      warnings: [{ code: "auto_approve_ignored", message }],
    })
    expect((await run({ action: "check", json: false }, {})).output).toBe("no configuration file: the defaults count\n")
  })

  it("S1.5 ends with the mistakes and their places", async () => {
    const error = await failure(run({ action: "check", json: false }, { "agent.toml": "[agent]\nmx_turns = 1\n" }))
    expect(error.message).toBe('agent.toml:2:1 agent.mx_turns: unknown key. Did you mean "max_turns"?')
  })
})

describe("config schema", () => {
  it("prints a JSON Schema that takes what the reader takes", async () => {
    const { output } = await run({ action: "schema", json: false }, {})
    const validator = new Validator(JSON.parse(output), "2020-12", false)
    expect(validator.validate(JSON.parse(JSON.stringify(parse(toml))))).toMatchObject({ valid: true })
    for (const wrong of [
      "[agent]\nmdel = 1",
      "[mcp_servers.s]\ncomand = 'x'",
      "[agent]\nmax_turns = 0",
      "[[permissions.rules]]\ntool = 'x'",
    ]) {
      expect(validator.validate(JSON.parse(JSON.stringify(parse(wrong)))).valid, wrong).toBe(false)
    }
  })
})
