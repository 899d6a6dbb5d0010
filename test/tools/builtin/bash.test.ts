import { execFileSync } from "node:child_process"
import { readdir, readFile, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { errorResult, textResult } from "../../../src/contract/tool.ts"
import { gitSafety } from "../../../src/util/child-environment.ts"
import { scratchFolder } from "../../support/scratch-folder.ts"
import { type ToolsetOptions, textOfResult, toolsetIn } from "../toolset.ts"

async function shell(options: ToolsetOptions = {}) {
  const root = await scratchFolder()
  const { call } = toolsetIn(root, options)
  return { root, bash: (command: string, more = {}) => call("Bash", { command, ...more }), call }
}

/** Is there a process whose command line holds this text? */
function isRunning(marker: string): boolean {
  const list = execFileSync("ps", ["-A", "-o", "args="], { encoding: "utf8" })
  return list.split("\n").some((line) => line.includes(marker))
}

describe("Bash", () => {
  it("gives the output in order, and the exit code when it is not zero", async () => {
    const { root, bash } = await shell()
    expect(await bash("pwd")).toEqual(textResult(root))
    expect(await bash("for i in 1 2 3; do echo out $i; echo error $i >&2; done")).toEqual(
      textResult("out 1\nerror 1\nout 2\nerror 2\nout 3\nerror 3"),
    )
    expect(await bash("true")).toEqual(textResult("(no output)"))
    expect(await bash("echo before; exit 3")).toEqual(errorResult("tool_error", "before\nexit code 3"))
    expect(await bash("kill -9 $$")).toEqual(errorResult("tool_error", "ended by SIGKILL"))
    expect(textOfResult(await bash("if"))).toMatch(/syntax error.*exit code 2$/s)
    expect(await bash("cat <<'END'\nfrom a here document\nEND")).toEqual(textResult("from a here document"))
  })

  it("F50 ends what a command leaves in the background, and returns", async () => {
    const { bash } = await shell()
    const seconds = `8${process.pid}1`
    expect(await bash(`sleep ${seconds} & disown; echo started`)).toEqual(textResult("started"))
    expect(isRunning(`sleep ${seconds}`)).toBe(false)
    const stubborn = `(trap '' TERM HUP; exec sleep ${seconds}) & sleep 0.05; echo started`
    expect(await bash(stubborn)).toEqual(textResult("started"))
    expect(isRunning(`sleep ${seconds}`)).toBe(false)
  })

  it("F50 is not held by a process outside its group that keeps the pipes", async () => {
    const { bash } = await shell()
    const result = await bash("set -m; sleep 8765 & echo $!")
    onTestFinished(() => void process.kill(Number(textOfResult(result)), "SIGKILL"))
    expect(textOfResult(result)).toMatch(/^\d+$/)
  })

  it("F52 keeps head and tail of endless output in flat memory, until the timeout", async () => {
    const { bash } = await shell({ maxResultChars: 2000 })
    const before = process.memoryUsage().rss
    const result = await bash("echo first; yes 'a line of endless output'", { timeout: 700 })
    expect(result).toMatchObject({ isError: true, errorCode: "timeout" })
    const text = textOfResult(result)
    expect(text).toMatch(/^timeout: first\na line.*\n\[… \d{6,} bytes left out …\]\n.*output\ntimed out after 700 ms$/s)
    expect(text.length).toBeLessThan(2000)
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 ** 2)
  })

  it("F53 a command that reads stdin gets the end of file", async () => {
    const { bash } = await shell()
    expect(await bash('cat; read line; echo "read: $?"')).toEqual(textResult("read: 1"))
  })

  it("F54 git that would ask for credentials fails instead", async () => {
    const server = createServer((_, response) => {
      response.writeHead(401, { "www-authenticate": 'Basic realm="x"' }).end()
    }).listen(0, "127.0.0.1")
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once("listening", resolve))
    const { port } = server.address() as AddressInfo
    const { bash } = await shell()
    const text = textOfResult(await bash(`git ls-remote http://127.0.0.1:${port}/private.git`))
    expect(text).toMatch(/^tool_error: fatal: could not read Username.*terminal prompts disabled\nexit code 128$/s)
  })

  it("F55 invalid UTF-8, NUL and half a character come back as valid text", async () => {
    const { bash } = await shell()
    const text = textOfResult(await bash("printf 'a\\377b\\000c\\303'"))
    expect(text).toBe("a\ufffdb\u2400c\ufffd")
    expect(JSON.parse(JSON.stringify(text))).toBe(text)
  })

  it("T3 a command sees the environment it was given, and nothing of ours", async () => {
    for (const name of ["GITHUB_TOKEN", "ACTIONS_RUNTIME_TOKEN", "ANTHROPIC_API_KEY", "INPUT_API_KEY", "GITHUB_ENV"]) {
      vi.stubEnv(name, "CANARY")
    }
    onTestFinished(() => void vi.unstubAllEnvs())
    const given = { PATH: "/usr/bin:/bin", HOME: "/home/somebody", GIVEN: "yes" }
    const { root, bash } = await shell({ env: given })
    const lines = textOfResult(await bash("env")).split("\n")
    const seen = Object.fromEntries(lines.map((line) => [line.split("=")[0], line.split("=").slice(1).join("=")]))
    const { SHLVL, _, ...rest } = seen
    expect(rest).toEqual({ ...given, ...gitSafety, PWD: root })
  })

  it("T16 hooks, fsmonitor and the ext protocol of a repository do not run", async () => {
    const env = { PATH: "/usr/bin:/bin", HOME: "/nonexistent-home" }
    const { root, bash } = await shell({ env })
    execFileSync("git", ["init", "--quiet", root])
    for (const name of ["hooks/pre-commit", "hooks/post-checkout", "monitor"]) {
      await writeFile(join(root, ".git", name), `#!/bin/sh\ntouch ${root}/PWNED\n`, { mode: 0o755 })
    }
    execFileSync("git", ["config", "core.fsmonitor", join(root, ".git/monitor")], { cwd: root })
    const commands = [
      "git status --short",
      "echo x > file && git add file",
      "git -c user.name=a -c user.email=a@b.c commit -m message",
      "git checkout -b other",
    ]
    for (const command of commands) expect(await bash(command)).toMatchObject({ isError: false })
    const clone = await bash(`git clone "ext::sh -c touch% ${root}/PWNED" cloned`)
    expect(textOfResult(clone)).toMatch(/transport 'ext' not allowed/)
    expect(await readdir(root)).toEqual([".git", "file"])
  })

  it("ends the whole group at its timeout and when the run stops", async () => {
    const { root, call } = await shell()
    const seconds = `8${process.pid}2`
    const command = `sleep ${seconds} & echo ready > ready; sleep ${seconds}`
    expect(await call("Bash", { command, timeout: 200 })).toEqual(errorResult("timeout", "timed out after 200 ms"))
    expect(isRunning(`sleep ${seconds}`)).toBe(false)

    const run = new AbortController()
    const stopping = call("Bash", { command: `rm ready; ${command}` }, run.signal)
    await vi.waitFor(async () => expect(await readFile(join(root, "ready"), "utf8")).toBe("ready\n"))
    run.abort()
    expect(await stopping).toEqual(errorResult("aborted", "stopped with the run"))
    expect(isRunning(`sleep ${seconds}`)).toBe(false)
  })
})
