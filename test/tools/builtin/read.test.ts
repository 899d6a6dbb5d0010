import { execFileSync } from "node:child_process"
import { truncate } from "node:fs/promises"
import { createServer } from "node:net"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { scratchFolder } from "../../support/scratch-folder.ts"
import { textOfResult, toolsetIn } from "../toolset.ts"

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join("\n")

async function read(files: Record<string, string | Uint8Array>, input: Record<string, unknown> = {}) {
  const { call } = toolsetIn(await scratchFolder(files))
  return textOfResult(await call("Read", { file_path: Object.keys(files)[0], ...input }))
}

describe("Read", () => {
  it("shows lines with their numbers, whatever ends them", async () => {
    expect(await read({ "a.txt": "one\ntwo\n" })).toBe("     1\tone\n     2\ttwo")
    expect(await read({ "a.txt": "one\r\ntwo" })).toBe("     1\tone\n     2\ttwo")
    expect(await read({ "a.txt": "\ufeffone\n\n" })).toBe("     1\tone\n     2\t")
  })

  it("reads a page of a file and says how to go on", async () => {
    const file = { "a.txt": numbered(9) }
    expect(await read(file, { offset: 3, limit: 2 })).toBe(
      "     3\tline 3\n     4\tline 4\n[more lines follow: go on with offset 5]",
    )
    expect(await read(file, { offset: 8, limit: 2 })).toBe("     8\tline 8\n     9\tline 9")
    expect(await read(file, { offset: 10 })).toBe("a.txt has 9 lines, none from 10 on.")
  })

  it("stops after 2,000 lines, cuts long lines, and ends a page before the result is too long", async () => {
    expect(await read({ "a.txt": "x\n".repeat(2001) })).toMatch(/ {2}2000\tx\n\[more lines .* offset 2001\]$/)
    const [first, second] = (await read({ "a.txt": `${"😀".repeat(3000)}\nnext` })).split("\n")
    expect(first).toBe(`     1\t${"😀".repeat(1000)}… [line cut]`)
    expect(second).toBe("     2\tnext")
    const page = await read({ "a.txt": `${"y".repeat(1500)}\n`.repeat(100) })
    expect(page).toMatch(/\[more lines follow: go on with offset 19\]$/)
    expect(page.length).toBeLessThan(30_000)
  })

  it("says what an empty file, a binary file, a folder and a missing file are", async () => {
    expect(await read({ "a.txt": "" })).toBe("a.txt is empty.")
    expect(await read({ "a.bin": "ab\0cd" })).toBe("a.bin is a binary file of 5 bytes.")
    const { call } = toolsetIn(await scratchFolder({ "src/a.ts": "" }))
    expect(textOfResult(await call("Read", { file_path: "src" }))).toBe(
      "tool_error: src is a folder; use Glob to list it.",
    )
    expect(textOfResult(await call("Read", { file_path: "b.ts" }))).toBe("tool_error: b.ts does not exist.")
  })

  it("F55 gives valid text for bytes that are none", async () => {
    expect(await read({ "a.txt": Buffer.from([0x61, 0xff, 0xc3, 0x0a, 0x62]) })).toBe(
      "     1\ta\ufffd\ufffd\n     2\tb",
    )
  })

  it.each([
    ["image/png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
    ["image/jpeg", [0xff, 0xd8, 0xff, 0xe0]],
    ["image/gif", [...Buffer.from("GIF89a")]],
    ["image/webp", [...Buffer.from("RIFF\0\0\0\nWEBPVP8 ", "latin1")]],
  ])("gives %s as an image, by its contents", async (mediaType, bytes) => {
    const { call } = toolsetIn(await scratchFolder({ picture: Buffer.from(bytes) }))
    expect(await call("Read", { file_path: "picture" })).toEqual({
      content: [{ type: "image", mediaType, data: Buffer.from(bytes).toString("base64") }],
      isError: false,
    })
  })

  it("does not send an image that the API would refuse", async () => {
    const root = await scratchFolder({ "a.gif": "GIF89a" })
    await truncate(join(root, "a.gif"), 6 * 1024 * 1024)
    expect(textOfResult(await toolsetIn(root).call("Read", { file_path: "a.gif" }))).toMatch(/^tool_error: .* 6291456/)
  })

  it("F56 refuses a FIFO, a socket and a device without waiting for them", async () => {
    const root = await scratchFolder()
    execFileSync("/usr/bin/mkfifo", [join(root, "fifo")])
    const server = createServer().listen(join(root, "socket"))
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once("listening", resolve))
    const { call } = toolsetIn(root)
    for (const name of ["fifo", "socket"]) {
      const refusal = `tool_error: Refused: ${name} is no regular file.`
      expect(textOfResult(await call("Read", { file_path: name }))).toBe(refusal)
      expect(textOfResult(await call("Write", { file_path: name, content: "x" }))).toBe(refusal)
      expect(textOfResult(await call("Edit", { file_path: name, old_string: "a", new_string: "b" }))).toBe(refusal)
      expect(textOfResult(await call("Grep", { pattern: "x", path: name }))).toBe(refusal)
    }
    expect(textOfResult(await call("Read", { file_path: "/dev/zero" }))).toMatch(/^tool_error: Refused/)
  })

  it("F57 takes from a file of 2 GB only what was asked for", async () => {
    const root = await scratchFolder({ "big.txt": `${numbered(5000)}\n` })
    await truncate(join(root, "big.txt"), 2 * 1024 ** 3)
    const { call } = toolsetIn(root)
    const before = process.memoryUsage().rss
    const page = textOfResult(await call("Read", { file_path: "big.txt", offset: 4000, limit: 1 }))
    expect(page).toBe("  4000\tline 4000\n[more lines follow: go on with offset 4001]")
    const end = textOfResult(await call("Read", { file_path: "big.txt", offset: 5002 }))
    expect(end).toBe("[stopped after 5000 lines: the file is too large to read on]")
    const edit = { file_path: "big.txt", old_string: "line 1\n", new_string: "" }
    expect(textOfResult(await call("Edit", edit))).toMatch(/^tool_error: big.txt has 2147483648 bytes/)
    expect(textOfResult(await call("Grep", { pattern: "line", path: "big.txt" }))).toMatch(/too large to search/)
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 ** 2)
  })
})
