import type { Message, ModelRequest } from "../contract/model.ts"
import type { ResultBlock } from "../contract/tool.ts"
import type { ScriptExpectation } from "./script-schema.ts"

/** The first thing in a request that is not as the turn expects, in words; `null` when all is. */
export function findMismatch(expectation: ScriptExpectation, request: ModelRequest): string | null {
  const offered = request.tools
    .filter((tool) => !tool.deferred || isReferredTo(tool.name, request))
    .map(({ name }) => name)
  const missing = expectation.tools_offered?.find((name) => !offered.includes(name))
  if (missing !== undefined) return `the tool ${missing} should be offered, but only these are: ${listOf(offered)}`
  const unwanted = expectation.tools_not_offered?.find((name) => offered.includes(name))
  if (unwanted !== undefined) return `the tool ${unwanted} should not be offered, but it is`

  const { messages } = expectation
  if (messages !== undefined && messages !== request.messages.length) {
    return `${messages} messages were expected, and ${request.messages.length} were sent`
  }
  const last = lastResultOf(request.messages)
  return (
    lacks("the system prompt", expectation.system_contains, request.system) ??
    lacks("the last message", expectation.last_message_contains, textOf(request.messages.at(-1))) ??
    lacks("the last result", expectation.last_result_contains, last === null ? null : textOfResult(last.content)) ??
    wrongOutcome(expectation.last_result_is_error, last)
  )
}

/** A deferred tool is on offer once a result has referred to it, as it is for the API. */
function isReferredTo(tool: string, { messages }: ModelRequest): boolean {
  return messages.some(({ content }) =>
    content.some(
      (block) =>
        block.type === "tool_result" &&
        block.content.some((part) => part.type === "tool_reference" && part.tool === tool),
    ),
  )
}

type Result = { readonly content: readonly ResultBlock[]; readonly isError: boolean }

function lastResultOf(messages: readonly Message[]): Result | null {
  const message = messages.at(-1)
  if (message?.role !== "user") return null
  return message.content.findLast((block) => block.type === "tool_result") ?? null
}

function lacks(what: string, expected: string | string[] | undefined, actual: string | null): string | null {
  const wanted = expected === undefined ? [] : [expected].flat()
  if (wanted.length === 0) return null
  if (actual === null) return `${what} should contain ${JSON.stringify(wanted[0])}, but there is none`
  const missing = wanted.find((part) => !actual.includes(part))
  if (missing === undefined) return null
  return `${what} should contain ${JSON.stringify(missing)}, but it is ${JSON.stringify(shorten(actual))}`
}

function wrongOutcome(expected: boolean | undefined, last: Result | null): string | null {
  if (expected === undefined || expected === last?.isError) return null
  const wanted = expected ? "an error" : "no error"
  if (last === null) return `the last result should be ${wanted}, but there is no result`
  return `the last result should be ${wanted}, but it is ${JSON.stringify(shorten(textOfResult(last.content)))}`
}

function textOf(message: Message | undefined): string | null {
  if (message === undefined) return null
  return message.content
    .map((block) => {
      if (block.type === "text") return block.text
      return block.type === "tool_result" ? textOfResult(block.content) : ""
    })
    .join("\n")
}

function textOfResult(content: readonly ResultBlock[]): string {
  return content.map(textOfPart).join("\n")
}

function textOfPart(part: ResultBlock): string {
  switch (part.type) {
    case "text":
      return part.text
    case "image":
      return `[${part.mediaType}]`
    case "tool_reference":
      return `[${part.tool}]`
    default:
      return part satisfies never
  }
}

function listOf(names: readonly string[]): string {
  return names.length === 0 ? "none" : names.join(", ")
}

function shorten(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}
