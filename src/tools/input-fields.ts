import type { JsonObject } from "../contract/json.ts"

/** A text of an input; empty when it is absent, which validation rules out for required ones. */
export function textOf(input: JsonObject, field: string): string {
  return optionalTextOf(input, field) ?? ""
}

/** A text of an input that may be absent. */
export function optionalTextOf(input: JsonObject, field: string): string | null {
  const value = input[field]
  return typeof value === "string" ? value : null
}

/** A number of an input that may be absent. */
export function optionalNumberOf(input: JsonObject, field: string): number | null {
  const value = input[field]
  return typeof value === "number" && Number.isFinite(value) ? value : null
}
