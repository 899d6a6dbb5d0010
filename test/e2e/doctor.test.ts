import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { sandbox } from "../support/bubblewrap.ts"
import { fixture, it } from "../support/cli-test.ts"

const doctor = { task: null, outDir: false, env: { ANTHROPIC_API_KEY: "sk-test-key-of-nobody" } } as const

describe("agent-run doctor", () => {
  it.concurrent("S1.6 tells the state of every server, rules that match nothing, and asks no model", async ({
    start,
    serve,
  }) => {
    const api = await serve([])
    const running = start({
      ...doctor,
      env: { ...doctor.env, ANTHROPIC_BASE_URL: api.url },
      args: ["doctor"],
      config: {
        mcp_servers: {
          good: fixture(),
          broken: { command: "no-such-program-anywhere" },
          off: { ...fixture(), enabled: false },
        },
        permissions: { rules: ["mcp__good__*", "mcp__god__*"].map((tool) => ({ tool, action: "allow" })) },
        output: { out_dir: "results/deep" },
      },
    })
    const { exitCode, stdout } = await running.ended
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^ok +credentials +an API key$/m)
    expect(stdout).toMatch(/^ok +configuration +agent\.toml$/m)
    expect(stdout).toMatch(/^ok +output +\S+\/results\/deep\/report\.json$/m)
    expect(stdout).toMatch(/^ok +server good +connected, tools: 1$/m)
    expect(stdout).toMatch(/^warning +server broken +failed: .*no-such-program-anywhere.* -> /m)
    expect(stdout).toMatch(/^ok +server off +disabled: it is switched off/m)
    expect(stdout).toMatch(/^ok +rules +1 of 2 match a tool$/m)
    expect(stdout).toMatch(/^warning +rules +agent\.toml:\d+: the rule allow "mcp__god__\*" matches no tool/m)
    expect(api.requests).toEqual([])
    expect(existsSync(join(running.workspace, "results"))).toBe(false)
  })

  it.concurrent("T5 tells whether commands have a sandbox, which is a problem only when it is required", async ({
    folder,
    cli,
  }) => {
    const nothing = { ...doctor.env, PATH: join(folder, "nothing") }
    const absent = await cli({ ...doctor, env: nothing, args: ["doctor"] })
    expect(absent.exitCode).toBe(0)
    expect(absent.stdout).toMatch(
      /^warning +sandbox +there is no bwrap on the PATH, so commands of Bash have none -> /m,
    )
    const config = { security: { sandbox: "require" } }
    const required = await cli({ ...doctor, env: nothing, config, args: ["doctor"] })
    expect(required.exitCode).toBe(2)
    expect(required.stdout).toMatch(/^problem +sandbox +there is no bwrap on the PATH/m)
    const off = await cli({ ...doctor, config: { security: { sandbox: "off" } }, args: ["doctor"] })
    expect(off.stdout).toMatch(/^ok +sandbox +off: security\.sandbox = "off"$/m)
    if (sandbox === null) return
    const found = await cli({ ...doctor, config, args: ["doctor"] })
    expect([found.exitCode, found.stdout]).toEqual([0, expect.stringMatching(/^ok +sandbox +\/.*bwrap$/m)])
  })

  it.concurrent("S1.6 ends with 5 for a required server, as JSON with what to do", async ({ cli }) => {
    const config = { mcp_servers: { broken: { command: "no-such-program-anywhere", required: true } } }
    const { exitCode, stdout } = await cli({ ...doctor, config, args: ["doctor", "--json"] })
    expect(exitCode).toBe(5)
    expect(JSON.parse(stdout)).toContainEqual({
      check: "server broken",
      state: "problem",
      message: expect.stringContaining("failed: "),
      hint: expect.stringContaining("required = false"),
    })
  })

  it.concurrent.for([
    ["variables", "[mcp_servers.a]\ncommand = '${NOT_THERE}'", /NOT_THERE/],
    ["configuration", "[agent]\nmax_turn = 3", /agent\.toml:2:1 .*max_turn/],
    ["rules", "[[permissions.rules]]\ntool = '*'\naction = 'allow'", /agent\.toml:1/],
    ["output", "[output]\nreport = 'agent.toml/report.json'", /not a directory/],
    ["model", "[agent]\nmodel = 'nobody-knows'\nmax_cost_usd = 1", /price of nobody-knows/],
  ] as const)("ends with 2 for a problem with %s", async ([check, config, says], { cli }) => {
    const { exitCode, stdout } = await cli({ ...doctor, config, args: ["doctor"] })
    expect(exitCode).toBe(2)
    const lines = stdout.split("\n").filter((line) => line.startsWith("problem"))
    expect(lines).toEqual([expect.stringMatching(new RegExp(`^problem +${check} `))])
    expect(lines[0]).toMatch(says)
  })

  it.concurrent("ends with 2 without credentials, without a workspace, and when the key would travel in the clear", async ({
    cli,
  }) => {
    const env = { ANTHROPIC_API_KEY: "", ANTHROPIC_BASE_URL: "http://api.example.com" }
    const { exitCode, stdout } = await cli({ ...doctor, env, args: ["doctor"] })
    expect(exitCode).toBe(2)
    expect(stdout).toMatch(/^problem +credentials .* -> Set ANTHROPIC_API_KEY/m)
    const proxied = await cli({ ...doctor, env: { ...doctor.env, HTTPS_PROXY: "proxy:3128" }, args: ["doctor"] })
    expect(proxied).toMatchObject({ exitCode: 2, stdout: expect.stringMatching(/^problem +endpoint +HTTPS_PROXY /m) })
    const nowhere = await cli({ ...doctor, args: ["doctor", "--workspace", "nowhere"] })
    expect(nowhere).toMatchObject({ exitCode: 2, stdout: expect.stringMatching(/^problem +workspace /m) })
    expect(stdout).toMatch(/^problem +endpoint +ANTHROPIC_BASE_URL must be an https URL/m)
  })
})
