import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { prepareOutputFile, writeOutput } from "../../src/sinks/files.ts"

describe("output files", () => {
  let folder = ""
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "outputs-"))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it("are prepared with their folders, and leave no trace until written", async () => {
    const path = join(folder, "a", "b", "report.json")
    prepareOutputFile(path)
    expect(readdirSync(join(folder, "a", "b"))).toEqual([])
    await writeOutput(path, "{}\n")
    expect(readFileSync(path, "utf8")).toBe("{}\n")
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(folder, "a", "b"))).toEqual(["report.json"])
  })

  it("keep what was there until the new contents are whole", () => {
    const path = join(folder, "report.json")
    writeFileSync(path, "old")
    prepareOutputFile(path)
    expect(readFileSync(path, "utf8")).toBe("old")
  })

  it.each([
    ["a folder", (root: string) => root],
    ["below a file", (root: string) => join(root, "file", "report.json")],
    ["a place that cannot be created", () => "/proc/nowhere/report.json"],
  ])("F75 %s is refused before anything is spent", (_what, pathIn) => {
    writeFileSync(join(folder, "file"), "")
    expect(() => prepareOutputFile(pathIn(folder))).toThrow(
      expect.objectContaining({ code: "output_unwritable", where: `${pathIn(folder)}:`, hint: expect.any(String) }),
    )
  })

  it("replace a link to a file instead of writing where it leads", async () => {
    const target = join(folder, "target")
    const link = join(folder, "report.json")
    writeFileSync(target, "precious")
    symlinkSync(target, link)
    prepareOutputFile(link)
    await writeOutput(link, "{}")
    expect([readFileSync(target, "utf8"), readFileSync(link, "utf8")]).toEqual(["precious", "{}"])
  })

  it("never replace a device", async () => {
    prepareOutputFile("/dev/null")
    await writeOutput("/dev/null", "{}")
    expect(statSync("/dev/null").isCharacterDevice()).toBe(true)
    expect(existsSync("/dev/null.tmp")).toBe(false)
  })
})
