import { execFileSync, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { createJsonlFileSink } from "../../src/sinks/jsonl-file.ts"
import { emitted, expectValidEvents } from "../support/run-events.ts"
import { sampleRun } from "../support/sample-run.ts"

describe("the transcript file", () => {
  const events = emitted(sampleRun)
  let folder = ""
  let path = ""

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "transcript-"))
    path = join(folder, "deep", "er", "transcript.jsonl")
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it("C4, S1.8 holds every event on a line of its own, valid, run.end last, private to its owner", async () => {
    const sink = createJsonlFileSink(path)
    for (const event of events) sink.write(event)
    expect(await sink.flush?.()).toBeNull()
    expect(readLines(path)).toEqual(events)
    expect(await sink.close()).toBeNull()
    expectValidEvents(readLines(path))
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readLines(path)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: "tool.call", call_id: "c3", input: {} }),
        expect.objectContaining({ type: "tool.result", call_id: "c3", state: "error", error_code: "timeout" }),
        expect.objectContaining({ type: "tool.result", call_id: "c1", state: "output", ok: true }),
      ]),
    )
  })

  it("C4 is written while the run goes on", async () => {
    const sink = createJsonlFileSink(path)
    for (const [index, event] of events.entries()) {
      sink.write(event)
      if (index % 5 === 0) await sink.flush?.()
      if (index % 5 === 0) expect(readLines(path)).toHaveLength(index + 1)
    }
    await sink.close()
  })

  it("starts over a file that was there, and makes it private", async () => {
    mkdirSync(join(folder, "deep", "er"), { recursive: true })
    writeFileSync(path, "old\n".repeat(100), { mode: 0o644 })
    await createJsonlFileSink(path).close()
    expect(readFileSync(path, "utf8")).toBe("")
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it("replaces a link to a file instead of writing where it leads", async () => {
    const target = join(folder, "target")
    writeFileSync(target, "precious")
    path = join(folder, "link.jsonl")
    symlinkSync(target, path)
    const sink = createJsonlFileSink(path)
    for (const event of events) sink.write(event)
    await sink.close()
    expect(readFileSync(target, "utf8")).toBe("precious")
    expect(readLines(path)).toEqual(events)
  })

  it.each([
    ["a folder", (root: string) => root],
    ["below a file", (root: string) => join(root, "file", "transcript.jsonl")],
    ["a place that cannot be created", () => "/proc/nowhere/transcript.jsonl"],
    ["a pipe that nobody reads", (root: string) => join(root, "pipe")],
  ])("F75 %s is refused at once, with what to do", (_what, pathIn) => {
    writeFileSync(join(folder, "file"), "")
    execFileSync("mkfifo", [join(folder, "pipe")])
    expect(() => createJsonlFileSink(pathIn(folder))).toThrow(
      expect.objectContaining({ code: "output_unwritable", where: `${pathIn(folder)}:`, hint: expect.any(String) }),
    )
  })

  it.skipIf(!existsSync("/dev/full"))("F74 a full disk is told at the end and never thrown", async () => {
    const sink = createJsonlFileSink("/dev/full")
    for (const event of events) sink.write(event)
    expect(await sink.flush?.()).toMatch(/^\/dev\/full: the transcript is incomplete: ENOSPC/)
    for (const event of events) sink.write(event)
    expect(await sink.close()).toMatch(/ENOSPC/)
    expect(statSync("/dev/full").isCharacterDevice()).toBe(true)
  })

  it("F74 a file that may not grow keeps the whole lines that fitted", async () => {
    const program = compileProgram(
      folder,
      `for (const event of events) { sink.write(event); await sink.flush() }
      for (const event of events) sink.write(event)
      console.log(await sink.close())`,
    )
    const limited = spawnSync(
      "bash",
      ["-c", `trap '' XFSZ; ulimit -f 4; exec "$0" "$@"`, process.execPath, program, path],
      {
        input: JSON.stringify(events),
        encoding: "utf8",
      },
    )
    expect(limited.stdout).toMatch(/transcript is incomplete: EFBIG/)
    const lines = readLines(path)
    expect(lines).toEqual([...events, ...events].slice(0, lines.length))
    expect(lines.length).toBeGreaterThan(0)
  })

  it.each([
    ["exits in the moment of the last write", "for (const event of events) sink.write(event); process.exit(3)"],
    [
      "exits while a write is under way",
      "for (const event of events) sink.write(event); setImmediate(() => { sink.write(events[0]); process.exit(3) })",
    ],
    [
      "exits between writes",
      "for (const event of events) { sink.write(event); await sink.flush() }; sink.write(events[0]); process.exit(3)",
    ],
    ["throws", "for (const event of events) sink.write(event); throw new Error('boom')"],
  ])("C4 nothing is lost or doubled when the process %s", async (what, source) => {
    const child = spawn(process.execPath, [compileProgram(folder, source), path], {
      stdio: ["pipe", "ignore", "ignore"],
    })
    child.stdin.end(JSON.stringify(events))
    const [exitCode] = await once(child, "exit")
    expect(exitCode).toBe(what === "throws" ? 1 : 3)
    expect(readLines(path)).toEqual(/under way|between/.test(what) ? [...events, events[0]] : events)
  })
})

/** The real sink in a process of its own: it reads events from stdin and does what `source` says with them. */
function compileProgram(folder: string, source: string): string {
  const root = new URL("../..", import.meta.url).pathname
  const compile = [
    "--ignoreConfig",
    "--rootDir",
    "src",
    "--outDir",
    folder,
    "--module",
    "nodenext",
    "--target",
    "es2023",
  ]
  const options = ["--rewriteRelativeImportExtensions", "--skipLibCheck", "--types", "node", "--noCheck"]
  execFileSync(join(root, "node_modules", ".bin", "tsc"), [...compile, ...options, "src/sinks/jsonl-file.ts"], {
    cwd: root,
  })
  writeFileSync(join(folder, "package.json"), '{"type":"module"}')
  const program = join(folder, "program.js")
  writeFileSync(
    program,
    `import { readFileSync } from "node:fs"
    import { createJsonlFileSink } from "./sinks/jsonl-file.js"
    const events = JSON.parse(readFileSync(0, "utf8"))
    const sink = createJsonlFileSink(process.argv[2])
    ${source}`,
  )
  return program
}

function readLines(path: string): readonly unknown[] {
  const lines = readFileSync(path, "utf8").split("\n")
  expect(lines.pop()).toBe("")
  return lines.map((line) => JSON.parse(line))
}
