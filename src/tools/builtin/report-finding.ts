import { stat } from "node:fs/promises"
import type { Emit } from "../../contract/event.ts"
import { findingLevels } from "../../contract/finding.ts"
import { errorResult, type Tool } from "../../contract/tool.ts"
import { defineTool } from "../define-tool.ts"
import { optionalNumberOf, optionalTextOf, textOf } from "../input-fields.ts"
import type { Workspace } from "../workspace.ts"

const maxFindings = 1000

/** report_finding: what the agent found, with file and line, for people and for code scanning. It only records. */
export function createReportFindingTool({
  workspace,
  emit,
}: {
  readonly workspace: Workspace
  readonly emit: Emit
}): Tool {
  let count = 0
  return defineTool({
    name: "report_finding",
    description: "Report one finding about a file, once for each place. It is shown to people and changes nothing.",
    inputSchema: {
      type: "object",
      properties: {
        file: { type: "string", minLength: 1 },
        line: { type: "integer", minimum: 1, maximum: 10_000_000 },
        level: { enum: findingLevels },
        rule: { type: "string", pattern: "^[A-Za-z0-9][A-Za-z0-9._/-]{0,99}$", description: "short id of its kind" },
        message: { type: "string", minLength: 1, maxLength: 4000 },
      },
      required: ["file", "line", "level", "message"],
    },
    readOnly: true,
    origin: { kind: "builtin" },
    subjects: (input) => [workspace.subject(textOf(input, "file"))],
    async execute(input, { callId }) {
      const guarded = workspace.guardRead(textOf(input, "file"))
      if (!guarded.ok) return errorResult("tool_error", guarded.refusal)
      const { absolute, relative: file } = guarded.path
      const stats = await stat(absolute).catch(() => null)
      if (!stats?.isFile()) return errorResult("tool_error", `${file} is no file.`)
      if (count >= maxFindings) return errorResult("tool_error", `No more than ${maxFindings} findings are recorded.`)
      count += 1
      const level = findingLevels.find((name) => name === input.level) ?? "note"
      const line = optionalNumberOf(input, "line") ?? 1
      const rule = optionalTextOf(input, "rule") ?? "finding"
      emit({ type: "finding", call_id: callId, file, line, level, rule, message: textOf(input, "message") })
      return "Recorded."
    },
  })
}
