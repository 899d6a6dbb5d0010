import { join } from "node:path"
import { describe, expect } from "vitest"
import { allowing, fixture, it } from "../support/cli-test.ts"
import { textOf, until } from "../support/run-cli.ts"

describe("a server that asks and tells", () => {
  it.concurrent("F46 C10 is answered although nobody is there, and -v shows what it logged", async ({ cli }) => {
    const tools = ["mcp__srv__request", "mcp__srv__log", "mcp__srv__progress"]
    const form = {
      message: "Your name?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } } },
    }
    const { exitCode, stdout, stderr, events } = await cli({
      config: {
        mcp_servers: { srv: fixture(["--logging", "--with", "request,log,progress"]) },
        permissions: allowing(...tools),
      },
      args: ["-v"],
      stdin: "open",
      script: [
        { calls: [{ tool: "mcp__srv__request", input: { method: "elicitation/create", params: form } }] },
        {
          expect: { last_result_contains: '{"action":"decline"}' },
          calls: [
            { tool: "mcp__srv__log", input: { messages: [{ level: "error", logger: "db", data: "::error::lost" }] } },
            { tool: "mcp__srv__progress", input: { steps: 3, ms: 200 } },
          ],
        },
        { text: "Done." },
      ],
    })
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "Done.\n" })
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["server.request", "server.log", "tool.progress"]),
    )
    expect(stderr).toContain('server srv asks elicitation/create: declined, elicitation = "decline"')
    expect(stderr).toMatch(/^server srv db error: .*lost$/m)
    expect(stderr).toContain("call mcp__srv__progress: progress 1 of 3")
  })

  it.concurrent("F71 is told that a call is cancelled when the run is stopped", async ({ start, folder }) => {
    const file = join(folder, "calls.jsonl")
    const running = start({
      config: {
        mcp_servers: { srv: fixture(["--with", "hang", "--calls-file", file], { shutdown_grace_ms: 2000 }) },
        permissions: allowing("mcp__srv__hang"),
      },
      script: [{ calls: [{ tool: "mcp__srv__hang" }] }],
    })
    await until(() => textOf(file).includes('"call":"hang"'), "the call arrived")
    running.kill("SIGTERM")
    const { exitCode, report } = await running.ended
    expect(exitCode).toBe(143)
    expect(report?.calls).toMatchObject([{ tool: "mcp__srv__hang", ok: false, error_code: "aborted" }])
    expect(textOf(file)).toMatch(/\{"cancelled":\d+\}\n$/)
  })
})
