import * as z from "zod/mini"
import { reasonSchema, usageSchema } from "./event.ts"

const count = z.int().check(z.nonnegative())
const statusSchema = z.enum(["completed", "paused", "stopped", "failed"])
const shardSchema = z.object({ index: count, total: count })
const placeSchema = z.object({ id: z.string(), position: count })

const batchTaskSchema = z.object({
  id: z.string(),
  /** In the file of tasks, from 1. */
  position: count,
  status: statusSchema,
  exit_code: count,
  reason: z.nullable(reasonSchema),
  cost_usd: z.nullable(z.number()),
  usage: usageSchema,
  turns: count,
  duration_ms: count,
  /** Relative to the folder of the batch report. */
  report: z.string(),
  digest: z.string(),
  /** Finished by an earlier start of the same batch. */
  reused: z.boolean(),
})

const problemSchema = z.object({
  code: z.enum(["missing_shard", "missing_task", "duplicate_task"]),
  message: z.string(),
})

/** The JSON report of a batch, of one shard of it, or of shards merged: the head of a report, and a row for each task. */
export const batchReportSchema = z.object({
  schema_version: z.literal(1),
  kind: z.literal("batch"),
  status: statusSchema,
  exit_code: count,
  reason: z.nullable(reasonSchema),
  cost_usd: z.nullable(z.number()),
  usage: usageSchema,
  batch: z.object({
    started_at: z.iso.datetime(),
    duration_ms: count,
    version: z.string(),
    /** What all shards of one list have in common. */
    list: z.object({ file: z.string(), digest: z.string(), tasks: count }),
    shard: z.nullable(shardSchema),
    /** How many reports were merged; 0 for a batch itself. */
    merged: count,
  }),
  /** In the order of the file of tasks. */
  tasks: z.array(batchTaskSchema),
  /** Tasks that were to be run and were not begun. */
  not_run: z.array(placeSchema),
  /** What a merge found missing or twice. */
  problems: z.array(problemSchema),
})

/** What `agent-run batch` and `agent-run merge` write. */
export type BatchReport = z.infer<typeof batchReportSchema>

/** One task in a batch report. */
export type BatchTask = z.infer<typeof batchTaskSchema>

/** A task by its place in the file of tasks. */
export type TaskPlace = z.infer<typeof placeSchema>

/** A part of a batch: the `index`-th of `total`, from 1. */
export type Shard = z.infer<typeof shardSchema>

/** What a merge found wrong with the reports together. */
export type MergeProblem = z.infer<typeof problemSchema>
