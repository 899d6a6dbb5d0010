import type * as z from "zod/mini"
import { type RunEvent, runEventSchema } from "../contract/event.ts"
import type { Redactor } from "./redact.ts"

/**
 * Redact an event by its schema: only free text is touched. Names of events, states, codes, dates and numbers are our own
 * words; they stay even if some secret is spelled like one of them, so a valid event stays valid.
 */
export function createEventRedaction(redactor: Redactor): (event: RunEvent) => RunEvent {
  const redactEvent = redactionOf(runEventSchema, redactor)
  return (event) => redactEvent(event) as RunEvent
}

type Redaction = (value: unknown) => unknown

const leave: Redaction = (value) => value

function redactionOf(schema: z.core.$ZodType, redactor: Redactor): Redaction {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case "literal":
    case "enum":
    case "number":
    case "boolean":
      return leave
    case "string":
      return "format" in def && def.format === "datetime" ? leave : (value) => redactor.redact(value)
    case "nullable":
    case "optional":
      return unlessAbsent(redactionOf(def.innerType, redactor))
    case "array":
      return redactItems(redactionOf(def.element, redactor), redactor)
    case "object":
      return redactFields(def.shape, redactor)
    case "union":
      return redactByType(def.options, redactor)
    default:
      return (value) => redactor.redact(value)
  }
}

function unlessAbsent(redact: Redaction): Redaction {
  return (value) => (value === null || value === undefined ? value : redact(value))
}

function redactItems(redactItem: Redaction, redactor: Redactor): Redaction {
  return (value) => (Array.isArray(value) ? value.map(redactItem) : redactor.redact(value))
}

function redactFields(shape: z.core.$ZodShape, redactor: Redactor): Redaction {
  const fields = new Map(Object.entries(shape).map(([key, field]) => [key, redactionOf(field, redactor)]))
  return (value) => {
    if (typeof value !== "object" || value === null) return redactor.redact(value)
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, (fields.get(key) ?? redactor.redact)(item)]),
    )
  }
}

/** Every union of the event schema is told apart by its `type`. */
function redactByType(options: readonly z.core.$ZodType[], redactor: Redactor): Redaction {
  const byType = new Map<unknown, Redaction>()
  for (const option of options) {
    for (const type of option._zod.propValues?.type ?? []) byType.set(type, redactionOf(option, redactor))
  }
  return (value) => {
    const type = typeof value === "object" && value !== null && "type" in value ? value.type : undefined
    return (byType.get(type) ?? redactor.redact)(value)
  }
}
