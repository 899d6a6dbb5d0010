import type { BatchReport, BatchTask } from "../../contract/batch.ts"
import { formatCount, formatQuantity } from "../format.ts"

const order = { failed: 0, stopped: 1, paused: 2, completed: 3 } as const

/** Tasks that need somebody first; otherwise in the order of the file. */
export function troubleFirst(tasks: readonly BatchTask[]): readonly BatchTask[] {
  return [...tasks].sort((a, b) => order[a.status] - order[b.status])
}

/** `400 tasks: 397 completed, 2 failed, 1 stopped, 3 not run` */
export function describeCounts({ tasks, not_run: notRun }: BatchReport): string {
  const counts = (["completed", "failed", "stopped", "paused"] as const).map((status) => {
    const count = tasks.filter((task) => task.status === status).length
    return count === 0 ? [] : [`${formatCount(count)} ${status}`]
  })
  const rest = notRun.length === 0 ? [] : [`${formatCount(notRun.length)} not run`]
  const all = [...counts.flat(), ...rest]
  return `${formatQuantity(tasks.length + notRun.length, "task")}${all.length === 0 ? "" : `: ${all.join(", ")}`}`
}

/** What part of a list a report is about: `shard 2/16 of tasks.toml (400 tasks)`. */
export function describePart({ batch: { list, shard, merged } }: BatchReport): string {
  const whole = `${list.file} (${formatQuantity(list.tasks, "task")})`
  if (merged > 0) return `${formatQuantity(merged, "report")} merged, of ${whole}`
  return shard === null ? whole : `shard ${shard.index}/${shard.total} of ${whole}`
}
