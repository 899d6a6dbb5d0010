import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { loadConfig } from "../../src/config/load.ts"
import { createWorkspace, failure, load, optionsFor, problemsOf } from "./workspace.ts"

describe("a mistake in agent.toml", () => {
  it.each<[toml: string, problem: string]>([
    [
      '[mcp_servers.gh]\n  comand = "x"\n  url = "http://h"',
      'agent.toml:2:3 mcp_servers.gh.comand: unknown key. Did you mean "command"?',
    ],
    ["[agent]\nmaxTurns = 3", 'agent.toml:2:1 agent.maxTurns: unknown key. Did you mean "max_turns"?'],
    ['model = "x"', 'agent.toml:1:1 model: unknown key. Did you mean "agent.model"?'],
    ["[agnet]", 'agent.toml:1:2 agnet: unknown key. Did you mean "agent"?'],
    ["[agent]\nxyzzy = 1", "agent.toml:2:1 agent.xyzzy: unknown key"],
    ["[agent]\n__proto__ = 1", "agent.toml:2:1 agent.__proto__: unknown key"],
    ["[agent]\nconstructor = 1", "agent.toml:2:1 agent.constructor: unknown key"],
    ['[agent]\nmax_turns = "3"', "agent.toml:2:1 agent.max_turns: expected a number, got text"],
    ["[agent]\nmax_turns = 1.5", "agent.toml:2:1 agent.max_turns: expected a whole number, got a number"],
    ["[agent]\nmax_turns = 0", "agent.toml:2:1 agent.max_turns: must be at least 1"],
    ["[agent]\ntimeout_sec = 0", "agent.toml:2:1 agent.timeout_sec: must be more than 0"],
    ["[agent]\ntimeout_sec = 9000000", "agent.toml:2:1 agent.timeout_sec: must be at most 2147483"],
    ['[agent]\nmodel = ""', "agent.toml:2:1 agent.model: must not be empty"],
    ["[agent]\nmodel = 5", "agent.toml:2:1 agent.model: expected text, got a whole number: write it in quotes"],
    ["[agent]\nmodel = 1979-05-27", "agent.toml:2:1 no key takes a date; text needs quotes"],
    [
      '[agent]\neffort = "hgih"',
      'agent.toml:2:1 agent.effort: expected one of "low", "medium", "high", "xhigh", "max", got "hgih". Did you mean "high"?',
    ],
    ["agent = 3", "agent.toml:1:1 agent: expected a table, got a whole number"],
    ["mcp_servers = 3", "agent.toml:1:1 mcp_servers: expected a table, got a whole number"],
    [
      "[agent.prices.m]\ninput = 1\noutput = 1\ncache_read = 1",
      "agent.toml:1:15 agent.prices.m.cache_write: is required",
    ],
    [
      '[mcp_servers.s]\ncommand = "x"\n[mcp_servers.s.env]\nPORT = 3000',
      "agent.toml:4:1 mcp_servers.s.env.PORT: expected text, got a whole number: write it in quotes",
    ],
    [
      '[mcp_servers.s]\ncommand = "x"\nargs = [\n  "a",\n  2,\n]',
      "agent.toml:5:3 mcp_servers.s.args[1]: expected text, got a whole number: write it in quotes",
    ],
    [
      '[security]\nredact = ["ok", "("]',
      "agent.toml:2:17 security.redact[1]: is not a regular expression: Invalid regular expression: /(/: Unterminated group",
    ],
    [
      '[security]\nredact = ["a*"]',
      "agent.toml:2:11 security.redact[0]: matches the empty text, and so would mask everything",
    ],
    [
      '[tools]\nbuiltin = ["Read", "bash"]',
      'agent.toml:2:20 tools.builtin[1]: expected one of "Read", "Write", "Edit", "Glob", "Grep", "Bash", got "bash". Did you mean "Bash"?',
    ],
    ['[[permissions.rules]]\naction = "deny"', "agent.toml:1:15 permissions.rules[0].tool: is required"],
    ["a = 1\na = 2", "agent.toml:2:1 not valid TOML: trying to redefine an already defined table or value"],
    ['a = "', "agent.toml:1:5 not valid TOML: unfinished string"],
    [
      "[agent]\nmax_turns = 99999999999999999999",
      "agent.toml:2:13 not valid TOML: integer value cannot be represented losslessly",
    ],
  ])("%j is answered by its place", async (toml, problem) => {
    expect(await problemsOf({ "agent.toml": toml })).toContain(problem)
  })

  it.each<[what: string, toml: string, problem: string]>([
    [
      "command and url",
      '[mcp_servers.s]\ncommand = "x"\nurl = "http://h"',
      "agent.toml:3:1 mcp_servers.s.url: a server has either command or url, not both",
    ],
    [
      "neither",
      "[mcp_servers.s]\nrequired = true",
      "agent.toml:1:14 mcp_servers.s: needs command (stdio) or url (remote)",
    ],
    [
      "stdio without command",
      '[mcp_servers.s]\ntype = "stdio"',
      'agent.toml:1:14 mcp_servers.s: needs command, because type is "stdio"',
    ],
    [
      "http without url",
      '[mcp_servers.s]\ntype = "http"',
      'agent.toml:1:14 mcp_servers.s: needs url, because type is "http"',
    ],
    [
      "stdio with url",
      '[mcp_servers.s]\ntype = "stdio"\nurl = "http://h"',
      'agent.toml:2:1 mcp_servers.s.type: a server with url is remote: "http", "sse" or "ws"',
    ],
    [
      "sse with command",
      '[mcp_servers.s]\ntype = "sse"\ncommand = "x"',
      'agent.toml:2:1 mcp_servers.s.type: a server with command is "stdio"',
    ],
    [
      "env of a remote server",
      '[mcp_servers.s]\nurl = "http://h"\nenv = {}',
      "agent.toml:3:1 mcp_servers.s.env: only for a server with command",
    ],
    [
      "headers of a local server",
      '[mcp_servers.s]\ncommand = "x"\nheaders = {}',
      "agent.toml:3:1 mcp_servers.s.headers: only for a server with url",
    ],
    [
      "two Authorization headers",
      '[mcp_servers.s]\nurl = "http://h"\nbearer_token_env_var = "T"\nheaders = { authorization = "x" }',
      "agent.toml:3:1 mcp_servers.s.bearer_token_env_var: the Authorization header is set too; keep one of the two",
    ],
    [
      "a header twice",
      '[mcp_servers.s]\nurl = "http://h"\nheaders = { X-A = "1" }\nenv_headers = { x-a = "V" }',
      "agent.toml:4:17 mcp_servers.s.env_headers.x-a: this header is set twice",
    ],
    [
      "no header name",
      '[mcp_servers.s]\nurl = "http://h"\nheaders = { "a b" = "1" }',
      'agent.toml:3:13 mcp_servers.s.headers."a b": is not the name of a header',
    ],
    [
      "inherit_env in a project",
      '[mcp_servers.s]\ncommand = "x"\ninherit_env = true',
      "agent.toml:3:1 mcp_servers.s.inherit_env: not allowed in a project file. Name single variables in env_vars, or set it in agent.local.toml or with --config",
    ],
    [
      "commands without Bash",
      '[[permissions.rules]]\ntool = "mcp__*"\naction = "deny"\ncommands = ["ls"]',
      'agent.toml:4:1 permissions.rules[0].commands: commands are for Bash, and "mcp__*" does not match it',
    ],
    [
      "paths without a file tool",
      '[[permissions.rules]]\ntool = "Bash"\naction = "deny"\npaths = ["a"]',
      'agent.toml:4:1 permissions.rules[0].paths: paths are for the file tools (Read, Write, Edit, Glob, Grep), and "Bash" matches none of them',
    ],
    [
      "two system prompts",
      '[agent]\nsystem_prompt = "a"\nsystem_prompt_file = "b"',
      "agent.toml:3:1 agent.system_prompt_file: system_prompt is set too; keep one of the two",
    ],
    [
      "an open default",
      '[permissions]\ndefault = "allow"',
      'agent.toml:2:1 permissions.default: "allow" lets every call through that no rule denies; say so with broad = true in [permissions]',
    ],
  ])("a contradiction has a place: %s", async (_, toml, problem) => {
    expect(await problemsOf({ "agent.toml": toml })).toEqual([problem])
  })

  it("S1.5 all problems of all files are named at once, one a line", async () => {
    const error = await failure(
      load({
        "agent.toml": '[agent]\nmdel = "x"\nmax_turns = "y"\n[expect]\nsome = 1\n',
        "agent.local.toml": "[tools]\nbuiltin = 1\n",
      }),
    )
    expect(error).toMatchObject({ code: "config_error", where: "agent.local.toml:2:1" })
    expect(error.message.split("\n")).toEqual([
      "agent.local.toml:2:1 tools.builtin: expected a list, got a whole number",
      "agent.toml:3:1 agent.max_turns: expected a number, got text",
      'agent.toml:2:1 agent.mdel: unknown key. Did you mean "model"?',
      "agent.toml:5:1 expect.some: unknown key",
    ])
  })

  it.each([
    ["agent", "base_url", "--base-url or ANTHROPIC_BASE_URL"],
    ["agent", "api_base", "--base-url or ANTHROPIC_BASE_URL"],
    ["agent", "api_key", "ANTHROPIC_API_KEY"],
    ["agent", "anthropicApiKey", "ANTHROPIC_API_KEY"],
    ["output", "auth_token", "ANTHROPIC_API_KEY"],
  ])("T7 the endpoint and the key never come from a file: %s.%s", async (section, key, hint) => {
    const [problem] = await problemsOf({ "agent.toml": `[${section}]\n${key} = "https://evil.example"` })
    expect(problem).toContain(`agent.toml:2:1 ${section}.${key}: unknown key. The `)
    expect(problem).toContain(hint)
  })

  it("a value that may be secret is not repeated", async () => {
    const [problem] = await problemsOf({ "agent.toml": '[mcp_servers.s]\ncommand = "x"\nenv = { T = ["s3cret"] }' })
    expect(problem).toBe("agent.toml:3:9 mcp_servers.s.env.T: expected text, got a list")
  })
})

describe("a file that cannot be used", () => {
  it.each<[what: string, contents: string | Buffer, problem: string]>([
    ["larger than 1 MiB", `# ${"x".repeat(1024 * 1024)}`, "agent.toml is larger than 1024 KiB"],
    ["nested too deep", `${Array(100_000).fill("a").join(".")} = 1`, "agent.toml:1:67 nested deeper than 32 levels"],
    ["not UTF-8", Buffer.from([0x61, 0xff]), "agent.toml is not UTF-8 text"],
  ])("is refused clearly: %s", async (_, contents, problem) => {
    const workspace = createWorkspace({})
    writeFileSync(join(workspace, "agent.toml"), contents)
    expect((await failure(loadConfig(optionsFor(workspace)))).message).toBe(problem)
  })

  it("is refused when it is named and missing, or a folder", async () => {
    const files = { "folder.toml/x": "" }
    expect(await problemsOf(files, { configFiles: ["a.toml", "folder.toml"] })).toEqual([
      "folder.toml is not a regular file",
      "--config a.toml does not exist",
    ])
    expect(await problemsOf({ "agent.toml": '[mcp]\nimport = ["x.json"]' })).toEqual([
      "agent.toml:2:11 mcp.import: x.json does not exist",
    ])
  })
})
