import { describe, expect, it } from "vitest"
import { UserError } from "../../src/contract/user-error.ts"
import { createPolicy } from "../../src/permissions/policy.ts"
import { settingsOf } from "./sample-tools.ts"

describe("an allow that reaches too far", () => {
  it.each(
    `
    * ** m* mcp__* mcp__** {*,x} {x,*} +(*) *(*) @(*) @(mcp)__** ?cp__* ??p__* [m]* [a-z]* [!B]* [^B]* !(Bash) !(x) *__*
    mcp__*__* mcp__?*__x mcp__{*,fs}__* mcp__{fs,*}__read mcp__!(fs)__* mcp__[a-z]*__* mcp__[a-m]*__* mcp__g* mcp__github*
    mcp__git*__* *hub__* mcp__*hub__x mcp__*__get_* mcp__*__{get,list}_* {mcp__*__{a,b}_z,x} mcp__*__[gr]et_* ?cp__*__get_*
    mcp__*__get_*_by_id *_issue *read* {Read,mcp__*} @(Read|mcp__*) mcp_?* mc* m*__* mcp__git?__* mcp__?__x *x *__x?
    {mcp,x}__*__y ?(mcp)__*
    `
      .trim()
      .split(/\s+/),
  )("T15 %s needs broad, however it is spelled", (glob) => {
    const refused = refusalOf([{ tool: glob, broad: false }])
    expect(refused?.code).toBe("config_error")
    expect(refused?.where).toBe("agent.toml:7")
    expect(refused?.hint).toContain("broad = true")
    expect(refusalOf([{ tool: glob, broad: true }])).toBeNull()
  })

  it.each(
    `
    mcp__fs__* mcp__fs__** mcp__fs__{a,b}* mcp__fs__!(rm) mcp__my-srv__* mcp__my__srv__* mcp__{fs,git}__* mcp__@(fs|git)__read
    mcp__fs__read Read {Read,Grep} Re* [RW]* ReadMcp* custom_* mcp_tool_* constructor
    `
      .trim()
      .split(/\s+/),
  )("T15 %s names its servers and needs no broad", (glob) => {
    expect(refusalOf([{ tool: glob, broad: false }])).toBeNull()
  })

  it.each<Wish>([
    { tool: "Bash" },
    { tool: "B*" },
    { tool: "{Bash,Read}" },
    { tool: "Bash", args: { command: "git *" } },
    { tool: "Bash", commands: ["git status", "*"] },
    { tool: "Bash", commands: [" * "] },
    { tool: "*", args: { repo: "acme/*" } },
    { tool: "mcp__*", args: { repo: "acme/*" } },
  ])("T15 $tool without telling commands needs broad", (rule) => {
    expect(refusalOf([{ ...rule, broad: false }])?.hint).toContain("broad = true")
    expect(refusalOf([{ ...rule, broad: true }])).toBeNull()
  })

  it("T15 only an allow can reach too far", () => {
    expect(createPolicy(settingsOf(["deny *", "ask mcp__*", "deny Bash", "ask Bash"]))).toBeDefined()
  })

  it.each([
    ["", "it is empty"],
    ["mcp__[x", "Missing closing"],
    ["mcp__{a", "Missing closing"],
    ["mcp__@(a", "Missing closing"],
    ["mcp__[z-a]", "Invalid regular expression"],
    ["a|b", "alternatives are written"],
    ["{a,b}|c", "alternatives are written"],
    ["(a|b)", "a group needs one of"],
    ["@(?x)", 'a "?" cannot follow'],
    ["+(a|aa)x", "a repeated group"],
    ["+(a*)x", "a repeated group"],
    ["*(+(a))x", "a repeated group"],
    ["@(a)+x", 'a "+" cannot follow'],
    ["a\\", "it ends in a backslash"],
  ])("T15 the glob %j is refused: %s", (glob, fault) => {
    const refused = refusalOf([{ tool: glob, broad: true }])
    expect(refused?.message).toContain(`agent.toml:7 the glob ${JSON.stringify(glob)} cannot be used: ${fault}`)
    expect(refusalOf([{ tool: "x", args: { a: glob } }])?.message).toContain(fault)
    expect(refusalOf([{ tool: "Read", paths: [glob] }])?.message).toContain(fault)
  })

  it.each(["", "a; b", "a && b", "git $x", "git * x", "npm run test:*", "a > b", "A=1 b", "(a)", "time *", "'a"])(
    "T15 the command %j is refused, because it is not one command of literal words",
    (command) => {
      expect(refusalOf([{ tool: "Bash", commands: [command] }])?.message).toContain(
        "is not one command of literal words",
      )
    },
  )

  it.each([
    [{ tool: "Bash", commands: [] }, "would never match"],
    [{ tool: "Read", paths: [] }, "would never match"],
    [{ tool: "mcp__sh__run", commands: ["git status"] }, "for Bash only"],
    [{ tool: "mcp__fs__*", paths: ["docs/**"] }, "not for MCP tools"],
  ])("T15 %j is refused: it %s", (rule, fault) => {
    expect(refusalOf([rule])?.message).toContain(fault)
  })
})

interface Wish {
  readonly tool: string
  readonly broad?: boolean
  readonly args?: Record<string, string>
  readonly commands?: readonly string[]
  readonly paths?: readonly string[]
}

function refusalOf(rules: readonly Wish[]): UserError | null {
  try {
    createPolicy(settingsOf(rules.map((rule) => ({ broad: false, ...rule, action: "allow", source: "agent.toml:7" }))))
    return null
  } catch (error) {
    if (error instanceof UserError) return error
    throw error
  }
}
