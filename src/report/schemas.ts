import * as z from "zod/mini"
import { batchReportSchema } from "../contract/batch.ts"
import { runEventSchema } from "../contract/event.ts"
import type { JsonSchema } from "../contract/json.ts"
import { reportSchema } from "../contract/report.ts"

/** JSON Schema of one line of a transcript. Open: later versions may add fields, and readers ignore them. */
export function eventJsonSchema(): JsonSchema {
  return {
    ...z.toJSONSchema(runEventSchema, { target: "draft-2020-12", io: "input" }),
    title: "agent-run event",
    description: "One line of a transcript.",
  }
}

/** JSON Schema of a report. Open: later versions may add fields, and readers ignore them. */
export function reportJsonSchema(): JsonSchema {
  return {
    ...z.toJSONSchema(reportSchema, { target: "draft-2020-12", io: "input" }),
    title: "agent-run report",
    description: "What one run did and how it ended.",
  }
}

/** JSON Schema of the report of a batch. Open, as the others. */
export function batchReportJsonSchema(): JsonSchema {
  return {
    ...z.toJSONSchema(batchReportSchema, { target: "draft-2020-12", io: "input" }),
    title: "agent-run batch report",
    description: "What the tasks of a batch, or of shards merged, did and how they ended.",
  }
}
