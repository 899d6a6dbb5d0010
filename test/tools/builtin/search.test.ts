import { chmod, mkdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { scratchFolder } from "../../support/scratch-folder.ts"
import { textOfResult, toolsetIn } from "../toolset.ts"

const tree = {
  ".gitignore": "dist/\n",
  ".hidden/a.ts": "hello",
  "dist/out.ts": "hello",
  "readme.md": "Hello world\nsecond line\nHELLO again\n",
  "src/a.ts": "export const hello = 1\nconst b = 2\n",
  "src/deep/b.ts": "hello hello\n",
  "we[i]rd.ts": "hello\n",
}

async function search(tool: "Glob" | "Grep", input: Record<string, unknown>) {
  const { call } = toolsetIn(await scratchFolder(tree))
  return textOfResult(await call(tool, input)).split("\n")
}

describe("Glob", () => {
  it.each([
    ["**/*.ts", [".hidden/a.ts", "src/a.ts", "src/deep/b.ts", "we[i]rd.ts"]],
    ["*.ts", ["we[i]rd.ts"]],
    ["src/*.ts", ["src/a.ts"]],
    ["src/**", ["src/a.ts", "src/deep/b.ts"]],
    ["src/", ["src/a.ts", "src/deep/b.ts"]],
    ["./src/{a,b}.ts", ["src/a.ts"]],
    ["src/../readme.md", ["readme.md"]],
    ["dist/*", ["dist/out.ts"]],
    ["readme.md", ["readme.md"]],
    ["absent/*.ts", ["No files match: absent does not exist."]],
    ["*.py", ["No files match."]],
  ])("finds %s, sorted by path", async (pattern, files) => {
    expect(await search("Glob", { pattern })).toEqual(files)
  })

  it("searches below a given folder and shows paths from the workspace", async () => {
    expect(await search("Glob", { pattern: "**/*.ts", path: "src/deep" })).toEqual(["src/deep/b.ts"])
    expect(await search("Glob", { pattern: "../*.ts", path: "src/deep" })).toEqual(["src/a.ts"])
  })

  it.each(["../**", "/etc/*", "src/../../*", "*/../../*", "{..,src}/*", "../ws-evil/*"])(
    "T4 does not leave with %s",
    async (pattern) => {
      expect((await search("Glob", { pattern }))[0]).toMatch(/^tool_error: Refused/)
    },
  )

  it("T12 follows no link", async () => {
    const root = await scratchFolder({ "ws/a.ts": "", "outside/secret.ts": "" })
    await symlink("../outside", join(root, "ws/link"))
    await symlink("../outside/secret.ts", join(root, "ws/link.ts"))
    const { call } = toolsetIn(join(root, "ws"))
    expect(textOfResult(await call("Glob", { pattern: "**" }))).toBe("a.ts")
    expect(textOfResult(await call("Glob", { pattern: "link/*" }))).toMatch(/^tool_error: Refused/)
  })

  it("F57 stops at 1,000 files, and a pattern that would backtrack for ever does not", async () => {
    const long = "a".repeat(250)
    const root = await scratchFolder({ [long]: "" })
    await mkdir(join(root, "many"))
    const names = Array.from({ length: 1200 }, (_, index) => `many/${String(index).padStart(4, "0")}\n.txt`)
    await Promise.all(names.map((name) => writeFile(join(root, name), "")))
    const { call } = toolsetIn(root)
    const lines = textOfResult(await call("Glob", { pattern: "many/*" })).split("\n")
    expect(lines).toHaveLength(1001)
    expect(lines[999]).toBe("many/0999\\n.txt")
    expect(lines[1000]).toBe("[only the first 1000 files; narrow the pattern]")
    expect(textOfResult(await call("Glob", { pattern: `${"*a".repeat(30)}b` }))).toBe("No files match.")
  })

  it("says what is wrong with a pattern", async () => {
    expect((await search("Glob", { pattern: "src/{a" })).join(" ")).toMatch(/^tool_error: .*unclosed/)
  })
})

describe("Grep", () => {
  it.each<readonly [Record<string, unknown>, readonly string[]]>([
    [{ pattern: "hello" }, [".hidden/a.ts", "src/a.ts", "src/deep/b.ts", "we[i]rd.ts"]],
    [{ pattern: "hello", glob: "*.md", "-i": true }, ["readme.md"]],
    [{ pattern: "hello", type: "md", "-i": true, output_mode: "count" }, ["readme.md:2"]],
    [{ pattern: "hello", path: "src", output_mode: "count" }, ["src/a.ts:1", "src/deep/b.ts:1"]],
    [{ pattern: "hello", path: "dist" }, ["dist/out.ts"]],
    [{ pattern: "hel+o", path: "src/a.ts", output_mode: "content" }, ["src/a.ts:1:export const hello = 1"]],
    [{ pattern: "b = 2", path: "src", output_mode: "content", "-n": false }, ["src/a.ts:const b = 2"]],
    [
      { pattern: "second", output_mode: "content", "-C": 1 },
      ["readme.md-1-Hello world", "readme.md:2:second line", "readme.md-3-HELLO again"],
    ],
    [{ pattern: "hello", head_limit: 2 }, [".hidden/a.ts", "src/a.ts", "[more was found; narrow the search]"]],
    [{ pattern: "world.second", multiline: true }, ["readme.md"]],
    [{ pattern: "-e" }, ["No matches."]],
    [{ pattern: "no such text" }, ["No matches."]],
    [{ pattern: "x", path: "absent" }, ["tool_error: absent does not exist."]],
  ])("answers %j", async (input, lines) => {
    expect(await search("Grep", input)).toEqual(lines)
  })

  it("says what is wrong with an expression or a file type", async () => {
    expect((await search("Grep", { pattern: "(" })).join(" ")).toMatch(/^tool_error: .*unclosed group/)
    expect((await search("Grep", { pattern: "x", type: "klingon" })).join(" ")).toMatch(
      /unrecognized file type: klingon/,
    )
  })

  it("F57 a catastrophic expression and endless matches end soon, within the length allowed", async () => {
    const root = await scratchFolder({ "a.txt": `${"a".repeat(50_000)}b\n`, "b.txt": "match\n".repeat(200_000) })
    const { call } = toolsetIn(root)
    expect(textOfResult(await call("Grep", { pattern: "^(a+)+$" }))).toBe("No matches.")
    const text = textOfResult(await call("Grep", { pattern: "match", output_mode: "content" }))
    expect(text).toMatch(/\[more was found; narrow the search\]$/)
    expect(text.length).toBeLessThan(30_000)
  })

  it("runs rg from the PATH, but never one that lies in the workspace", async () => {
    const fake = "#!/bin/sh\necho from the fake\n"
    const root = await scratchFolder({ "ws/node_modules/.bin/rg": fake, "bin/rg": fake, "ws/a.txt": "hello" })
    for (const rg of ["ws/node_modules/.bin/rg", "bin/rg"]) await chmod(join(root, rg), 0o755)
    const grep = async (path: string) =>
      textOfResult(await toolsetIn(join(root, "ws"), { path }).call("Grep", { pattern: "hello", glob: "*.txt" }))
    expect(await grep(join(root, "ws/node_modules/.bin"))).toBe("a.txt")
    expect(await grep("node_modules/.bin:.")).toBe("a.txt")
    expect(await grep(join(root, "bin"))).toBe("from the fake")
  })

  it("is stopped with the run", async () => {
    const { call } = toolsetIn(await scratchFolder(tree))
    expect(await call("Grep", { pattern: "hello" }, AbortSignal.abort())).toMatchObject({ errorCode: "aborted" })
  })
})
