import type { JsonObject } from "../contract/json.ts"

/** One task of a batch, as the file of tasks has it; paths are absolute. */
export interface TaskEntry {
  readonly id: string
  /** In the file, from 1. */
  readonly position: number
  /** Where it stands: `tasks.toml:12`, `tasks.jsonl:3`. */
  readonly at: string
  readonly task: string | undefined
  readonly taskFile: string | undefined
  readonly inputs: readonly string[]
  readonly workspace: string | undefined
  readonly script: string | undefined
  readonly outputSchema: string | undefined
  /** Configuration keys of this task alone, as agent.toml has them. */
  readonly config: JsonObject
}

/** What the head of a file of tasks says about the whole batch. */
export interface TaskListHead {
  readonly max_cost_usd?: number | undefined
  readonly timeout_sec?: number | undefined
  readonly max_failures?: number | undefined
  readonly fail_fast?: boolean | undefined
  readonly concurrency?: number | undefined
}

/** A file of tasks. */
export interface TaskList {
  /** As it was named. */
  readonly file: string
  /** The same for the same tasks, on every machine. */
  readonly digest: string
  readonly head: TaskListHead
  readonly tasks: readonly TaskEntry[]
}
