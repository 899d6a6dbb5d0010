/** An object whose fields nobody has checked yet: tool input, server data, API data. */
export type JsonObject = { readonly [key: string]: unknown }

/** A JSON Schema as its owner wrote it; we pass it on untouched. */
export type JsonSchema = JsonObject

/** Tell a plain JSON object from everything else that JSON can hold. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
