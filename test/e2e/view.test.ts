import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { it } from "../support/cli-test.ts"
import { pausedRun, pausingConfig } from "../support/paused-run.ts"

const script = [{ calls: [{ tool: "Glob", input: { pattern: "*.md" } }] }, { text: "Looked." }]

describe("the page of a run", () => {
  it("is the same, written by the run or made from its transcript", async ({ start, cli, folder }) => {
    const running = start({ script, files: { "a.md": "A" } })
    await running.ended
    const again = join(folder, "again.html")
    const args = ["view", join(running.outDir, "transcript.jsonl"), "--html", again]
    const view = await cli({ task: null, outDir: false, args })
    expect([view.exitCode, view.stdout]).toEqual([0, ""])
    const page = readFileSync(join(running.outDir, "report.html"), "utf8")
    expect(page).toContain("Looked.")
    expect(readFileSync(again, "utf8")).toBe(page)
  })

  it("goes where --html or the configuration says, and exists for a run that is refused", async ({ start }) => {
    const asked = start({ script, outDir: false, args: ["--html", "made/page.html"] })
    expect((await asked.ended).exitCode).toBe(0)
    expect(readFileSync(join(asked.workspace, "made/page.html"), "utf8")).toContain("Looked.")
    const configured = start({ script, outDir: false, config: { output: { html: "p.html" } } })
    expect((await configured.ended).exitCode).toBe(0)
    expect(readFileSync(join(configured.workspace, "p.html"), "utf8")).toContain("Looked.")
    const refused = start({ outDir: false, args: ["--html", "page.html", "--no-such-option"] })
    expect((await refused.ended).exitCode).toBe(2)
    expect(readFileSync(join(refused.workspace, "page.html"), "utf8")).toContain("usage_error")
  })

  it("is made of the transcript of a killed run whose last line is cut off", async ({ start, cli, folder }) => {
    const running = start({ script })
    await running.ended
    const lines = readFileSync(join(running.outDir, "transcript.jsonl"), "utf8").split("\n")
    const killed = join(folder, "killed.jsonl")
    writeFileSync(
      killed,
      `${lines.slice(0, 4).join("\n")}\n{"schema_version":1,"type":"later"}\n${lines[4]?.slice(0, 40)}`,
    )
    const html = join(folder, "killed.html")
    const view = await cli({ task: null, outDir: false, args: ["view", killed, "--html", html] })
    expect([view.exitCode, view.stderr]).toEqual([0, `agent-run: ${html} shows 4 events\n`])
    expect(readFileSync(html, "utf8")).toContain("the transcript has no run.end")
  })

  it("has the whole of a run that paused and went on in another process", async ({ folder, start, cli }) => {
    const callsFile = join(folder, "calls.jsonl")
    const { transcript } = await pausedRun(start, callsFile)
    const pages = ["run.html", "view.html"].map((name) => join(folder, name))
    const [ofRun = "", ofView = ""] = pages
    const args = ["--resume", transcript, "--approve", "all", "--html", ofRun]
    const script = [{ text: "All sent." }]
    const resumed = await cli({ config: pausingConfig(callsFile), task: null, script, outDir: false, args })
    expect(resumed.exitCode, resumed.stderr).toBe(0)
    await cli({ task: null, outDir: false, args: ["view", transcript, "--html", ofView] })
    expect(readFileSync(ofRun, "utf8")).toBe(readFileSync(ofView, "utf8"))
    expect(readFileSync(ofRun, "utf8")).toContain("waits for a person")
  })

  it.for([
    ["missing.jsonl", /missing\.jsonl cannot be read: ENOENT/],
    ["agent.toml", /agent\.toml:1 is not a transcript/],
    ["empty", /empty is not a transcript/],
  ] as const)("%s is refused with exit 2, and no page is written", async ([word, says], { start }) => {
    const files = { empty: "" }
    const running = start({
      task: null,
      outDir: false,
      files,
      config: "[agent]\n",
      args: ["view", word, "--html", "page.html"],
    })
    const { exitCode, stderr } = await running.ended
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(says)])
    expect(existsSync(join(running.workspace, "page.html"))).toBe(false)
  })
})
