import * as z from "zod/mini"
import { isJsonObject } from "../contract/json.ts"

/** The longest wait that a timer of the platform can hold. */
const longestSeconds = 2_147_483

/** A text without the one character that no path, argument or variable can hold. */
export const text = z.string().check(z.refine((value) => !value.includes("\0"), "must not contain a NUL character"))

/** A text that says something. */
export const name = text.check(z.minLength(1))

/** A list of texts that say something. */
export const names = z.array(name)

/** A count of things that cannot be none. */
export const positiveCount = z.int().check(z.minimum(1))

/** Yes, no, or as it fits. */
export const automatic = z.union([z.literal("auto"), z.boolean()], 'expected "auto", true or false')

/** A wait in seconds. */
export const seconds = z.number().check(z.gt(0), z.maximum(longestSeconds))

/** Seconds of a configuration as the milliseconds of the code. */
export function toMs(seconds: number): number {
  return Math.max(1, Math.round(seconds * 1000))
}

/** Anything that JSON can hold: TOML also knows numbers that it cannot. */
export const jsonValue = z
  .unknown()
  .check(z.refine(isJsonValue, "must be a text, a number, true, false, a list or a table"))

function isJsonValue(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value)
  if (value === null || typeof value === "string" || typeof value === "boolean") return true
  if (Array.isArray(value)) return value.every(isJsonValue)
  return isJsonObject(value) && Object.values(value).every(isJsonValue)
}

/** Values by names that the user chooses. */
export type MapOf<Value> = Readonly<Record<string, Value>>

const valueSchemas = new WeakMap<object, z.ZodMiniType>()

/**
 * A table whose keys the user chooses. Unlike a zod record it keeps every name, also `__proto__`, as plain data;
 * the values are checked and passed on as they are.
 */
export function mapOf<Value>(valueSchema: z.ZodMiniType<Value>): z.ZodMiniType<MapOf<Value>> {
  const map = z.custom<MapOf<Value>>().check((payload) => {
    const table: unknown = payload.value
    if (!isJsonObject(table)) {
      payload.issues.push({ code: "invalid_type", expected: "record", input: table })
      return
    }
    for (const [key, value] of Object.entries(table)) {
      const checked = valueSchema.safeParse(value, { jitless: true })
      for (const issue of checked.error?.issues ?? []) {
        payload.issues.push({ ...issue, path: [key, ...issue.path], input: value } as z.core.$ZodRawIssue)
      }
    }
  })
  valueSchemas.set(map, valueSchema)
  return map
}

/** The schema of the values of a `mapOf`; `undefined` for every other schema. */
export function valueSchemaOf(map: object): z.ZodMiniType | undefined {
  return valueSchemas.get(map)
}

/** Say what a key is for; this sentence becomes the documentation. */
export function described<Schema extends z.ZodMiniType>(schema: Schema, description: string): Schema {
  return schema.check(z.describe(description)) as Schema
}
