import * as z from "zod/mini"
import type { JsonSchema } from "../contract/json.ts"
import { configSchema } from "./schema.ts"
import { valueSchemaOf } from "./schema-values.ts"

/** The JSON Schema of agent.toml, made from the schema that reads it. */
export function configJsonSchema(): JsonSchema {
  return { ...toJsonSchema(configSchema), title: "agent.toml", description: "Configuration of agent-run." }
}

function toJsonSchema(schema: z.ZodMiniType): JsonSchema {
  return z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override({ zodSchema, jsonSchema }) {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      const valueSchema = valueSchemaOf(zodSchema)
      if (valueSchema === undefined) return
      const { $schema, ...additionalProperties } = toJsonSchema(valueSchema)
      Object.assign(jsonSchema, { type: "object", additionalProperties })
    },
  })
}
