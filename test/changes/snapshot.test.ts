import { execFileSync } from "node:child_process"
import { chmod, mkdir, readFile, rm, stat, symlink } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { createChanges } from "../../src/changes/snapshot.ts"
import { scratchFolder, writeFiles } from "../support/scratch-folder.ts"
import { changesOf, fingerprint, git, scratchRepository } from "./repository.ts"

const before = { "kept.txt": "same\n", "edited.txt": "one\ntwo\n", "removed.txt": "gone\n", "picture.bin": "\0\x01" }

async function change(folder: string): Promise<void> {
  await writeFiles(folder, { "edited.txt": "one\n2\nthree\n", "new/ä b.txt": "new\n", "picture.bin": "\0\x02\x03" })
  await rm(join(folder, "removed.txt"))
}

const changed = [
  { path: "edited.txt", added: 2, removed: 1 },
  { path: "new/ä b.txt", added: 1, removed: 0 },
  { path: "picture.bin", added: 0, removed: 0 },
  { path: "removed.txt", added: 0, removed: 1 },
]

describe("changes of a workspace", () => {
  it.each([
    ["a plain folder", scratchFolder],
    ["a repository", scratchRepository],
  ])("lists what changed in %s, with a patch that applies, and cleans up", async (_, create) => {
    const workspace = await create(before)
    const { files, patch, warning, leftBehind } = await changesOf(workspace, () => change(workspace))
    expect({ files, warning, leftBehind }).toEqual({ files: changed, warning: null, leftBehind: [] })
    const other = await scratchRepository(before)
    await writeFiles(other, { ".git/patch": patch })
    git(other, "apply", ".git/patch")
    for (const name of ["edited.txt", "new/ä b.txt", "picture.bin", "kept.txt"]) {
      expect(await readFile(join(other, name))).toEqual(await readFile(join(workspace, name)))
    }
    await expect(stat(join(other, "removed.txt"))).rejects.toThrow("ENOENT")
  })

  it("counts only what the run changed, not what was uncommitted before", async () => {
    const workspace = await scratchRepository(before)
    await writeFiles(workspace, { "kept.txt": "uncommitted\n", "untracked.txt": "untracked\n" })
    const { files } = await changesOf(workspace, () => writeFiles(workspace, { "untracked.txt": "untracked\nmore\n" }))
    expect(files).toEqual([{ path: "untracked.txt", added: 1, removed: 0 }])
  })

  it("is empty when nothing changed and when nothing was ever about to", async () => {
    const workspace = await scratchRepository(before)
    expect(await changesOf(workspace, async () => {})).toEqual({ files: [], patch: "", warning: null, leftBehind: [] })
    const env = { PATH: "/nowhere", TMPDIR: "/nowhere" }
    expect(await createChanges({ workspace, env }).finish()).toEqual({ files: [], patch: "", warning: null })
  })

  it("does not change a byte of the repository around it", async () => {
    const workspace = await scratchRepository(before)
    await writeFiles(workspace, { "kept.txt": "touched\n" })
    const repository = await fingerprint(join(workspace, ".git"))
    await changesOf(workspace, () => change(workspace))
    expect(await fingerprint(join(workspace, ".git"))).toEqual(repository)
  })

  it("looks at the workspace only, when it is a folder of a repository", async () => {
    const root = await scratchRepository({ "app/a.txt": "a\n", "lib/b.txt": "b\n", ".gitignore": "*.log\n" })
    const { files, patch } = await changesOf(join(root, "app"), () =>
      writeFiles(root, { "app/a.txt": "A\n", "lib/b.txt": "B\n", "app/x.log": "ignored" }),
    )
    expect(files).toEqual([{ path: "a.txt", added: 1, removed: 1 }])
    expect(patch).toContain("--- a/a.txt\n+++ b/a.txt\n")
  })

  it("sees a workspace that the repository around it ignores, and one in a linked work tree", async () => {
    const root = await scratchRepository({ ".gitignore": "scratch/\n", "scratch/a.txt": "a\n" })
    const inScratch = await changesOf(join(root, "scratch"), () => writeFiles(root, { "scratch/a.txt": "A\n" }))
    expect(inScratch.files).toEqual([{ path: "a.txt", added: 1, removed: 1 }])
    git(root, "worktree", "add", "--quiet", "scratch/tree")
    const tree = join(root, "scratch/tree")
    const inTree = await changesOf(tree, () => writeFiles(tree, { "b.txt": "b\n" }))
    expect(inTree.files).toEqual([{ path: "b.txt", added: 1, removed: 0 }])
  })

  it("leaves out the output files of the run and its own temporary folder", async () => {
    const workspace = await scratchRepository({ "out/[old].json": "{}" })
    const outputs = ["out/[old].json", "out/transcript.jsonl"]
    const files = { "out/[old].json": "1", "out/transcript.jsonl": "2", "out/o.json": "3\n" }
    const alias = join(await scratchFolder(), "alias")
    await symlink(workspace, alias)
    const result = await changesOf(alias, () => writeFiles(workspace, files), {
      exclude: outputs.map((name) => join(alias, name)),
      env: { TMPDIR: workspace },
    })
    expect(result.files).toEqual([{ path: "out/o.json", added: 1, removed: 0 }])
  })

  it("copes with nested repositories, submodules, links, FIFOs and modes", async () => {
    const workspace = await scratchRepository({ "run.sh": "echo\n" })
    const module = await scratchRepository({ "m.txt": "m\n" })
    git(workspace, "-c", "protocol.file.allow=always", "submodule", "add", "--quiet", module, "module")
    git(workspace, "commit", "--quiet", "--message", "with a submodule")
    for (const name of ["nested", "unborn"]) {
      await mkdir(join(workspace, name))
      git(join(workspace, name), "init", "--quiet")
    }
    git(join(workspace, "nested"), "commit", "--quiet", "--allow-empty", "--message", "first")
    const { files, warning } = await changesOf(workspace, async () => {
      await writeFiles(workspace, { "module/m.txt": "M\n", "nested/n.txt": "n\n", "unborn/u.txt": "u\n" })
      await symlink("/etc/passwd", join(workspace, "link"))
      execFileSync("/usr/bin/mkfifo", [join(workspace, "fifo")])
      await chmod(join(workspace, "run.sh"), 0o755)
    })
    expect(warning).toBeNull()
    expect(files).toEqual([
      { path: "link", added: 1, removed: 0 },
      { path: "run.sh", added: 0, removed: 0 },
    ])
  })

  it("makes a patch that applies for text that is not UTF-8", async () => {
    const latin = (text: string) => Buffer.from(text, "latin1")
    const workspace = await scratchRepository({ "a.txt": latin("caf\xe9\n") })
    const { patch } = await changesOf(workspace, () => writeFiles(workspace, { "a.txt": latin("th\xe9\n") }))
    const other = await scratchRepository({ "a.txt": latin("caf\xe9\n") })
    await writeFiles(other, { ".git/patch": patch })
    git(other, "apply", ".git/patch")
    expect(await readFile(join(other, "a.txt"))).toEqual(latin("th\xe9\n"))
  })

  it("starts from nothing where the index of the repository cannot be taken over", async () => {
    const workspace = await scratchRepository(before)
    await writeFiles(workspace, { ".git/index": "damaged" })
    const { files, warning } = await changesOf(workspace, () => change(workspace))
    expect({ files, warning }).toEqual({ files: changed, warning: null })
  })
})

describe("what cannot be listed", () => {
  it("is a warning without git, and a git inside the workspace is not run", async () => {
    const workspace = await scratchFolder({ "bin/git": "#!/bin/sh\ntouch PWNED\n" })
    await chmod(join(workspace, "bin/git"), 0o755)
    const result = await changesOf(workspace, async () => {}, { env: { PATH: join(workspace, "bin") } })
    expect(result).toEqual({
      files: [],
      patch: "",
      warning: "The changed files are not listed: git was not found on the PATH",
      leftBehind: [],
    })
    await expect(stat(join(workspace, "PWNED"))).rejects.toThrow("ENOENT")
  })

  it("is a warning when time is up or the run is stopped", async () => {
    const workspace = await scratchRepository(before)
    const warning = "The changed files are not listed: it took too long or the run was stopped"
    const expected = { files: [], patch: "", warning, leftBehind: [] }
    expect(await changesOf(workspace, () => change(workspace), { timeoutMs: 0 })).toEqual(expected)
    const run = new AbortController()
    expect(await changesOf(workspace, async () => run.abort(), { signal: run.signal })).toEqual(expected)
  })

  it("is a warning when the patch is too large; the list stays", async () => {
    const workspace = await scratchFolder(before)
    const { files, patch, warning } = await changesOf(workspace, () => change(workspace), { maxPatchBytes: 100 })
    expect({ files, patch }).toEqual({ files: changed, patch: "" })
    expect(warning).toMatch(/larger than 100 bytes/)
  })
})
