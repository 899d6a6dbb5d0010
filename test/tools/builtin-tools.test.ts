import { describe, expect, it } from "vitest"
import { createBuiltinTools } from "../../src/tools/builtin-tools.ts"
import { scratchFolder } from "../support/scratch-folder.ts"
import { toolsetIn } from "./toolset.ts"

describe("createBuiltinTools", () => {
  it("S2.3 offers the six tools in a fixed order, marked as built-in, with hints for the reading ones only", async () => {
    const { tools } = toolsetIn(await scratchFolder())
    const none = { readOnly: false, destructive: false, idempotent: false }
    const reads = { ...none, readOnly: true }
    expect(tools.map(({ name, hints, origin }) => [name, hints, origin.kind])).toEqual([
      ["Read", reads, "builtin"],
      ["Write", none, "builtin"],
      ["Edit", none, "builtin"],
      ["Glob", reads, "builtin"],
      ["Grep", reads, "builtin"],
      ["Bash", none, "builtin"],
    ])
  })

  it("gives only the tools that the settings name", async () => {
    const { workspace } = toolsetIn(await scratchFolder())
    const settings = {
      builtin: ["Grep", "Read", "Nope"],
      agent: false,
      bash: { timeoutMs: 1, env: {} },
      maxResultChars: 1000,
      custom: [],
    }
    const tools = createBuiltinTools({ workspace, settings, path: "", leavesOut: () => null, sandbox: null })
    expect(tools.map(({ name }) => name)).toEqual(["Read", "Grep"])
  })

  it("keeps the six definitions small: they are paid for in every turn", async () => {
    const { tools } = toolsetIn(await scratchFolder())
    const definitions = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
    expect(Buffer.byteLength(JSON.stringify(definitions))).toBeLessThanOrEqual(2400)
  })

  it("says which paths and commands a call is about", async () => {
    const root = await scratchFolder({ "src/a.ts": "" })
    const { tool } = toolsetIn(root)
    const inside = (path: string) => ({ kind: "path", path, inside: true })
    const outside = (path: string) => ({ kind: "path", path, inside: false })
    const subjects = [
      tool("Read").subjects({ file_path: "src/a.ts" }),
      tool("Write").subjects({ file_path: `${root}/new/b.ts`, content: "" }),
      tool("Edit").subjects({ file_path: "/etc/hostname" }),
      tool("Glob").subjects({ pattern: "**/*.ts" }),
      tool("Glob").subjects({ pattern: "*.ts", path: "src" }),
      tool("Glob").subjects({ pattern: "../*.ts", path: "src" }),
      tool("Glob").subjects({ pattern: "/etc/*" }),
      tool("Grep").subjects({ pattern: "x" }),
      tool("Grep").subjects({ pattern: "x", path: "/etc" }),
      tool("Bash").subjects({ command: "git status" }),
    ]
    expect(subjects).toEqual([
      [inside("src/a.ts")],
      [inside("new/b.ts")],
      [outside(expect.stringMatching(/^\/.*hostname$/))],
      [inside(".")],
      [inside("src")],
      [inside("src"), inside(".")],
      [inside("."), outside(expect.stringMatching(/etc$/))],
      [inside(".")],
      [outside(expect.stringMatching(/etc$/))],
      [{ kind: "command", line: "git status" }],
    ])
  })

  it("answers calls with missing or wrong arguments without touching anything", async () => {
    const { tools, call } = toolsetIn(await scratchFolder())
    for (const { name } of tools) {
      for (const input of [{}, { file_path: 1, pattern: 1, command: 1 }, { file_path: null }]) {
        expect(await call(name, input)).toMatchObject({ isError: true, errorCode: "invalid_input" })
      }
    }
  })
})
