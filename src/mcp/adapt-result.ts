import { isJsonObject, type JsonObject } from "../contract/json.ts"
import { errorResult, type ResultBlock, type ToolResult } from "../contract/tool.ts"
import { decodedSize, toImageBlock } from "./image-block.ts"
import { isDeeperThan } from "./nesting.ts"

const maxStructuredDepth = 100

/** The border for results: whatever a server sends becomes a result the loop knows. */
export function adaptResult(result: unknown): ToolResult {
  if (!isJsonObject(result))
    return errorResult("protocol_error", "The server answered with something that is no result.")
  const { structuredContent } = result
  const tooDeep = isDeeperThan([structuredContent, result.toolResult], maxStructuredDepth)
  const parts = contentOf(result).map(adaptBlock)
  const texts = parts.filter((part) => part.type === "text").map((part) => part.text)
  const images = parts.filter((part) => part.type === "image")
  if (parts.length === 0) texts.push(tooDeep ? "[structured content, nested too deeply]" : substitute(result))
  const content: ResultBlock[] = texts.length === 0 ? images : [{ type: "text", text: texts.join("\n") }, ...images]
  const structured = structuredContent === undefined || tooDeep ? {} : { structured: structuredContent }
  if (result.isError === true) return { content, isError: true, errorCode: "tool_error", ...structured }
  return { content, isError: false, ...structured }
}

function contentOf(result: JsonObject): readonly unknown[] {
  return Array.isArray(result.content) ? result.content : []
}

/** What a result without content says: its structured form, or the form of the first protocol versions. */
function substitute(result: JsonObject): string {
  const value = result.structuredContent ?? result.toolResult
  if (value === undefined) return "(no output)"
  return typeof value === "string" ? value : JSON.stringify(value)
}

/** One block of content: text, an image, or a note that says what there was. */
export function adaptBlock(block: unknown): ResultBlock {
  if (!isJsonObject(block)) return note("[content that is no block]")
  switch (block.type) {
    case "text":
      return note(typeof block.text === "string" ? block.text : "[text block without text]")
    case "image":
      return adaptImage(block.data, `image ${nameOf(block.mimeType)}`)
    case "audio":
      return note(`[audio ${nameOf(block.mimeType)}, ${sizeOf(block.data)}]`)
    case "resource":
      return isJsonObject(block.resource) ? adaptContents(block.resource) : note("[resource without contents]")
    case "resource_link":
      return note(`[resource link ${nameOf(block.uri)}${labelOf(block)}]`)
    default:
      return note(`[content of unknown type ${nameOf(block.type)}]`)
  }
}

/** The contents of a resource: its text below a line that says where it is from, an image, or a note. */
export function adaptContents(contents: JsonObject): ResultBlock {
  const what = `resource ${nameOf(contents.uri)}${typeof contents.mimeType === "string" ? `, ${contents.mimeType}` : ""}`
  if (typeof contents.text === "string") return note(`[${what}]\n${contents.text}`)
  if (typeof contents.mimeType === "string" && contents.mimeType.startsWith("image/")) {
    return adaptImage(contents.blob, what)
  }
  return note(`[binary ${what}, ${sizeOf(contents.blob)}]`)
}

function adaptImage(data: unknown, what: string): ResultBlock {
  const image = toImageBlock(data)
  return typeof image === "string" ? note(`[${what}, ${sizeOf(data)}, not shown: ${image}]`) : image
}

function note(text: string): ResultBlock {
  return { type: "text", text }
}

function nameOf(value: unknown): string {
  return typeof value === "string" ? value : "(unnamed)"
}

function sizeOf(data: unknown): string {
  return typeof data === "string" ? `${decodedSize(data)} bytes` : "no data"
}

function labelOf({ name, description }: JsonObject): string {
  const label = [name, description].filter((part) => typeof part === "string" && part !== "").join(": ")
  return label === "" ? "" : ` (${label})`
}
