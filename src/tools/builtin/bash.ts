import { existsSync } from "node:fs"
import type { ToolSettings } from "../../contract/config.ts"
import { errorResult, type Tool, type ToolResult } from "../../contract/tool.ts"
import { gitSafety } from "../../util/child-environment.ts"
import { formatDuration } from "../../util/duration.ts"
import { type ProcessEnd, runProcess } from "../../util/run-process.ts"
import { defineTool } from "../define-tool.ts"
import { createHeadAndTail } from "../head-and-tail.ts"
import { optionalNumberOf, textOf } from "../input-fields.ts"
import type { Sandbox } from "../sandbox.ts"
import type { Workspace } from "../workspace.ts"

const maxTimeoutMs = 600_000

/** Bash: one command line in a shell of its own. It is not confined to the workspace; permission rules decide. */
export function createBashTool(options: {
  readonly workspace: Workspace
  readonly settings: ToolSettings
  /** Where commands run; `null` is among all other processes. */
  readonly sandbox: Sandbox | null
}): Tool {
  const { workspace, settings, sandbox } = options
  return defineTool({
    name: "Bash",
    description: "Run a shell command in the workspace. Each call is a new shell; what it leaves running is ended.",
    inputSchema: {
      type: "object",
      properties: {
        command: { type: "string", minLength: 1 },
        timeout: { type: "number", description: "ms" },
        description: { type: "string" },
      },
      required: ["command"],
    },
    origin: { kind: "builtin" },
    subjects: (input) => [{ kind: "command", line: textOf(input, "command") }],
    async execute(input, context) {
      const asked = optionalNumberOf(input, "timeout") ?? settings.bash.timeoutMs
      const timeoutMs = Math.min(Math.max(asked, 1), maxTimeoutMs)
      const output = createHeadAndTail(settings.maxResultChars * 0.9)
      const shell = {
        file: existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh",
        // One pipe for both streams keeps their lines in order.
        args: ["-c", `exec 2>&1; ${textOf(input, "command")}`],
      }
      const end = await runProcess({
        ...(sandbox?.wrap(shell, workspace.root) ?? shell),
        cwd: workspace.root,
        env: { ...settings.bash.env, ...gitSafety },
        timeoutMs,
        signal: context.signal,
        onStdout: output.push,
        onStderr: output.push,
      })
      return describe(end, output.text().trimEnd(), timeoutMs)
    },
  })
}

function describe(end: ProcessEnd, output: string, timeoutMs: number): ToolResult | string {
  const lines = output === "" ? [] : [output]
  switch (end.kind) {
    case "exited":
      if (end.exitCode === 0) return output === "" ? "(no output)" : output
      return errorResult("tool_error", [...lines, `exit code ${end.exitCode}`].join("\n"))
    case "killed":
      return errorResult("tool_error", [...lines, `ended by ${end.by}`].join("\n"))
    case "timeout":
      return errorResult("timeout", [...lines, `timed out after ${formatDuration(timeoutMs)}`].join("\n"))
    case "aborted":
      return errorResult("aborted", [...lines, "stopped with the run"].join("\n"))
    default:
      return end satisfies never
  }
}
