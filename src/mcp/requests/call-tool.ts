import { setTimeout as pause } from "node:timers/promises"
import { isJsonObject, type JsonObject } from "../../contract/json.ts"
import type { Connection } from "../connection.ts"
import type { ServerTool } from "../discover.ts"
import type { SentAnswer } from "../life/send.ts"
import type { Answer, RequestContext } from "../session.ts"

/** Call a tool, as a task where the tool insists on that. */
export function callTool(
  connection: Connection,
  tool: ServerTool,
  call: RequestContext & { readonly input: JsonObject },
): Promise<SentAnswer> {
  const params = { name: tool.name, arguments: call.input }
  return tool.needsTask ? runTask(connection, tool, params, call) : connection.call(tool, params, call)
}

interface Task {
  readonly taskId: string
  readonly status: string
  readonly pollMs: number
  readonly message: string | undefined
  /** Changes whenever the server says that something happened. */
  readonly mark: string
}

/** A task whose status keeps changing may take this many times its timeout. */
const renewals = 10
const cancelMs = 1000

async function runTask(
  connection: Connection,
  tool: ServerTool,
  params: JsonObject,
  call: RequestContext,
): Promise<SentAnswer> {
  const { toolTimeoutMs } = connection.config
  const task = { ttl: toolTimeoutMs * renewals }
  const created = await connection.call(tool, { ...params, task }, call)
  const first = created.ok && isJsonObject(created.result) ? readTask(created.result.task) : null
  // Without a task in it, the answer is the answer.
  if (first === null) return created
  const { taskId } = first
  const failed = await follow(connection, first, call)
  const answer = failed ?? (await connection.request("tasks/result", { taskId }, call))
  const givenUp = !answer.ok && (answer.failure.kind === "timeout" || answer.failure.kind === "aborted")
  // A server that is gone took its tasks with it, and is not started for this.
  if (givenUp && connection.state().status === "connected") {
    await connection.request("tasks/cancel", { taskId }, { signal: AbortSignal.timeout(cancelMs) })
  }
  return { ...answer, attempts: created.attempts }
}

/** Ask again and again until the task is over or wants something; `null`, or why that did not come to pass. */
async function follow(connection: Connection, first: Task, call: RequestContext): Promise<Answer | null> {
  const { toolTimeoutMs } = connection.config
  const lastAt = performance.now() + toolTimeoutMs * renewals
  let task = first
  let changes = 0
  let endsAt = performance.now() + toolTimeoutMs
  while (task.status === "working") {
    const leftMs = Math.min(endsAt, lastAt) - performance.now()
    if (leftMs <= 0) return { ok: false, failure: { kind: "timeout", message: "the time ran out" } }
    const stopped = await pause(Math.min(task.pollMs, leftMs), false, { signal: call.signal }).catch(() => true)
    if (stopped) return { ok: false, failure: { kind: "aborted", message: "the run was stopped" } }
    const { taskId } = task
    const answer = await connection.request("tasks/get", { taskId }, { signal: call.signal })
    const next = answer.ok ? readTask(answer.result) : null
    if (next === null) return answer.ok ? null : answer
    if (next.mark !== task.mark) {
      changes += 1
      endsAt = performance.now() + toolTimeoutMs
      call.onProgress?.({ progress: changes, message: next.message })
    }
    task = next
  }
  return null
}

const shortestPollMs = 50
const longestPollMs = 5000
const usualPollMs = 500

function readTask(value: unknown): Task | null {
  if (!isJsonObject(value) || typeof value.taskId !== "string") return null
  const { taskId, status, pollInterval, statusMessage, lastUpdatedAt } = value
  const wanted = typeof pollInterval === "number" && pollInterval > 0 ? pollInterval : usualPollMs
  return {
    taskId,
    status: String(status),
    pollMs: Math.min(Math.max(wanted, shortestPollMs), longestPollMs),
    message: typeof statusMessage === "string" ? statusMessage : undefined,
    mark: JSON.stringify([status, statusMessage, lastUpdatedAt]),
  }
}
