import { describe, expect, it } from "vitest"
import type { Rule } from "../../src/contract/decision.ts"
import type { ToolOrigin } from "../../src/contract/tool.ts"
import { UserError } from "../../src/contract/user-error.ts"
import { defineTool } from "../../src/tools/define-tool.ts"
import { createToolbox } from "../../src/tools/toolbox.ts"
import { scratchFolder } from "../support/scratch-folder.ts"
import { toolsetIn } from "./toolset.ts"

function tool(name: string, origin: ToolOrigin = { kind: "custom" }) {
  return defineTool({ name, description: name, inputSchema: { type: "object" }, origin, execute: async () => "done" })
}

const builtin = { kind: "builtin" } as const
const server = { kind: "mcp", server: "s", tool: "t" } as const
const hideNothing = () => null

describe("createToolbox", () => {
  it("S2.3 offers built-in tools first, in a fixed order, then the rest by name, however they were given", async () => {
    const { tools } = toolsetIn(await scratchFolder())
    const others = [
      tool("mcp__s__b", server),
      tool("zeta"),
      tool("mcp__s__B", server),
      tool("ListMcpResources", builtin),
    ]
    const order = "Read Write Edit Glob Grep Bash ListMcpResources mcp__s__B mcp__s__b zeta".split(" ")
    for (const given of [
      [...tools, ...others],
      [...others, ...tools.toReversed()],
    ]) {
      const toolbox = createToolbox(given, hideNothing)
      expect(toolbox.tools.map(({ name }) => name)).toEqual(order)
      expect(toolbox.definitions.map(({ name }) => name)).toEqual(order)
    }
  })

  it("shows the model name, description and schema only", () => {
    const toolbox = createToolbox([tool("a")], hideNothing)
    expect(toolbox.definitions).toEqual([{ name: "a", description: "a", inputSchema: { type: "object" } }])
  })

  it("does not find a hidden tool, but knows the rule that hides it", () => {
    const rule: Rule = { tool: "b", action: "deny", broad: false, source: "agent.toml:3" }
    const toolbox = createToolbox([tool("a"), tool("b")], (candidate) => (candidate.name === "b" ? rule : null))
    expect(toolbox.definitions.map(({ name }) => name)).toEqual(["a"])
    expect([toolbox.find("b"), toolbox.hiddenBy("b"), toolbox.hiddenBy("a")]).toEqual([null, rule, null])
  })

  it("takes names of the prototype as plain names", () => {
    const toolbox = createToolbox([tool("constructor")], hideNothing)
    expect(toolbox.find("constructor")?.name).toBe("constructor")
    expect(["toString", "__proto__", "hasOwnProperty"].map(toolbox.find)).toEqual([null, null, null])
    expect(toolbox.hiddenBy("__proto__")).toBeNull()
  })

  it("refuses two tools of one name", () => {
    expect(() => createToolbox([tool("Read", builtin), tool("Read")], hideNothing)).toThrow(UserError)
  })

  it("S4.22 puts tools that come later at the end, where they stay, and a tool that returns into its old place", () => {
    const toolbox = createToolbox(
      ["b", "d"].map((name) => tool(name)),
      hideNothing,
    )
    const offered = (...names: readonly string[]) => {
      toolbox.update(
        names.map((name) => tool(name)),
        [],
      )
      return toolbox.definitions.map(({ name }) => name)
    }
    expect(offered("c", "b", "a", "d")).toEqual(["b", "d", "a", "c"])
    expect(offered("c", "d")).toEqual(["d", "c"])
    expect(offered("A", "b", "c", "d")).toEqual(["b", "d", "c", "A"])
  })

  it("S4.22 hides new tools by the same rules, and still finds those that are absent", () => {
    const rule: Rule = { tool: "x*", action: "deny", broad: false, source: "agent.toml:3" }
    const toolbox = createToolbox([tool("a"), tool("x1")], ({ name }) => (name.startsWith("x") ? rule : null))
    expect(toolbox.update([tool("b"), tool("x2")], [tool("a"), tool("x1")])).toEqual([])
    expect(toolbox.tools.map(({ name }) => name)).toEqual(["b"])
    expect(["a", "b", "x1", "x2", "c"].map((name) => toolbox.find(name)?.name ?? null)).toEqual([
      "a",
      "b",
      null,
      null,
      null,
    ])
    expect([toolbox.hiddenBy("x1"), toolbox.hiddenBy("x2"), toolbox.hiddenBy("a")]).toEqual([rule, rule, null])
  })

  it("leaves out a new tool with the name of another, and names it", () => {
    const own = tool("mcp__s__b")
    const toolbox = createToolbox([own], hideNothing)
    expect(toolbox.update([own, tool("mcp__s__b", server), tool("c")], [])).toEqual(["mcp__s__b"])
    expect(toolbox.find("mcp__s__b")).toBe(own)
  })
})
