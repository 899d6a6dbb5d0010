import { isUtf8 } from "node:buffer"
import type { JsonObject } from "../../contract/json.ts"
import type { Tool } from "../../contract/tool.ts"
import { defineTool } from "../define-tool.ts"
import { textOf } from "../input-fields.ts"
import { openFile } from "../open-file.ts"
import { findWriteTarget, replaceFile } from "../replace-file.ts"
import type { Workspace } from "../workspace.ts"

const maxBytes = 16 * 1024 * 1024

/** Edit: replace one exact text in a file, or every occurrence of it. */
export function createEditTool(workspace: Workspace): Tool {
  return defineTool({
    name: "Edit",
    description: "Replace old_string, which must match exactly and only once unless replace_all.",
    inputSchema: {
      type: "object",
      properties: {
        file_path: { type: "string" },
        old_string: { type: "string" },
        new_string: { type: "string" },
        replace_all: { type: "boolean" },
      },
      required: ["file_path", "old_string", "new_string"],
    },
    origin: { kind: "builtin" },
    subjects: (input) => [workspace.subject(textOf(input, "file_path"))],
    async execute(input) {
      const name = textOf(input, "file_path")
      const target = await findWriteTarget(workspace, name)
      const text = await readText(workspace, name)
      const { edited, count } = replaceIn(text, input)
      await replaceFile(workspace, target, edited)
      return `Edited ${target.path.relative} (${count === 1 ? "1 replacement" : `${count} replacements`}).`
    },
  })
}

/** The text that an Edit with this input makes of a text, or throw what to tell the model. */
export function editText(text: string, input: JsonObject): string {
  return replaceIn(text, input).edited
}

async function readText(workspace: Workspace, name: string): Promise<string> {
  const { handle, stats } = await openFile(workspace, name)
  try {
    if (stats.size > maxBytes) throw new Error(`${name} has ${stats.size} bytes; Edit takes ${maxBytes} at most.`)
    const bytes = await handle.readFile()
    if (!isUtf8(bytes)) throw new Error(`${name} is not UTF-8 text, so Edit would damage it.`)
    return bytes.toString("utf8")
  } finally {
    await handle.close()
  }
}

interface Replacement {
  readonly text: string
  readonly from: string
  readonly to: string
}

function replaceIn(original: string, input: JsonObject): { readonly edited: string; readonly count: number } {
  const name = textOf(input, "file_path")
  const given = { text: original, from: textOf(input, "old_string"), to: textOf(input, "new_string") }
  if (given.from === "") throw new Error("old_string is empty; use Write to create a file.")
  if (given.from === given.to) throw new Error("old_string and new_string are the same; nothing to do.")
  const { text, from, to } = inLineEndingsOf(given)
  const parts = text.split(from)
  const count = parts.length - 1
  if (count === 0) {
    throw new Error(
      `old_string was not found in ${name}. It must match exactly, spaces included, without line numbers.`,
    )
  }
  if (count > 1 && input.replace_all !== true) {
    throw new Error(
      `old_string occurs ${count} times in ${name}. Add lines around it until it is unique, or set replace_all.`,
    )
  }
  return { edited: parts.join(to), count }
}

/** Read shows CRLF lines as if they ended in LF, so a text of several lines comes back with LF. */
function inLineEndingsOf(given: Replacement): Replacement {
  if (!isCrlf(given.text)) return given
  return { text: given.text, from: toCrlf(given.from), to: toCrlf(given.to) }
}

function isCrlf(text: string): boolean {
  return text.includes("\r\n") && !/(^|[^\r])\n/.test(text)
}

function toCrlf(text: string): string {
  return text.replace(/\r?\n/g, "\r\n")
}
