import * as z from "zod/mini"
import {
  callErrorCodeSchema,
  ciSchema,
  decisionSchema,
  expectationSchema,
  fileChangeSchema,
  reasonSchema,
  serverStatusSchema,
  usageSchema,
} from "./event.ts"
import { findingSchema } from "./finding.ts"
import { planCallSchema } from "./plan.ts"

const count = z.int().check(z.nonnegative())

/** The JSON report of one run: a fold over its events and nothing more. */
export const reportSchema = z.object({
  schema_version: z.literal(1),
  status: z.enum(["completed", "paused", "stopped", "failed"]),
  exit_code: count,
  reason: z.nullable(reasonSchema),
  answer: z.nullable(z.string()),
  structured: z.unknown(),
  run: z.object({
    id: z.string(),
    started_at: z.iso.datetime(),
    duration_ms: count,
    version: z.string(),
    model: z.string(),
    workspace: z.string(),
    config_sources: z.array(z.string()),
    sandbox: z.string(),
    ci: z.optional(ciSchema),
  }),
  turns: count,
  usage: usageSchema,
  cost_usd: z.nullable(z.number()),
  servers: z.array(
    z.object({
      name: z.string(),
      transport: z.string(),
      state: serverStatusSchema,
      tools: count,
      resources: count,
      prompts: count,
      connect_ms: z.nullable(count),
      error: z.nullable(z.string()),
    }),
  ),
  tools: z.object({ offered: count, deferred: count, loaded: count }),
  calls: z.array(
    z.object({
      id: z.string(),
      turn: count,
      tool: z.string(),
      server: z.nullable(z.string()),
      decision: z.nullable(decisionSchema),
      ok: z.boolean(),
      duration_ms: count,
      error_code: z.nullable(callErrorCodeSchema),
      allow_with: z.optional(z.string()),
    }),
  ),
  denied: count,
  files_changed: z.array(fileChangeSchema),
  findings: z.array(findingSchema),
  plan: z.array(planCallSchema),
  approvals: z.array(
    z.object({
      id: z.string(),
      turn: count,
      tool: z.string(),
      server: z.nullable(z.string()),
      input: z.unknown(),
      decision: decisionSchema,
      state: z.enum(["pending", "approved", "rejected"]),
      answer: z.nullable(z.string()),
      reason: z.nullable(z.string()),
    }),
  ),
  expectations: z.array(expectationSchema),
  retries: count,
  redactions: count,
  warnings: z.array(z.object({ code: z.string(), message: z.string() })),
})

/** What `--report` writes, `--output json` prints and `run()` returns. */
export type Report = z.infer<typeof reportSchema>
