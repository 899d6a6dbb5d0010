import { isUtf8 } from "node:buffer"
import { createHash } from "node:crypto"
import { lstat } from "node:fs/promises"
import type { JsonObject } from "../contract/json.ts"
import { editText } from "./builtin/edit.ts"
import { optionalTextOf } from "./input-fields.ts"
import { openFile } from "./open-file.ts"
import { findWriteTarget } from "./replace-file.ts"
import type { Workspace } from "./workspace.ts"

/** What a Write or Edit would do to a file. */
export interface EditPreview {
  /** Relative to the workspace. */
  readonly path: string
  /** Of the file as it is on disk; `null` when there is none. */
  readonly digest: string | null
  /** With the edits that were previewed before; `null` when there is no file, or none that can be shown. */
  readonly before: string | null
  readonly after: string
}

const maxBytes = 16 * 1024 * 1024

/** Preview edits one after the other, each on top of those before it. Throws what to tell the model about a bad one. */
export function createEditPreview(
  workspace: Workspace,
): (tool: string, input: JsonObject) => Promise<EditPreview | null> {
  const planned = new Map<string, string>()
  return async (tool, input) => {
    if (tool !== "Write" && tool !== "Edit") return null
    const name = required(input, "file_path")
    const { path } = await findWriteTarget(workspace, name)
    const onDisk = await readBytes(workspace, path.absolute)
    const before = planned.get(path.absolute) ?? textIn(onDisk)
    if (tool === "Edit" && before === null)
      throw new Error(`${name} does not exist, or is no text that Edit can change.`)
    const after = tool === "Write" ? required(input, "content") : editText(before ?? "", input)
    planned.set(path.absolute, after)
    return { path: path.relative, digest: onDisk === null ? null : digestOf(onDisk), before, after }
  }
}

/** The digest of a file of the workspace, as previews give it; `null` when it is not there or no regular file. */
export async function digestFile(workspace: Workspace, path: string): Promise<string | null> {
  const bytes = await readBytes(workspace, path)
  return bytes === null ? null : digestOf(bytes)
}

function required(input: JsonObject, field: string): string {
  const text = optionalTextOf(input, field)
  if (text === null) throw new Error(`${field}: a text is required.`)
  return text
}

async function readBytes(workspace: Workspace, path: string): Promise<Buffer | null> {
  const stats = await lstat(workspace.resolve(path).absolute).catch(() => null)
  if (stats === null || !stats.isFile()) return null
  const { handle } = await openFile(workspace, path)
  try {
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}

function textIn(bytes: Buffer | null): string | null {
  return bytes !== null && bytes.length <= maxBytes && isUtf8(bytes) ? bytes.toString("utf8") : null
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`
}
