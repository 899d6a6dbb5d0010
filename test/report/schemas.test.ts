import { describe, expect, it } from "vitest"
import { runEventSchema } from "../../src/contract/event.ts"
import { eventJsonSchema, reportJsonSchema } from "../../src/report/schemas.ts"

const draft = "https://json-schema.org/draft/2020-12/schema"

describe("the published schemas", () => {
  it("name their draft and themselves, and leave room for fields to come", () => {
    expect(eventJsonSchema()).toMatchObject({ $schema: draft, title: "agent-run event" })
    expect(reportJsonSchema()).toMatchObject({ $schema: draft, title: "agent-run report", type: "object" })
    expect(JSON.stringify([eventJsonSchema(), reportJsonSchema()])).not.toMatch(/"additionalProperties":false|"\$id"/)
  })

  it("describe every event", () => {
    const { oneOf } = eventJsonSchema()
    const described = (Array.isArray(oneOf) ? oneOf : []).filter(({ description }) => typeof description === "string")
    expect(described).toHaveLength(runEventSchema._zod.def.options.length)
  })
})
