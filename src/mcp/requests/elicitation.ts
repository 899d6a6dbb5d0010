import { isJsonObject, type JsonObject } from "../../contract/json.ts"
import type { ServerConfig } from "../../contract/server.ts"

/** What a server is told that wanted to ask a person, and in our words why. */
export interface ElicitationAnswer {
  readonly result: { readonly action: "decline" } | { readonly action: "accept"; readonly content: JsonObject }
  readonly detail: string
}

/** Answer for a person who is not there: with the form's own defaults where the policy says so and they suffice. */
export function answerElicitation(params: JsonObject, policy: ServerConfig["elicitation"]): ElicitationAnswer {
  if (params.mode === "url") return decline("it would need a browser")
  if (policy === "decline") return decline('elicitation = "decline"')
  const schema = isJsonObject(params.requestedSchema) ? params.requestedSchema : {}
  const fields = Object.entries(isJsonObject(schema.properties) ? schema.properties : {})
  const content = Object.fromEntries(
    fields.flatMap(([name, field]) => (isJsonObject(field) && isAnswer(field.default) ? [[name, field.default]] : [])),
  )
  const required = Array.isArray(schema.required) ? schema.required : []
  const missing = required.find((name) => typeof name !== "string" || !Object.hasOwn(content, name))
  if (missing !== undefined) return decline(`the field "${String(missing)}" is required and has no default`)
  return { result: { action: "accept", content }, detail: "the defaults of its form" }
}

function decline(detail: string): ElicitationAnswer {
  return { result: { action: "decline" }, detail }
}

/** What a form can hold: a text, a number, a yes or no, or a choice of several texts. */
function isAnswer(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((item) => typeof item === "string")
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
}
