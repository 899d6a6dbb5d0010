import type { FileHandle } from "node:fs/promises"
import { errorResult, type Tool, type ToolResult } from "../../contract/tool.ts"
import { defineTool } from "../define-tool.ts"
import { optionalNumberOf, textOf } from "../input-fields.ts"
import { openFile } from "../open-file.ts"
import { type LinePage, readLines } from "../read-lines.ts"
import type { Workspace } from "../workspace.ts"

const defaultLines = 2000
const maxImageBytes = 5 * 1024 * 1024

/** Read: a page of a text file with line numbers, or an image. */
export function createReadTool(options: { readonly workspace: Workspace; readonly maxResultChars: number }): Tool {
  const { workspace } = options
  return defineTool({
    name: "Read",
    description: `Read a text file with line numbers (${defaultLines} lines at most), or an image.`,
    inputSchema: {
      type: "object",
      properties: {
        file_path: { type: "string" },
        offset: { type: "integer", minimum: 0, description: "first line, from 1" },
        limit: { type: "integer", minimum: 1 },
      },
      required: ["file_path"],
    },
    readOnly: true,
    origin: { kind: "builtin" },
    subjects: (input) => [workspace.subject(textOf(input, "file_path"))],
    async execute(input) {
      const name = textOf(input, "file_path")
      const { handle, stats } = await openFile(workspace, name)
      try {
        const start = await readStart(handle)
        const mediaType = mediaTypeOf(start)
        if (mediaType !== null) return await readImage(handle, { name, mediaType, bytes: stats.size })
        if (start.includes(0)) return `${name} is a binary file of ${stats.size} bytes.`
        const offset = Math.max(1, optionalNumberOf(input, "offset") ?? 1)
        const limit = optionalNumberOf(input, "limit") ?? defaultLines
        const page = await readLines(handle, { offset, limit, maxChars: options.maxResultChars * 0.9 })
        return describePage(page, { name, offset })
      } finally {
        await handle.close()
      }
    },
  })
}

async function readStart(handle: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(8192), 0, 8192, 0)
  return buffer.subarray(0, bytesRead)
}

function mediaTypeOf(start: Buffer): string | null {
  const text = start.toString("latin1", 0, 12)
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return "image/png"
  if (text.startsWith("\xff\xd8\xff")) return "image/jpeg"
  if (/^GIF8[79]a/.test(text)) return "image/gif"
  if (/^RIFF.{4}WEBP/s.test(text)) return "image/webp"
  return null
}

async function readImage(
  handle: FileHandle,
  image: { readonly name: string; readonly mediaType: string; readonly bytes: number },
): Promise<ToolResult> {
  if (image.bytes > maxImageBytes) {
    return errorResult("tool_error", `${image.name} is an image of ${image.bytes} bytes; ${maxImageBytes} can be read.`)
  }
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(image.bytes), 0, image.bytes, 0)
  const data = buffer.subarray(0, bytesRead).toString("base64")
  return { content: [{ type: "image", mediaType: image.mediaType, data }], isError: false }
}

function describePage(page: LinePage, request: { readonly name: string; readonly offset: number }): string {
  const { lines, linesSeen, stop } = page
  if (stop === "end_of_file" && linesSeen === 0) return `${request.name} is empty.`
  const body = lines.map((line, index) => `${String(request.offset + index).padStart(6)}\t${line}`)
  switch (stop) {
    case "end_of_file":
      return lines.length > 0
        ? body.join("\n")
        : `${request.name} has ${linesSeen} lines, none from ${request.offset} on.`
    case "limit":
      return [...body, `[more lines follow: go on with offset ${request.offset + lines.length}]`].join("\n")
    case "scan_limit":
      return [...body, `[stopped after ${linesSeen} lines: the file is too large to read on]`].join("\n")
    default:
      return stop satisfies never
  }
}
