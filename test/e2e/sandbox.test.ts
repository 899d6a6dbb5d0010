import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import type { RunEvent } from "../../src/contract/event.ts"
import type { ScriptTurn } from "../../src/model/script-schema.ts"
import { missingSandbox } from "../support/bubblewrap.ts"
import { allowing, fixture, it } from "../support/cli-test.ts"
import { processesOf } from "../support/left-processes.ts"
import { textOf, until } from "../support/run-cli.ts"

const canaries = { ANTHROPIC_API_KEY: "canary-of-the-model-key", DEPLOY_PASSWORD: "canary-of-another-secret" }

/** Every way to the environment of an ancestor that /proc offers; spelled so that no redaction hides a find. */
const attack = [
  'echo "ancestor: $PPID"',
  "for file in /proc/[0-9]*/environ /proc/[0-9]*/task/[0-9]*/environ /proc/$PPID/environ /proc/$PPID/root/proc/*/environ; do",
  "  cat $file 2>/dev/null",
  "done | tr '\\0' '\\n' | grep -a canary | sed 's/./&_/g' | sort -u",
  "echo done",
].join("\n")

function scripted(...commands: readonly string[]): readonly ScriptTurn[] {
  const turns = commands.map((command) => ({ calls: [{ tool: "Bash", input: { command } }] }))
  return [...turns, { text: "Done." }]
}

function outputsOf(events: readonly RunEvent[]): string {
  return JSON.stringify(events.filter(({ type }) => type === "tool.result"))
}

const spelled = (text: string) => [...text].map((letter) => `${letter}_`).join("")

/** A PATH with what a shell needs, and what the test puts there. */
function pathWithout(folder: string, bwrap?: string): string {
  const programs = join(folder, "programs")
  mkdirSync(programs)
  for (const name of ["sh", "bash", "cat"]) symlinkSync(`/bin/${name}`, join(programs, name))
  if (bwrap !== undefined) {
    writeFileSync(join(programs, "bwrap"), bwrap)
    chmodSync(join(programs, "bwrap"), 0o755)
  }
  return programs
}

const broken = "#!/bin/sh\necho 'bwrap: No permissions to create a new namespace' >&2\nexit 1\n"

describe.skipIf(missingSandbox !== "")(`a run with bubblewrap${missingSandbox}`, () => {
  it.concurrent("T5 a command finds no canary in the environment of its ancestors, and the report names the sandbox", async ({
    cli,
  }) => {
    const run = { env: canaries, script: scripted(attack) }
    const inside = await cli({ ...run, config: { permissions: allowing("Bash") } })
    expect([inside.exitCode, inside.report?.run.sandbox]).toEqual([0, "bubblewrap"])
    expect(outputsOf(inside.events)).toContain("ancestor: 1\\ndone")

    const outside = await cli({ ...run, config: { security: { sandbox: "off" }, permissions: allowing("Bash") } })
    expect([outside.exitCode, outside.report?.run.sandbox]).toEqual([0, "off"])
    const found = outputsOf(outside.events)
    for (const canary of Object.values(canaries)) expect(found).toContain(spelled(canary))
  })

  it.concurrent("F51 a process that left its group by a double fork is gone with a call that times out, and with a killed run", async ({
    start,
  }) => {
    const config = { security: { sandbox: "require" }, permissions: allowing("Bash") }
    const detach = "setsid sh -c 'setsid sleep 1000 & setsid sleep 1000 &'; sleep 1000"
    const timed = start({ config: { ...config, tools: { bash: { timeout_sec: 1 } } }, script: scripted(detach) })
    const { report } = await timed.ended
    expect(report?.calls[0]).toMatchObject({ ok: false, error_code: "timeout" })

    const killed = start({ config, script: scripted(detach), cutShort: true })
    const folder = join(killed.workspace, "..")
    const sleeping = () => processesOf(folder).filter(({ command }) => command === "sleep 1000").length
    await until(() => sleeping() >= 3, "the processes of the command are there")
    killed.kill("SIGKILL")
    await until(() => processesOf(folder).length === 0, "nothing of the run is left")
    await killed.ended
  })

  it.concurrent("T5 the transcript cannot be changed, the workspace and the home folder can", async ({ start }) => {
    const running = start({
      config: { permissions: allowing("Bash") },
      script: scripted(
        "echo forged >> ../out/transcript.jsonl; rm ../out/transcript.jsonl; ln ../out/transcript.jsonl x; echo tried",
        'echo kept > file.txt; echo cache > "$HOME/cache"; echo x > "$TMPDIR/x" && rm "$TMPDIR/x"; echo $?',
      ),
    })
    const { exitCode, report, events } = await running.ended
    expect(exitCode).toBe(0)
    expect(outputsOf(events)).toMatch(/Read-only file system.*tried.*"text":"0"/)
    expect(textOf(join(running.outDir, "transcript.jsonl"))).not.toMatch(/^forged/m)
    expect(report?.files_changed.map(({ path }) => path)).toEqual(["file.txt"])
    expect(textOf(join(running.workspace, "../home/cache"))).toBe("cache\n")
  })
})

describe("a run without a sandbox", () => {
  it.concurrent("T5 ends with exit code 2 when one is required, before a request or a server", async ({
    folder,
    start,
    serve,
  }) => {
    const api = await serve([])
    for (const [path, why] of [
      [pathWithout(join(folder)), "there is no bwrap on the PATH"],
      [pathWithout(mkdirIn(folder, "other"), broken), "does not work here: bwrap: No permissions to create"],
    ] as const) {
      const config = { security: { sandbox: "require" }, mcp_servers: { local: fixture() } }
      const { exitCode, stderr, report, events } = await start({ api, config, env: { PATH: path } }).ended
      expect(exitCode).toBe(2)
      expect(report).toMatchObject({ reason: { code: "config_error", message: expect.stringContaining(why) } })
      expect(report?.reason?.hint).toMatch(/bubblewrap|user namespaces|Linux/)
      expect(stderr).toContain('security.sandbox = "require"')
      expect(events.map(({ type }) => type)).toEqual(["run.start", "run.end"])
    }
    expect(api.requests).toEqual([])
  })

  it.concurrent("T5 says so in the report, and warns when bubblewrap is there and does not work", async ({
    folder,
    cli,
  }) => {
    const run = { config: { permissions: allowing("Bash") }, script: scripted("echo ran") }
    const absent = await cli({ ...run, env: { PATH: pathWithout(folder) } })
    expect([absent.exitCode, absent.report?.run.sandbox, warningsOf(absent.events)]).toEqual([0, "off", []])
    const failing = await cli({ ...run, env: { PATH: pathWithout(mkdirIn(folder, "other"), broken) } })
    expect([failing.exitCode, failing.report?.run.sandbox]).toEqual([0, "off"])
    expect(warningsOf(failing.events)).toEqual([
      { code: "sandbox_unavailable", message: expect.stringContaining("No permissions to create a new namespace") },
    ])
    expect(outputsOf(failing.events)).toContain("ran")
  })

  it.concurrent("bubblewrap is not looked for where no rule lets a command run, nor taken from the workspace", async ({
    folder,
    start,
  }) => {
    const mark = '#!/bin/sh\necho started > "$0.started"\n'
    const path = pathWithout(folder, mark)
    const idle = await start({ env: { PATH: path }, script: [{ text: "Done." }] }).ended
    expect([idle.exitCode, idle.report?.run.sandbox, textOf(`${path}/bwrap.started`)]).toEqual([0, "off", ""])

    const running = start({
      files: { "bin/bwrap": mark },
      config: { permissions: allowing("Bash") },
      script: scripted("echo ran"),
      shell: 'chmod +x bin/bwrap; PATH="$PWD/bin:$PATH" exec agent-run "$@"',
    })
    expect((await running.ended).exitCode).toBe(0)
    expect(textOf(join(running.workspace, "bin/bwrap.started"))).toBe("")
  })
})

function mkdirIn(folder: string, name: string): string {
  mkdirSync(join(folder, name))
  return join(folder, name)
}

function warningsOf(events: readonly RunEvent[]) {
  return events
    .flatMap((event) => (event.type === "warning" ? [{ code: event.code, message: event.message }] : []))
    .filter(({ code }) => code.startsWith("sandbox"))
}
