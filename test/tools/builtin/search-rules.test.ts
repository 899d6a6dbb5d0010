import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createPolicy } from "../../../src/permissions/policy.ts"
import { settingsOf } from "../../permissions/sample-tools.ts"
import { scratchFolder } from "../../support/scratch-folder.ts"
import { seed, seeded } from "../../support/seed.ts"
import { textOfResult, toolsetIn } from "../toolset.ts"

const tree = {
  "a.txt": "key\n1\n2\n3\nkey\n",
  "docs/a.md": "key\n",
  "docs/secret/b.md": "key\n",
  "secrets/deep/c.txt": "key\n4\n5\n6\nkey\n",
  "secrets/top.txt": "key\n",
  "secrets\nz.txt": "key\n",
  "we[i]rd/x.env": "key\n",
  "z.txt": "key\n",
}
const note = "[files that a rule denies are left out]"

async function search(rules: readonly string[], tool: "Glob" | "Grep", input: Record<string, unknown>) {
  const { call } = toolsetIn(await scratchFolder(tree), { rules })
  return textOfResult(await call(tool, input)).split("\n")
}

describe("a deny or ask with paths", () => {
  it.each<readonly [readonly string[], Record<string, unknown>, readonly string[]]>([
    [
      ["deny Grep paths secrets/**"],
      {},
      ["a.txt", "docs/a.md", "docs/secret/b.md", "secrets", "z.txt", "we[i]rd/x.env", "z.txt"],
    ],
    [["ask Grep paths secrets/** secrets*"], {}, ["a.txt", "docs/a.md", "docs/secret/b.md", "we[i]rd/x.env", "z.txt"]],
    [["deny {Read,Grep} paths **/secret/** *.txt **/*.env"], { path: "docs" }, ["docs/a.md"]],
    [["deny * paths **/@(secret|secrets)/**"], { glob: "*.{md,txt}", path: "docs" }, ["docs/a.md"]],
    [
      ["deny Grep paths secrets/** secrets*"],
      { output_mode: "count" },
      ["a.txt:2", "docs/a.md:1", "docs/secret/b.md:1", "we[i]rd/x.env:1", "z.txt:1"],
    ],
    [
      ["deny Grep paths docs/** secrets/** secrets* we*/**"],
      { output_mode: "content", "-A": 1 },
      ["a.txt:1:key", "a.txt-2-1", "--", "a.txt:5:key", "--", "z.txt:1:key"],
    ],
    [
      ["deny Grep paths a.txt docs/** secrets/** secrets* we*/**"],
      { output_mode: "content", "-A": 1, "-n": false },
      ["z.txt:key"],
    ],
    [
      ["deny Grep paths {a,z}.txt secrets*"],
      { output_mode: "content", "-n": false, path: "docs" },
      ["docs/a.md:key", "docs/secret/b.md:key"],
    ],
    [["deny Grep args pattern=k* paths **/*.txt secrets*"], {}, ["docs/a.md", "docs/secret/b.md", "we[i]rd/x.env"]],
    [["deny Grep paths docs/** we*/** **/*.txt secrets*"], {}, ["No matches."]],
  ])("S2.13 %j leaves files out of what Grep finds with %j", async (rules, input, files) => {
    expect(await search(rules, "Grep", { pattern: "key", ...input })).toEqual([...files, note])
  })

  it.each<readonly [readonly string[], Record<string, unknown>, readonly string[]]>([
    [["deny Glob paths secrets/** secrets*"], { pattern: "**/*.txt" }, ["a.txt", "z.txt"]],
    [["deny Glob paths secrets/top.txt"], { pattern: "*", path: "secrets" }, ["No files match."]],
    [["deny Glob paths secrets/top.txt"], { pattern: "secrets/**" }, ["secrets/deep/c.txt"]],
    [["ask Glob paths **/*.md"], { pattern: "docs/**" }, ["No files match."]],
    [["deny Glob args pattern=x paths **/*.md"], { pattern: "docs/*" }, []],
  ])("S2.13 %j leaves files out of what Glob finds with %j", async (rules, input, files) => {
    const found = await search(rules, "Glob", input)
    if (files.length === 0) expect(found).toEqual(["docs/a.md"])
    else expect(found).toEqual([...files, note])
  })

  it("S2.13 for another tool, or with an argument that does not match, leaves nothing out", async () => {
    const rules = ["deny Read paths docs/**", "deny Grep args pattern=x paths docs/**", "allow Grep paths z.txt"]
    expect(await search(rules, "Grep", { pattern: "key", path: "docs" })).toEqual(["docs/a.md", "docs/secret/b.md"])
  })

  it("S2.13 denies a search whose folder it names, also one that the pattern of Glob names", async () => {
    const { tool } = toolsetIn(await scratchFolder(tree))
    const policy = createPolicy(settingsOf(["deny {Grep,Glob} paths secrets/**"]))
    for (const path of ["secrets", "./secrets/deep", "docs/../secrets"]) {
      expect(policy.decide(tool("Grep"), { pattern: "key", path }).action).toBe("deny")
      expect(policy.decide(tool("Glob"), { pattern: "*", path }).action).toBe("deny")
    }
    expect(policy.decide(tool("Glob"), { pattern: "secrets/*.txt" }).action).toBe("deny")
    expect(policy.decide(tool("Glob"), { pattern: "sub/*", path: "docs" }).action).toBe("allow")
  })

  it("S2.13 says that it leaves files out also when none of them would have matched, so that nothing tells of them", async () => {
    const found = await search(["deny Grep paths secrets/**"], "Grep", { pattern: "no such text" })
    expect(found).toEqual(["No matches.", note])
  })

  it(`S2.13 Grep shows exactly the files that a Read under the same rule may read (seed ${seed})`, async () => {
    const root = await scratchFolder(tree)
    const files = Object.keys(tree).filter((file) => !file.includes("\n"))
    const piece = fc.constantFrom(
      "secrets",
      "docs",
      "**",
      "*",
      "*.txt",
      "*.{md,env}",
      "we\\[i\\]rd",
      "@(deep|secret)",
      "?.txt",
    )
    const glob = fc.array(piece, { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join("/"))
    await fc.assert(
      fc.asyncProperty(fc.array(glob, { minLength: 1, maxLength: 3 }), async (paths) => {
        const rule = `deny {Read,Grep} paths ${paths.join(" ")}`
        const policy = createPolicy(settingsOf([rule]))
        const { call, tool } = toolsetIn(root, { rules: [rule] })
        const readable = files.filter((file) => policy.decide(tool("Read"), { file_path: file }).action === "allow")
        const found = textOfResult(await call("Grep", { pattern: "key" })).split("\n")
        expect(found.filter((line) => files.includes(line) && readable.includes(line))).toEqual(
          found.filter((line) => files.includes(line)),
        )
        expect(readable.filter((file) => !found.includes(file))).toEqual([])
      }),
      { ...seeded, numRuns: 25 },
    )
  })
})
