import { isJsonObject } from "../../contract/json.ts"
import { findJsonPositions } from "./json-positions.ts"
import type { ParsedText } from "./parsed-text.ts"

/** Parse a JSON object into values and positions. Never throws: what is wrong with the text is a fault with its place. */
export function parseJson(text: string): ParsedText {
  const { positions, fault } = findJsonPositions(text)
  if (fault) {
    return { kind: "fault", position: positions.at(fault.offset), message: `not valid JSON: ${fault.message}` }
  }
  const values: unknown = JSON.parse(text)
  if (!isJsonObject(values)) {
    return { kind: "fault", position: { line: 1, column: 1 }, message: "expected a JSON object with MCP servers" }
  }
  return { kind: "values", values, positions }
}
