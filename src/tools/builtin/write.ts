import type { Tool } from "../../contract/tool.ts"
import { defineTool } from "../define-tool.ts"
import { textOf } from "../input-fields.ts"
import { findWriteTarget, replaceFile } from "../replace-file.ts"
import type { Workspace } from "../workspace.ts"

/** Write: create a file or replace it whole. */
export function createWriteTool(workspace: Workspace): Tool {
  return defineTool({
    name: "Write",
    description: "Create a file, or replace all of it. Parent folders are created.",
    inputSchema: {
      type: "object",
      properties: { file_path: { type: "string" }, content: { type: "string" } },
      required: ["file_path", "content"],
    },
    origin: { kind: "builtin" },
    subjects: (input) => [workspace.subject(textOf(input, "file_path"))],
    async execute(input) {
      const content = textOf(input, "content")
      const target = await findWriteTarget(workspace, textOf(input, "file_path"))
      await replaceFile(workspace, target, content)
      const verb = target.mode === null ? "Created" : "Updated"
      return `${verb} ${target.path.relative} (${countLines(content)}).`
    },
  })
}

function countLines(text: string): string {
  const newlines = text.split("\n").length - 1
  const lines = text === "" || text.endsWith("\n") ? newlines : newlines + 1
  return lines === 1 ? "1 line" : `${lines} lines`
}
