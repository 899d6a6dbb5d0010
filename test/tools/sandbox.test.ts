import { readdirSync, readFileSync } from "node:fs"
import { readFile, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { errorResult, textResult } from "../../src/contract/tool.ts"
import { findSandbox } from "../../src/tools/sandbox.ts"
import { missingSandbox, sandbox } from "../support/bubblewrap.ts"
import { scratchFolder } from "../support/scratch-folder.ts"
import { type ToolsetOptions, textOfResult, toolsetIn } from "./toolset.ts"

async function shell(options: ToolsetOptions = {}) {
  const root = await scratchFolder()
  const { call } = toolsetIn(root, { sandbox, ...options })
  return { root, bash: (command: string, more = {}) => call("Bash", { command, ...more }), call }
}

/** The processes, of the whole machine, that were started with exactly these words. */
function processesWith(...words: readonly string[]): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && commandOf(name) === `${words.join("\0")}\0`)
    .map(Number)
}

function commandOf(processId: string): string {
  try {
    return readFileSync(`/proc/${processId}/cmdline`, "utf8")
  } catch {
    // It has ended.
    return ""
  }
}

describe.skipIf(missingSandbox !== "")(`Bash in the sandbox${missingSandbox}`, () => {
  it("gives output, exit codes and errors as without it", async () => {
    const { root, bash } = await shell()
    expect(await bash("pwd")).toEqual(textResult(root))
    expect(await bash("for i in 1 2; do echo out $i; echo error $i >&2; done")).toEqual(
      textResult("out 1\nerror 1\nout 2\nerror 2"),
    )
    expect(await bash("true")).toEqual(textResult("(no output)"))
    expect(await bash("echo before; exit 3")).toEqual(errorResult("tool_error", "before\nexit code 3"))
    expect(await bash("kill -9 $$")).toEqual(errorResult("tool_error", "exit code 137"))
    expect(textOfResult(await bash("if"))).toMatch(/syntax error.*exit code 2$/s)
    expect(await bash('cat; read line; echo "read: $?"')).toEqual(textResult("read: 1"))
  })

  it("hands on the environment and nothing else, and uses devices, links and folders as they are", async () => {
    const { root, bash } = await shell({ env: { PATH: "/usr/bin:/bin", GIVEN: "yes" } })
    const names = textOfResult(await bash("env | cut -d= -f1 | grep -v -e ^GIT_ -e '^_$' | sort | xargs"))
    expect(names).toMatch(/^GIVEN( OLDPWD)? PATH PWD SHLVL$/)
    const devices = "echo x > /dev/null && head -c 4 /dev/urandom | wc -c && echo ok > /dev/shm/$$ && rm /dev/shm/$$"
    expect(await bash(devices)).toEqual(textResult("4"))
    await bash("mkdir sub && echo made > sub/file && ln -s sub link && chmod 700 sub")
    expect(await readFile(join(root, "link/file"), "utf8")).toBe("made\n")
  })

  it("F51 a process that escapes its group by a double fork is gone when the call returns", async () => {
    const seconds = `7${process.pid}1`
    const detach = `setsid sh -c 'setsid sleep ${seconds} & setsid sleep ${seconds} &'; echo started`
    const inside = await shell()
    expect(await inside.bash(detach)).toEqual(textResult("started"))
    expect(processesWith("sleep", seconds)).toEqual([])
    const outside = await shell({ sandbox: null })
    expect(await outside.bash(detach)).toEqual(textResult("started"))
    const left = processesWith("sleep", seconds)
    for (const processId of left) process.kill(processId, "SIGKILL")
    expect(left).toHaveLength(2)
    const page = await readFile(new URL("../../docs/security.md", import.meta.url), "utf8")
    expect(page).toContain("a process that detaches itself by a double fork can outlive the run")
  })

  it("F51 a command that is stopped has time to clean up, and what it detached goes with it", async () => {
    const { root, bash } = await shell()
    const seconds = `7${process.pid}2`
    const command = `trap 'sleep 0.1; echo cleaned > mark; exit' TERM; setsid sleep ${seconds} & while :; do sleep 0.05; done`
    expect(await bash(command, { timeout: 1000 })).toMatchObject({ isError: true, errorCode: "timeout" })
    expect(await readFile(join(root, "mark"), "utf8")).toBe("cleaned\n")
    expect(processesWith("sleep", seconds)).toEqual([])
    const stubborn = `trap '' TERM; setsid sleep ${seconds} & while :; do sleep 0.05; done`
    expect(await bash(stubborn, { timeout: 300 })).toMatchObject({ isError: true, errorCode: "timeout" })
    expect(processesWith("sleep", seconds)).toEqual([])
  })

  it("T5 sees no process but its own, and has no way to more rights", async () => {
    const { bash } = await shell()
    expect(await bash("echo /proc/[0-9]*")).toEqual(textResult("/proc/1 /proc/2"))
    expect(await bash(`kill -0 ${process.pid}`)).toMatchObject({ isError: true })
    expect(await bash("grep NoNewPrivs /proc/self/status | cut -f2")).toEqual(textResult("1"))
    const effective = textOfResult(await bash("grep CapEff /proc/self/status | cut -f2"))
    const dangerous = [16, 17, 19, 21, 38, 39].map((capability) => 1n << BigInt(capability))
    expect(dangerous.filter((bit) => (BigInt(`0x${effective}`) & bit) !== 0n)).toEqual([])
  })

  it("T5 files of the run are read-only inside, also behind a link, and may be missing or be none", async () => {
    const root = await scratchFolder()
    const elsewhere = await scratchFolder()
    await writeFile(join(elsewhere, "transcript.jsonl"), "{}\n")
    await symlink(elsewhere, join(root, "out"))
    const readOnly = [join(root, "out/transcript.jsonl"), join(root, "report.json"), "/dev/stdout", root]
    const search = await findSandbox({ path: process.env.PATH ?? "", workspace: root, readOnly })
    if (search.kind !== "found") throw new Error("there is no sandbox")
    const { call } = toolsetIn(root, { sandbox: search.sandbox })
    const bash = async (command: string) => textOfResult(await call("Bash", { command }))
    expect(await bash("cat out/transcript.jsonl")).toBe("{}")
    expect(await bash("echo forged > out/transcript.jsonl")).toMatch(/Read-only file system/)
    expect(await bash("echo own > report.json; cat report.json")).toBe("own")
    expect(await readFile(join(elsewhere, "transcript.jsonl"), "utf8")).toBe("{}\n")
  })
})
