import * as z from "zod/mini"

const count = z.int().check(z.nonnegative())
const text = z.string()

/** A part of the result of a call, as a transcript keeps it. */
export const resultBlockSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text }),
  z.object({ type: z.literal("image"), media_type: text, bytes: count, data: z.optional(text) }),
  z.object({ type: z.literal("tool_reference"), tool: text }),
])

/** A part of a message of the conversation. */
export const messageBlockSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text }),
  z.object({ type: z.literal("tool_use"), id: text, name: text, input: z.unknown() }),
  z.object({ type: z.literal("opaque"), raw: z.record(text, z.unknown()) }),
])
