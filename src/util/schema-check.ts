import type { OutputUnit, Schema, Validator } from "@cfworker/json-schema"

/** Check values against a JSON Schema: `null`, or what is wrong and where. Loaded and built at the first check. */
export function createSchemaCheck(schema: object): (value: unknown) => Promise<string | null> {
  let validator: Validator | null = null
  return async (value) => {
    if (validator === null) {
      const library = await import("@cfworker/json-schema")
      validator = new library.Validator(schema as Schema, "2020-12", false)
    }
    const { valid, errors } = validator.validate(value)
    return valid ? null : describe(errors)
  }
}

const wrappers = new Set(["properties", "patternProperties", "items", "prefixItems", "$ref", "allOf"])

function describe(errors: readonly OutputUnit[]): string {
  const causes = errors.filter((error) => !wrappers.has(error.keyword))
  return (causes.length > 0 ? causes : errors)
    .slice(0, 5)
    .map((error) => `${fieldOf(error.instanceLocation)}${error.error}`)
    .join(" ")
}

function fieldOf(pointer: string): string {
  const field = pointer.replace(/^#\/?/, "").replaceAll("/", ".")
  return field === "" ? "" : `${field}: `
}
