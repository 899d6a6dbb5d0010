import type { JsonObject } from "../../src/contract/json.ts"
import { builtinToolNames, type ToolResult } from "../../src/contract/tool.ts"
import { createPolicy } from "../../src/permissions/policy.ts"
import { createBuiltinTools } from "../../src/tools/builtin-tools.ts"
import type { Sandbox } from "../../src/tools/sandbox.ts"
import { createWorkspace } from "../../src/tools/workspace.ts"
import { settingsOf } from "../permissions/sample-tools.ts"

/** What a test may choose about the tools. */
export interface ToolsetOptions {
  readonly protectedFiles?: readonly string[]
  readonly home?: string
  readonly env?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
  readonly maxResultChars?: number
  readonly path?: string
  readonly sandbox?: Sandbox | null
  /** Rules as `toRule` of the permission tests reads them. */
  readonly rules?: readonly string[]
}

/** The six built-in tools over a folder. */
export function toolsetIn(root: string, options: ToolsetOptions = {}) {
  const workspace = createWorkspace(root, {
    protectedFiles: options.protectedFiles ?? [],
    home: options.home ?? "/nonexistent-home",
  })
  const tools = createBuiltinTools({
    workspace,
    settings: {
      builtin: builtinToolNames.toReversed(),
      agent: false,
      bash: { timeoutMs: options.timeoutMs ?? 20_000, env: options.env ?? { PATH: "/usr/local/bin:/usr/bin:/bin" } },
      maxResultChars: options.maxResultChars ?? 30_000,
      custom: [],
    },
    leavesOut: createPolicy(settingsOf(options.rules ?? [])).leavesOut,
    path: options.path ?? "/usr/local/bin:/usr/bin:/bin",
    sandbox: options.sandbox ?? null,
  })
  function tool(name: string) {
    const found = tools.find((candidate) => candidate.name === name)
    if (found === undefined) throw new Error(`no tool ${name}`)
    return found
  }
  return {
    workspace,
    tools,
    tool,
    call: (name: string, input: JsonObject, signal = new AbortController().signal) =>
      tool(name).execute(input, { signal, callId: "call-1" }),
  }
}

/** The text of a result, with its error code in front when it failed. */
export function textOfResult(result: ToolResult): string {
  const text = result.content
    .map((block) => (block.type === "text" ? block.text : `<${block.type === "image" ? block.mediaType : block.tool}>`))
    .join("\n")
  return result.isError ? `${result.errorCode}: ${text}` : text
}
