import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { describe, expect } from "vitest"
import { allowing, fixture, it } from "../support/cli-test.ts"
import { processesOf } from "../support/left-processes.ts"
import { answer, text, toolUse } from "../support/messages-server.ts"
import { textOf } from "../support/run-cli.ts"
import { expectValidEvents, expectValidReport } from "../support/run-events.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const done = answer([text("Done.")])

describe("the quickstart", () => {
  it.concurrent("C7 C8 C9 runs the main job with two real servers and no key, and leaves no process", async ({
    folder,
  }) => {
    const quickstart = join(root, "examples", "quickstart", "quickstart.mjs")
    const env = { PATH: process.env.PATH ?? "", HOME: folder }
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [quickstart], { env, cwd: folder })
    expect(processesOf(folder)).toEqual([])

    const out = (name: string) => readFileSync(join(root, ".agent-run", "quickstart", "out", name), "utf8")
    const report = JSON.parse(out("report.json"))
    expectValidReport(report)
    expectValidEvents(
      out("transcript.jsonl")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    )
    expect(report).toMatchObject({ status: "completed", exit_code: 0, denied: 1, turns: 4 })
    expect(report.servers).toMatchObject([
      { name: "everything", transport: "stdio", state: "connected", error: null },
      { name: "files", transport: "stdio", state: "connected", error: null },
    ])
    expect(
      report.calls.map((call: { tool: string; error_code: string | null }) => [call.tool, call.error_code]),
    ).toEqual([
      ["Read", null],
      ["ListMcpResources", null],
      ["ReadMcpResource", null],
      ["mcp__files__list_directory", null],
      ["mcp__everything__get-sum", null],
      ["Edit", null],
      ["mcp__files__write_file", "denied"],
    ])
    expect(report.files_changed).toEqual([{ path: "NOTES.md", added: 1, removed: 1 }])
    expect(stdout).toBe(`${report.answer}\n`)
    expect(stderr).toMatch(/denied: mcp__files__write_file/)
    expect(out("changes.patch")).toContain("+Status: ready, 42 changes")
    expect(out("summary.md")).toContain("mcp__files__write_file")
  })
})

describe("servers", () => {
  it.concurrent("S3.15 five servers with a slow handshake all connect, three at a time", async ({ cli }) => {
    const names = ["one", "two", "three", "four", "five"]
    const slow = Object.fromEntries(names.map((name) => [name, fixture(["--startup-delay", "2000"])]))
    const run = await cli({ config: { mcp_servers: slow }, script: [{ text: "Done." }] })
    expect(run.report?.servers.map((server) => [server.name, server.state])).toEqual(
      names.map((name) => [name, "connected"]),
    )
    let open = 0
    const opened = run.events.flatMap((event) => {
      if (event.type === "server.connecting") open += 1
      if (event.type === "server.connected") open -= 1
      return open
    })
    expect(Math.max(...opened)).toBe(3)
  })

  it.concurrent("S4.16 T18 odd names reach the right tool, also when two pairs would share a name", async ({
    cli,
    serve,
    folder,
  }) => {
    const calls = (name: string) => join(folder, `${name}.calls`)
    const api = await serve((request, index) => {
      const names = request.body.tools.map((tool) => tool.name).filter((name) => name.startsWith("mcp__"))
      return index === 0 ? answer(names.map((name) => toolUse(name, { text: name }, name))) : done
    })
    const mcp_servers = {
      my__srv: fixture(["--named", "echo,Echo,constructor,a__b,größe", "--calls-file", calls("my__srv")]),
      my: fixture(["--named", "srv__echo", "--calls-file", calls("my")]),
    }
    const run = await cli({ api, config: { mcp_servers, permissions: allowing("mcp__my__*") } })
    expect(run.exitCode).toBe(0)
    const offered = api.requests[0]?.body.tools.map((tool) => tool.name) ?? []
    expect(offered.filter((name) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name))).toEqual([])
    expect(new Set(offered).size).toBe(offered.length)
    const reached = (server: string) =>
      textOf(calls(server))
        .trim()
        .split("\n")
        .flatMap((line) => JSON.parse(line).call ?? [])
    expect({ my__srv: reached("my__srv").sort(), my: reached("my") }).toEqual({
      my__srv: ["Echo", "a__b", "constructor", "echo", "größe"],
      my: ["srv__echo"],
    })
    expect(run.report?.calls.map((call) => `${call.server} ${call.ok}`).sort()).toEqual([
      "my true",
      ...Array.from({ length: 5 }, () => "my__srv true"),
    ])
  })

  it.concurrent("S2.3 S3.3 all tools of a server that pages reach the model, next to the built-in ones, schemas untouched", async ({
    cli,
    serve,
  }) => {
    const api = await serve([done])
    const config = { mcp_servers: { paging: fixture(["--tools", "12", "--page-size", "5"]) } }
    const run = await cli({ api, config })
    expect(run.report?.servers).toMatchObject([{ name: "paging", tools: 12 }])
    const offered = api.requests[0]?.body.tools ?? []
    const names = Array.from({ length: 12 }, (_, index) => `mcp__paging__tool_${index + 1}`)
    expect(
      offered
        .map((tool) => tool.name)
        .filter((name) => name.startsWith("mcp__"))
        .sort(),
    ).toEqual(names.toSorted())
    expect(offered.map((tool) => tool.name)).toEqual(expect.arrayContaining(["Read", "Bash", "ListMcpResources"]))
    expect(offered.find((tool) => tool.name === names[11])?.input_schema).toEqual({
      type: "object",
      properties: { text: { type: "string" } },
    })
  })

  it.concurrent("S0.3 S0.31 command, args, env and cwd reach the process of a server, with variables in their place", async ({
    cli,
  }) => {
    const server = fixture(["--with", "${ONE_TOOL},cwd"], {
      command: "${NODE_HERE}",
      cwd: "${SUBFOLDER:-docs}",
      env: { GREETING: "hello ${WHO:-you}, ${WHOM}", LITERAL: "$${WHOM}" },
    })
    const script = [{ calls: [{ tool: "mcp__spy__env" }, { tool: "mcp__spy__cwd" }] }, { text: "Done." }]
    const run = await cli({
      config: { mcp_servers: { spy: server }, permissions: allowing("mcp__spy__*") },
      env: { ONE_TOOL: "env", NODE_HERE: process.execPath, WHOM: "world" },
      files: { "docs/a.md": "a" },
      script,
    })
    const [env, cwd] = run.events.flatMap((event) => (event.type === "tool.result" ? event.content : []))
    expect(JSON.parse(env?.type === "text" ? env.text : "")).toMatchObject({
      GREETING: "hello you, world",
      LITERAL: "${WHOM}",
    })
    expect(cwd).toEqual({ type: "text", text: `${run.report?.run.workspace}/docs` })
  })

  it.concurrent("C6 S2.11 S2.12 servers off the allowlist or on the denylist are never started", async ({
    cli,
    folder,
  }) => {
    const started = join(folder, "started")
    const server = fixture(["--started-file", started])
    const config = {
      mcp_servers: { good: fixture(), other: server, bad: server },
      security: { mcp_server_allowlist: ["good", "bad"], mcp_server_denylist: ["bad"] },
    }
    const run = await cli({ config, script: [{ text: "Done." }] })
    expect(run.report?.servers.map((one) => [one.name, one.state]).sort()).toEqual([
      ["bad", "disabled"],
      ["good", "connected"],
      ["other", "disabled"],
    ])
    expect([run.exitCode, textOf(started)]).toEqual([0, ""])
  })

  it.concurrent("S4.21 a run without servers is a normal run, and one with only broken ones ends with a report", async ({
    cli,
  }) => {
    const none = await cli({ script: [{ text: "Done." }] })
    const broken = {
      noisy: fixture(["--noise", "50", "--no-tools-array"]),
      listless: fixture(["--tools-error"]),
      silent: fixture(["--silent-list"], { discovery_timeout_sec: 1 }),
      folderless: fixture([], { cwd: "nowhere" }),
    }
    const all = await cli({ config: { mcp_servers: broken }, script: [{ text: "Done anyway." }] })
    expect([none.exitCode, none.report?.servers, none.report?.tools.offered]).toEqual([0, [], 6])
    expect([all.exitCode, all.stdout]).toEqual([0, "Done anyway.\n"])
    expect(all.report?.servers.map((server) => [server.name, server.state])).toEqual([
      ["noisy", "connected"],
      ["listless", "failed"],
      ["silent", "failed"],
      ["folderless", "failed"],
    ])
  })
})
