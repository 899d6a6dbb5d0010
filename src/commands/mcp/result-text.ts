import type { ResultBlock, ToolResult } from "../../contract/tool.ts"

/** A result as text: its text blocks, and a line for each image. */
export function textOfResult({ content }: ToolResult): string {
  return content.map(textOfBlock).join("\n")
}

/** What a failed result says went wrong. */
export function firstTextOf({ content }: ToolResult): string {
  const [first] = content.filter((block) => block.type === "text")
  return first?.text ?? "the server gave no reason"
}

function textOfBlock(block: ResultBlock): string {
  if (block.type === "text") return block.text
  if (block.type === "tool_reference") return `[tool ${block.tool}]`
  return `[image ${block.mediaType}, ${Buffer.byteLength(block.data, "base64")} bytes]`
}
