import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import type { Tool, ToolHints } from "../../src/contract/tool.ts"
import { createReadOnlyJudge } from "../../src/permissions/read-only.ts"
import { soundsReadOnly } from "../../src/permissions/read-only-name.ts"

interface RealTool {
  readonly name: string
  readonly annotations: { readonly readOnlyHint: boolean; readonly destructiveHint?: boolean }
}

const real: Readonly<Record<string, readonly RealTool[]>> = JSON.parse(
  readFileSync(new URL("../fixtures/tools/real-tools.json", import.meta.url), "utf8"),
)
const all = Object.entries(real).flatMap(([server, tools]) => tools.map((tool) => ({ server, ...tool })))

function mcpTool(server: string, name: string, hints: Partial<ToolHints> = {}): Tool {
  return {
    name: `mcp__${server}__${name}`,
    description: "",
    inputSchema: {},
    origin: { kind: "mcp", server, tool: name },
    hints: { readOnly: false, destructive: false, idempotent: false, ...hints },
    subjects: () => [],
    execute: () => Promise.reject(new Error("not run")),
  }
}

describe("calls that only read", () => {
  it("by the names of 89 real tools alone no write counts as a read, and most reads count", () => {
    const found = all.filter(({ name, server }) => soundsReadOnly(name, server))
    expect(all).toHaveLength(89)
    expect(found.filter(({ annotations }) => !annotations.readOnlyHint)).toEqual([])
    const reads = all.filter(({ annotations }) => annotations.readOnlyHint)
    expect([found.length, reads.length]).toEqual([25, 37])
  })

  it.each([
    ["get_pull_request", true],
    ["getIssueComments", true],
    ["list-commits", true],
    ["search.code", true],
    ["github_get_me", true],
    ["describe_table", true],
    ["status", true],
    ["file_info", true],
    ["get_or_create_user", false],
    ["find_and_replace", false],
    ["read_and_ack", false],
    ["update_status", false],
    ["set_log", false],
    ["log", false],
    ["log_event", false],
    ["wipe_history", false],
    ["query", false],
    ["run_sql", false],
    ["fetch", false],
    ["pull", false],
    ["commit", false],
    ["unknown", false],
    ["", false],
    ["取得", false],
  ])("the name %s sounds read-only: %s", (name, expected) => {
    expect(soundsReadOnly(name, "github")).toBe(expected)
  })

  it("a trusted hint counts, an untrusted one can only tighten, and the configuration comes first", () => {
    const judge = createReadOnlyJudge({ readOnly: ["mcp__*__poke"], trustedServers: ["trusted"] })
    const cases: readonly (readonly [Tool, boolean])[] = [
      [mcpTool("trusted", "ponder", { readOnly: true }), true],
      [mcpTool("other", "ponder", { readOnly: true }), false],
      [mcpTool("other", "get_it"), true],
      [mcpTool("other", "get_it", { destructive: true }), false],
      [mcpTool("trusted", "get_it", { writes: true }), false],
      [mcpTool("other", "get_it", { writes: true }), false],
      [mcpTool("other", "poke", { destructive: true }), true],
      [{ ...mcpTool("other", "x", { readOnly: true }), origin: { kind: "builtin" } }, true],
      [{ ...mcpTool("other", "get_it"), origin: { kind: "custom" } }, false],
    ]
    expect(cases.map(([tool]) => judge(tool, {}))).toEqual(cases.map(([, expected]) => expected))
  })

  it.each([
    ["ls -la src && cat a.txt | wc -l", true],
    ["git log --oneline -5; git diff HEAD~1", true],
    ["git status", true],
    ["cat $FILE", false],
    ["ls > out", false],
    ["git log --output=x", false],
    ["git commit -m x", false],
    ["ls; rm a", false],
    ["rg --pre ./run x", false],
    ["echo `touch a`", false],
    ["sh -c ls", false],
    ["", false],
  ])("the shell line %j only reads: %s", (line, expected) => {
    const bash: Tool = {
      ...mcpTool("", "Bash"),
      origin: { kind: "builtin" },
      subjects: () => [{ kind: "command", line }],
    }
    expect(createReadOnlyJudge({ readOnly: [], trustedServers: [] })(bash, {})).toBe(expected)
  })
})
