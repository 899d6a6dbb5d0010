import { parse, TomlError } from "smol-toml"
import type { JsonObject } from "../../contract/json.ts"
import { type KeyPath, maxDepth } from "../positions.ts"
import type { ParsedText } from "./parsed-text.ts"
import { findTomlPositions } from "./toml-positions.ts"

/** Parse TOML into values and positions. Never throws: what is wrong with the text is a fault with its place. */
export function parseToml(text: string): ParsedText {
  const { positions, tooDeep } = findTomlPositions(text)
  if (tooDeep) return { kind: "fault", position: tooDeep, message: `nested deeper than ${maxDepth} levels` }
  let values: JsonObject
  try {
    values = parse(text, { maxDepth: maxDepth + 1 })
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const [firstLine = ""] = error.message.split("\n")
    const message = firstLine.replace("Invalid TOML document: ", "")
    return {
      kind: "fault",
      position: { line: error.line, column: error.column },
      message: `not valid TOML: ${message}`,
    }
  }
  const date = findDate(values, [])
  if (date) {
    const position = positions.find(date) ?? { line: 1, column: 1 }
    return { kind: "fault", position, message: "no key takes a date; text needs quotes" }
  }
  return { kind: "values", values, positions }
}

/** Dates are objects to JavaScript and would pass for empty tables. */
function findDate(value: unknown, path: KeyPath): KeyPath | null {
  if (value instanceof Date) return path
  if (typeof value !== "object" || value === null) return null
  for (const [key, inner] of Object.entries(value)) {
    const found = findDate(inner, [...path, Array.isArray(value) ? Number(key) : key])
    if (found) return found
  }
  return null
}
