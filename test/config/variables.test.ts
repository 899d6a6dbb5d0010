import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { expandVariables } from "../../src/config/expand.ts"
import { failure, load } from "./workspace.ts"

describe("variables", () => {
  it.each<[text: string, expanded: string]>([
    ["plain $HOME", "plain $HOME"],
    ["${A}", "value"],
    ["<${A}/${A}>", "<value/value>"],
    ["${A:-no}", "value"],
    ["${NO:-default}", "default"],
    ["${NO:-}", ""],
    ["${EMPTY}", ""],
    ["${EMPTY:-default}", "default"],
    ["$${A}", "${A}"],
    ["${NO:-a:-b}", "a:-b"],
  ])("S0.31 %s becomes %j", (text, expanded) => {
    const env = { A: "value", EMPTY: "" }
    expect(expandVariables(text, env)).toEqual({ text: expanded, unset: [], malformed: [] })
  })

  it.each<[text: string, unset: string[], malformed: string[]]>([
    ["${NO} ${NEITHER}", ["NO", "NEITHER"], []],
    ["${constructor}", ["constructor"], []],
    ["${input:token}", [], ["${input:token}"]],
    ["${A:-${B}}", [], ["${A:-${B}"]],
    ["${A", [], ["${A"]],
    ["${}", [], ["${}"]],
  ])("%s is never guessed", (text, unset, malformed) => {
    expect(expandVariables(text, {})).toMatchObject({ unset, malformed })
  })

  it("a value is never expanded again, text without ${ stays as it is, and $${ writes every other text", () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ unit: fc.constantFrom("$", "{", "}", "A", ":", "-") }), (value, text) => {
        expect(expandVariables("${A}", { A: value }).text).toBe(value)
        if (!text.includes("${")) expect(expandVariables(text, {}).text).toBe(text)
        const escaped = text.replaceAll("${", () => "$${")
        expect(expandVariables(escaped, {})).toEqual({ text, unset: [], malformed: [] })
      }),
    )
  })

  it("S0.31 command, args, env, cwd, url and headers are expanded", async () => {
    const toml = `
[mcp_servers.local]
command = "\${X}-cmd"
args = ["a", "\${X}-arg"]
cwd = "/\${X}"
env = { E = "\${X}-env" }
[mcp_servers.remote]
url = "https://\${X}.example"
headers = { H = "\${X}-header" }
`
    const { config } = await load({ "agent.toml": toml }, { env: { X: "x" } })
    expect(config.servers).toMatchObject([
      { command: "x-cmd", args: ["a", "x-arg"], cwd: "/x", env: { E: "x-env" } },
      { url: "https://x.example", headers: { H: "x-header" } },
    ])
  })

  it("S0.31 every unset variable is named with its key and place", async () => {
    const toml = `
[mcp_servers.local]
command = "x"
args = [
  "\${ONE}",
]
env = { E = "\${TWO}" }
[mcp_servers.remote]
url = "\${THREE}"
env_headers = { H = "FOUR" }
bearer_token_env_var = "FIVE"
`
    const error = await failure(load({ "agent.toml": toml }, { env: { FIVE: "" } }))
    expect(error).toMatchObject({ code: "unset_variable", where: "agent.toml:5:3" })
    expect(error.hint).toContain("${NAME:-default}")
    expect(error.message.split("\n")).toEqual([
      "agent.toml:5:3 mcp_servers.local.args[0]: the variable ONE is not set",
      "agent.toml:7:9 mcp_servers.local.env.E: the variable TWO is not set",
      "agent.toml:9:1 mcp_servers.remote.url: the variable THREE is not set",
      "agent.toml:10:17 mcp_servers.remote.env_headers.H: the variable FOUR is not set",
      "agent.toml:11:1 mcp_servers.remote.bearer_token_env_var: the variable FIVE is not set",
    ])
  })

  it.each([
    ["enabled = false", {}],
    ["", { without: ["s"] }],
    ["[security]\nmcp_server_denylist = ['s']", {}],
    ["[security]\nmcp_server_allowlist = ['other']", {}],
    ["[mcp]\nauto_connect = false", {}],
    ["[mcp_servers.t]\ncommand = 't'", { only: ["t"] }],
  ])("a server that will not start is not expanded: %j %j", async (toml, options) => {
    const { config } = await load({ "agent.toml": `[mcp_servers.s]\ncommand = "\${UNSET}"\n${toml}` }, options)
    expect(config.disabledServers.map(({ name }) => name)).toEqual(["s"])
  })

  it.each([
    ['url = "${U}"', { U: "ftp://h" }, "agent.toml:2:1 mcp_servers.s.url: is not an http or https URL"],
    [
      'url = "https://me:pw@h"',
      {},
      "agent.toml:2:1 mcp_servers.s.url: must not hold a user name or password; use headers, env_headers or bearer_token_env_var",
    ],
    [
      'url = "https://h"\nheaders = { H = "${V}" }',
      { V: "a\nb" },
      "agent.toml:3:13 mcp_servers.s.headers.H: its value has a line break or another character that no header can hold",
    ],
    [
      'command = "${input:x}"',
      {},
      "agent.toml:2:1 mcp_servers.s.command: ${input:x} is not a variable: write ${NAME} or ${NAME:-default}, and $${ for a literal ${",
    ],
  ])("%s with %j is refused after expansion", async (toml, env, problem) => {
    const error = await failure(load({ "agent.toml": `[mcp_servers.s]\n${toml}` }, { env }))
    expect([error.code, error.message]).toEqual(["config_error", problem])
  })
})
