import { chmod, stat } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { scratchFolder, writeFiles } from "../support/scratch-folder.ts"
import { changesOf, git, scratchRepository } from "./repository.ts"

/** Everything in a repository's configuration that git may run while it adds and compares files. */
async function arm(repository: string, trap: string): Promise<void> {
  const settings = {
    "core.fsmonitor": trap,
    "core.hooksPath": join(repository, ".git/hooks"),
    "filter.evil.clean": trap,
    "filter.evil.smudge": trap,
    "filter.evil.process": trap,
    "filter.evil.required": "true",
    "diff.evil.textconv": trap,
    "diff.evil.command": trap,
    "diff.external": trap,
    "core.pager": trap,
    "core.editor": trap,
    "core.sshCommand": trap,
    "core.askPass": trap,
    "gpg.program": trap,
    "alias.add": `!${trap}`,
  }
  for (const [key, value] of Object.entries(settings)) git(repository, "config", key, value)
  const hooks = ["post-index-change", "pre-commit", "reference-transaction", "post-checkout", "fsmonitor-watchman"]
  for (const hook of hooks) {
    await writeFiles(repository, { [`.git/hooks/${hook}`]: `#!/bin/sh\nexec ${trap}\n` })
    await chmod(join(repository, ".git/hooks", hook), 0o755)
  }
}

describe("a hostile repository", () => {
  it("T16 runs no hook, filter, driver or fsmonitor while changes are listed, also in nested repositories", async () => {
    const traps = await scratchFolder({})
    await writeFiles(traps, { trap: `#!/bin/sh\ntouch ${traps}/PWNED\n` })
    await chmod(join(traps, "trap"), 0o755)
    const attributes = "* filter=evil diff=evil\n"
    const workspace = await scratchRepository({ ".gitattributes": attributes, "a.txt": "a\n" })
    await writeFiles(workspace, { "nested/.gitattributes": attributes, "nested/n.txt": "n\n" })
    git(join(workspace, "nested"), "init", "--quiet")
    git(join(workspace, "nested"), "add", "--all")
    git(join(workspace, "nested"), "commit", "--quiet", "--message", "first")
    git(workspace, "add", "nested")
    git(workspace, "commit", "--quiet", "--message", "with a nested repository")
    await arm(join(workspace, "nested"), join(traps, "trap"))
    await arm(workspace, join(traps, "trap"))
    const { files, warning } = await changesOf(workspace, () =>
      writeFiles(workspace, { "a.txt": "A\n", "b.txt": "b\n", "nested/n.txt": "N\n" }),
    )
    expect({ files, warning }).toEqual({
      files: [
        { path: "a.txt", added: 1, removed: 1 },
        { path: "b.txt", added: 1, removed: 0 },
      ],
      warning: null,
    })
    await expect(stat(join(traps, "PWNED"))).rejects.toThrow("ENOENT")

    expect(() => git(workspace, "status")).toThrow("git status")
    await expect(stat(join(traps, "PWNED")), "the trap is armed").resolves.toBeDefined()
  })
})
