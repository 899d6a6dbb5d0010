import { mkdir, readdir, readFile, rename, symlink } from "node:fs/promises"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { UserError } from "../../src/contract/user-error.ts"
import { findWriteTarget, replaceFile } from "../../src/tools/replace-file.ts"
import { createWorkspace } from "../../src/tools/workspace.ts"
import { scratchFolder } from "../support/scratch-folder.ts"
import { textOfResult, toolsetIn } from "./toolset.ts"

type Links = Readonly<Record<string, string>>

/** `ws` is the workspace; `BASE` stands for the folder around it. */
async function layout(links: Links = {}) {
  const base = await scratchFolder({
    "ws/file.txt": "inside",
    "ws/sub/other.txt": "inside",
    "outside/secret.txt": "CANARY",
    "ws-evil/secret.txt": "CANARY",
  })
  const toReal = (path: string) => path.replaceAll("BASE", base)
  for (const [link, target] of Object.entries(links)) {
    await mkdir(dirname(join(base, "ws", link)), { recursive: true })
    await symlink(toReal(target), join(base, "ws", link))
  }
  return { base, toReal, root: join(base, "ws"), ...toolsetIn(join(base, "ws")) }
}

async function contentsOutside(base: string) {
  const folders = ["outside", "ws-evil"]
  return Promise.all(
    folders.map(async (folder) => {
      const names = await readdir(join(base, folder), { recursive: true })
      return [names, await readFile(join(base, folder, "secret.txt"), "utf8")]
    }),
  )
}

const escapes: readonly (readonly [path: string, links: Links])[] = [
  ["../outside/secret.txt", {}],
  ["BASE/outside/secret.txt", {}],
  ["/BASE/outside/secret.txt", {}],
  ["../ws-evil/secret.txt", {}],
  ["BASE/ws-evil/secret.txt", {}],
  ["BASE/ws-evil/new.txt", {}],
  ["sub/../../outside/secret.txt", {}],
  ["../ws/../outside/secret.txt", {}],
  ["./././../outside/new.txt", {}],
  ["absent/../../outside/secret.txt", {}],
  ["link", { link: "BASE/outside/secret.txt" }],
  ["link", { link: "../outside/secret.txt" }],
  ["link", { link: "BASE/ws-evil/secret.txt" }],
  ["link", { link: "sub/../../outside/secret.txt" }],
  ["sub/link", { "sub/link": "../../outside/secret.txt" }],
  ["folder/secret.txt", { folder: "../outside" }],
  ["folder/new.txt", { folder: "BASE/outside" }],
  ["folder/deep/new.txt", { folder: "BASE/outside" }],
  ["folder/secret.txt", { folder: "BASE/ws-evil" }],
  ["up/outside/secret.txt", { up: ".." }],
  ["top/BASE/outside/secret.txt", { top: "/" }],
  ["top/BASE/outside/secret.txt", { top: "/proc/self/root" }],
  ["one", { one: "two", two: "three", three: "../outside/secret.txt" }],
  ["one/secret.txt", { one: "two", two: "sub/three", "sub/three": "../../outside" }],
  ["dangling", { dangling: "BASE/outside/absent.txt" }],
  ["dangling", { dangling: "../outside/absent/absent.txt" }],
  ["one", { one: "two", two: "../outside/absent.txt" }],
  ["dangling/new.txt", { dangling: "../outside/absent" }],
  ["dangling", { dangling: "sub/../../outside/absent.txt" }],
  ["loop", { loop: "loop" }],
  ["one", { one: "two", two: "one" }],
  ["loop/new.txt", { loop: "loop/deeper" }],
  ["file.txt\0.png", {}],
  ["x".repeat(300), {}],
  ["file.txt/new.txt", {}],
  ["", {}],
  ["..", {}],
  ["/", {}],
]

describe("the workspace", () => {
  it.each(escapes)("T12 nothing outside is read or written through %j with %j", async (path, links) => {
    const { base, toReal, call } = await layout(links)
    const before = await contentsOutside(base)
    const file_path = toReal(path)
    const results = [
      await call("Read", { file_path }),
      await call("Write", { file_path, content: "changed" }),
      await call("Edit", { file_path, old_string: "CANARY", new_string: "changed" }),
    ]
    for (const result of results) {
      expect(result).toMatchObject({ isError: true, errorCode: "tool_error" })
      expect(textOfResult(result)).not.toContain("CANARY")
    }
    expect(await contentsOutside(base)).toEqual(before)
  })

  it.each<readonly [path: string, links: Links, real: string]>([
    ["new.txt", {}, "new.txt"],
    ["./sub/../new.txt", {}, "new.txt"],
    ["a/b/c/new.txt", {}, "a/b/c/new.txt"],
    ["..new/..txt", {}, "..new/..txt"],
    ["BASE/ws/new.txt", {}, "new.txt"],
    ["link", { link: "file.txt" }, "file.txt"],
    ["link", { link: "BASE/ws/sub/other.txt" }, "sub/other.txt"],
    ["dangling", { dangling: "sub/new.txt" }, "sub/new.txt"],
    ["folder/new.txt", { folder: "sub" }, "sub/new.txt"],
    ["folder/../new.txt", { folder: "../outside" }, "new.txt"],
  ])("T12 %j with %j is written at its real place inside", async (path, links, real) => {
    const { root, toReal, call, workspace } = await layout(links)
    expect(workspace.subject(toReal(path))).toEqual({ kind: "path", path: real, inside: true })
    const result = await call("Write", { file_path: toReal(path), content: "written\n" })
    expect(textOfResult(result)).toMatch(/^(Created|Updated) .* \(1 line\)\.$/)
    expect(await readFile(join(root, real), "utf8")).toBe("written\n")
  })

  it("T12 a parent that becomes a link in the middle of a call is noticed", async () => {
    const { base, root, workspace } = await layout()
    const before = await contentsOutside(base)
    for (const name of ["sub/other.txt", "sub/new.txt"]) {
      const target = await findWriteTarget(workspace, name)
      await rename(join(root, "sub"), join(root, "moved"))
      await symlink("../outside", join(root, "sub"))
      await expect(replaceFile(workspace, target, "changed")).rejects.toThrow("changed its place")
      await rename(join(root, "sub"), join(root, `link-${name.length}`))
      await rename(join(root, "moved"), join(root, "sub"))
    }
    expect(await contentsOutside(base)).toEqual(before)
  })

  it("T12 a file that becomes a link in the middle of a call is noticed", async () => {
    const { base, root, workspace } = await layout()
    const before = await contentsOutside(base)
    const target = await findWriteTarget(workspace, "file.txt")
    await rename(join(root, "file.txt"), join(root, "moved"))
    await symlink("../outside/secret.txt", join(root, "file.txt"))
    await expect(replaceFile(workspace, target, "changed")).rejects.toThrow("changed its place")
    expect(await contentsOutside(base)).toEqual(before)
    expect((await readdir(root)).sort()).toEqual(["file.txt", "moved", "sub"])
  })

  it("T12 a workspace that is itself named through a link is its real folder", async () => {
    const { base, root } = await layout()
    await symlink("ws", join(base, "alias"))
    const workspace = createWorkspace(join(base, "alias"), { protectedFiles: [], home: "/nonexistent-home" })
    expect(workspace.resolve(join(base, "alias/sub/new.txt"))).toEqual({
      absolute: join(root, "sub/new.txt"),
      relative: "sub/new.txt",
      inside: true,
    })
    expect(workspace.resolve(base)).toEqual({ absolute: base, relative: base, inside: false })
  })

  it("is refused when it does not exist", () => {
    expect(() => createWorkspace("/absent-workspace", { protectedFiles: [], home: "/" })).toThrow(UserError)
  })
})
