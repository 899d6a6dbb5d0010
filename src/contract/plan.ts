import * as z from "zod/mini"
import { decisionSchema, editSchema } from "./event.ts"

/** The variable with the key that seals plans and transcripts. */
export const planKeyVariable = "AGENT_RUN_PLAN_KEY"

/** One call of a plan, in the order in which it is to run. */
export const planCallSchema = z.object({
  id: z.string(),
  tool: z.string(),
  server: z.nullable(z.string()),
  input: z.unknown(),
  /** Variables whose values stand in the input as `[redacted:NAME]`. */
  refill: z.array(z.string()),
  /** What the model said before it asked for the call. */
  reason: z.nullable(z.string()),
  decision: decisionSchema,
  edit: z.nullable(editSchema),
})

/** What `--plan` writes and `apply` reads. */
export const planSchema = z.object({
  schema_version: z.literal(1),
  kind: z.literal("agent-run plan"),
  run_id: z.string(),
  created_at: z.iso.datetime(),
  version: z.string(),
  model: z.string(),
  task: z.string(),
  answer: z.string(),
  config_digest: z.string(),
  calls: z.array(planCallSchema),
  /** Over everything above; keyed when AGENT_RUN_PLAN_KEY is set. */
  digest: z.string(),
})

/** A call that waits for `apply`. */
export type PlanCall = z.infer<typeof planCallSchema>

/** The calls that a planning run queued, with all that `apply` has to check. */
export type Plan = z.infer<typeof planSchema>
