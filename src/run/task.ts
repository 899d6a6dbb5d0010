import { randomBytes } from "node:crypto"
import { addInputs } from "../agent/inputs.ts"
import { checkTask, readTask } from "../agent/task.ts"
import type { Host, RunOptions } from "../contract/run-options.ts"
import type { Pool } from "../mcp/pool.ts"
import { fetchPrompt, readPromptArguments } from "./prompt-task.ts"
import { readInputs } from "./read-inputs.ts"

/** What the agent shall do, as far as it can be known before the servers run. */
export interface Task {
  /** For the first event: the task itself, or which prompt of which server it is. */
  readonly title: string
  /** The first message of the run. Throws a UserError when the prompt cannot be had. */
  compose(pool: Pool, signal: AbortSignal): Promise<string>
}

/** Find the one task of a run and its inputs. Throws a UserError when there is none, more than one, or one that cannot be read. */
export async function findTask(options: RunOptions, host: Host): Promise<Task> {
  const { task, taskFile, prompt, promptArgs = [] } = options
  const given = readPromptArguments(prompt, promptArgs)
  const text = await readTask({ task, taskFile, prompt, cwd: host.cwd, stdin: host.stdin, signal: options.signal })
  const inputs = await readInputs(options.inputs ?? [], host.cwd)
  const withInputs = (first: string) => addInputs(first, inputs, () => randomBytes(16).toString("hex"))
  if (prompt === undefined) return { title: text, compose: async () => withInputs(text) }
  return {
    title: [`prompt ${prompt}`, ...promptArgs].join(" "),
    compose: async (pool, signal) => withInputs(checkTask(await fetchPrompt({ pool, prompt, given, signal }))),
  }
}
