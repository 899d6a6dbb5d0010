import { chmod, link, readdir, readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { scratchFolder } from "../../support/scratch-folder.ts"
import { textOfResult, toolsetIn } from "../toolset.ts"

async function edit(before: string | Uint8Array, input: Record<string, unknown>) {
  const root = await scratchFolder({ "a.txt": before })
  const result = await toolsetIn(root).call("Edit", { file_path: "a.txt", ...input })
  return [textOfResult(result), await readFile(join(root, "a.txt"), "utf8")]
}

describe("Write", () => {
  it("creates a file with its folders, then replaces it, and leaves nothing else behind", async () => {
    const root = await scratchFolder()
    const { call } = toolsetIn(root)
    const write = async (content: string) => textOfResult(await call("Write", { file_path: "a/b/c.txt", content }))
    expect(await write("one\ntwo\n")).toBe("Created a/b/c.txt (2 lines).")
    expect(await write("one")).toBe("Updated a/b/c.txt (1 line).")
    expect(await write("")).toBe("Updated a/b/c.txt (0 lines).")
    expect(await readdir(root, { recursive: true })).toEqual(["a", "a/b", "a/b/c.txt"])
  })

  it("keeps the mode of a file, and does not write through a second name of it", async () => {
    const root = await scratchFolder({ "run.sh": "old" })
    await chmod(join(root, "run.sh"), 0o755)
    await link(join(root, "run.sh"), join(root, "other-name"))
    await toolsetIn(root).call("Write", { file_path: "run.sh", content: "new" })
    expect((await stat(join(root, "run.sh"))).mode & 0o777).toBe(0o755)
    expect(await readFile(join(root, "other-name"), "utf8")).toBe("old")
  })

  it("does not replace a folder", async () => {
    const { call } = toolsetIn(await scratchFolder({ "src/a.ts": "" }))
    expect(textOfResult(await call("Write", { file_path: "src", content: "x" }))).toBe("tool_error: src is a folder.")
  })
})

describe("Edit", () => {
  it("replaces the one place that matches, taking both texts literally", async () => {
    const input = { old_string: "b.*", new_string: "$& $1 $$" }
    expect(await edit("a b.* c", input)).toEqual(["Edited a.txt (1 replacement).", "a $& $1 $$ c"])
  })

  it("replaces every place only when told to", async () => {
    const input = { old_string: "a", new_string: "b" }
    expect(await edit("a a a", { ...input, replace_all: true })).toEqual(["Edited a.txt (3 replacements).", "b b b"])
    const [message, after] = await edit("a a a", input)
    expect(message).toMatch(/^tool_error: old_string occurs 3 times in a.txt\. .*replace_all\.$/)
    expect(after).toBe("a a a")
  })

  it.each([
    [{ old_string: "zzz", new_string: "b" }, /was not found in a\.txt.*without line numbers/],
    [{ old_string: "a", new_string: "a" }, /are the same/],
    [{ old_string: "", new_string: "a" }, /old_string is empty; use Write/],
  ])("says why %j changes nothing", async (input, problem) => {
    expect(await edit("a", input)).toEqual([expect.stringMatching(problem), "a"])
  })

  it("keeps CRLF, a byte order mark and the mode", async () => {
    const input = { old_string: "one\ntwo", new_string: "1\n2\n3" }
    expect((await edit("\ufeffone\r\ntwo\r\n", input))[1]).toBe("\ufeff1\r\n2\r\n3\r\n")
    expect((await edit("one\ntwo\r\n", input))[1]).toBe("1\n2\n3\r\n")
    const root = await scratchFolder({ "run.sh": "old" })
    await chmod(join(root, "run.sh"), 0o750)
    await toolsetIn(root).call("Edit", { file_path: "run.sh", old_string: "old", new_string: "new" })
    expect((await stat(join(root, "run.sh"))).mode & 0o777).toBe(0o750)
  })

  it("F55 does not damage a file that is not UTF-8", async () => {
    const [message] = await edit(Buffer.from([0x61, 0xff, 0x62]), { old_string: "a", new_string: "b" })
    expect(message).toMatch(/not UTF-8/)
  })
})
