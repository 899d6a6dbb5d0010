import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect } from "vitest"
import { allowing, fixture, it } from "../support/cli-test.ts"
import { textOf, until } from "../support/run-cli.ts"

describe("SIGKILL", () => {
  const script = [
    {
      calls: [
        { tool: "mcp__notes__echo", input: { text: "one" } },
        { tool: "Read", input: { file_path: "a.txt" } },
      ],
    },
    { calls: [{ tool: "mcp__notes__hang" }] },
    { text: "Never said." },
  ]
  const notes = fixture(["--with", "echo,hang"])
  const config = { mcp_servers: { notes }, permissions: allowing("mcp__notes__*") }

  it.concurrent.for([1, 2, 3, 4, 6, 8, 10, 12])(
    "F73 after %i events leaves valid lines up to the last, and servers end",
    async (count, { start }) => {
      const running = start({ script, config, files: { "a.txt": "a" }, cutShort: true })
      await until(() => running.events().length >= count, `there are ${count} events`)
      running.kill("SIGKILL")
      const run = await running.ended
      expect([run.signal, run.report]).toEqual(["SIGKILL", null])
      expect(run.events.length).toBeGreaterThanOrEqual(count)
      expect(run.events[0]?.type).toBe("run.start")
    },
  )
})

describe("SIGKILL with children that would live on", () => {
  it.concurrent("F73 a shell command and a server that ignores its end die with us", async ({ start }) => {
    const stubborn = fixture(["--ignore-sigterm"])
    const script = [{ calls: [{ tool: "Bash", input: { command: "sleep 1; touch started; sleep 600" } }] }]
    const config = { mcp_servers: { stubborn }, permissions: allowing("Bash") }
    const running = start({ script, config, cutShort: true })
    await until(() => existsSync(join(running.workspace, "started")), "the command runs")
    expect(running.processes().length).toBeGreaterThan(2)
    running.kill("SIGKILL")
    await running.ended
    await until(() => running.processes().length === 0, "nothing is left")
  })
})

describe("stdin", () => {
  it.concurrent("F71 SIGTERM while the task is awaited on stdin ends the run with a report", async ({ start }) => {
    const running = start({ task: null, args: ["--task-file", "-"], script: [{ text: "Done." }], stdin: "open" })
    await until(() => existsSync(join(running.outDir, "transcript.jsonl")), "the transcript is open")
    running.kill("SIGTERM")
    const run = await running.ended
    expect([run.exitCode, run.report?.reason?.code]).toEqual([143, "terminated"])
  })
})

describe("stdout", () => {
  it.concurrent("T9 no workflow command of an answer can be parsed", async ({ cli }) => {
    const script = [{ text: "::add-mask::all\n##[add-matcher]x.json\nplain" }]
    for (const output of ["text", "json", "jsonl"]) {
      const { stdout, exitCode } = await cli({ script, args: ["--output", output] })
      expect(exitCode).toBe(0)
      expect(stdout).toContain("plain")
      expect(stdout.split("\n").filter((line) => line.trim().startsWith("::") || line.includes("##["))).toEqual([])
    }
  })

  it.runIf(existsSync("/dev/full"))("F74 an answer that cannot be written is not green", async ({ cli }) => {
    const { exitCode, stderr } = await cli({
      shell: 'agent-run "$@" > /dev/full',
      script: [{ text: "Done." }],
      outDir: false,
    })
    expect(exitCode).toBe(8)
    expect(stderr).toContain("could not be written to stdout")
  })

  const script = [{ calls: [{ tool: "Read", input: { file_path: "a.txt" } }] }, { text: "Done." }]
  const files = { "a.txt": "a" }

  it.concurrent("F76 a reader of the events that goes away crashes nothing, and the transcript is whole", async ({
    start,
  }) => {
    const shell = '{ agent-run "$@" --output jsonl; echo $? > code; } | head -n 1'
    const running = start({ shell, script, files })
    const run = await running.ended
    expect(
      run.stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).type),
    ).toEqual(["run.start"])
    expect(run.events.at(-1)?.type).toBe("run.end")
    expect(run.report?.answer).toBe("Done.")
    expect(textOf(join(running.workspace, "code"))).toBe(`${run.report?.exit_code}\n`)
    expect(run.stderr).not.toMatch(/EPIPE|node:internal/)
  })

  it.concurrent.for(["text", "json"])(
    "F76 a reader of the result (%s) that goes away crashes nothing",
    async (output, { start }) => {
      const shell = `{ agent-run "$@" --output ${output}; echo $? > code; } | true`
      const running = start({ shell, script, files })
      const run = await running.ended
      expect([textOf(join(running.workspace, "code")), run.report?.exit_code]).toEqual(["0\n", 0])
      expect(run.stderr).not.toMatch(/EPIPE|node:internal/)
    },
  )

  it.concurrent("F76 a slow reader of 50 MB loses nothing", async ({ start }) => {
    const big = { tool: "mcp__notes__big", input: { bytes: 1_000_000 } }
    const turns = Array.from({ length: 10 }, (_, turn) => ({
      text: `${turn}`,
      calls: Array.from({ length: 5 }, () => big),
    }))
    const config = {
      mcp_servers: { notes: fixture(["--with", "big"]) },
      permissions: allowing("mcp__notes__big"),
      tools: { max_result_chars: 1_100_000 },
    }
    const shell = 'agent-run "$@" --output jsonl | { sleep 1; cat; } > read.jsonl'
    const running = start({ shell, config, script: [...turns, { text: "Done." }] })
    const run = await running.ended
    const read = textOf(join(running.workspace, "read.jsonl"))
    expect(read.length).toBeGreaterThan(50_000_000)
    expect(read === textOf(join(running.outDir, "transcript.jsonl"))).toBe(true)
    expect(run.report?.exit_code).toBe(0)
  })
})

describe("the host", () => {
  it.skipIf(!existsSync("/dev/full"))(
    "F74 a full disk under the transcript is told, the run is finished and not green",
    async ({ cli }) => {
      const args = ["--transcript", "/dev/full", "--output", "json"]
      const run = await cli({ args, script: [{ text: "Done." }], outDir: false })
      expect(run.exitCode).toBe(8)
      expect(JSON.parse(run.stdout)).toMatchObject({
        exit_code: 8,
        answer: "Done.",
        reason: { code: "output_incomplete" },
      })
      expect(run.stderr).toMatch(/\/dev\/full: the transcript is incomplete: ENOSPC/)
    },
  )

  it.concurrent("F80 a rejection that nobody handles ends the run with exit 1, a report and no server", async ({
    start,
  }) => {
    const preload = fileURLToPath(new URL("../fixtures/preloads/reject-on-signal.mjs", import.meta.url))
    const config = { mcp_servers: { notes: fixture(["--with", "hang"]) }, permissions: allowing("mcp__notes__*") }
    const script = [{ calls: [{ tool: "mcp__notes__hang" }] }, { text: "Never said." }]
    const running = start({ nodeArgs: ["--import", preload], config, script })
    await until(() => running.events().some((event) => event.type === "tool.call"), "the call is made")
    running.kill("SIGUSR2")
    const run = await running.ended
    expect([run.exitCode, run.report?.reason?.code]).toEqual([1, "internal_error"])
    expect(run.report?.reason?.message).toContain("nobody waits for this")
    expect(run.stderr).toContain("nobody waits for this")
  })
})
