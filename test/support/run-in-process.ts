import { Readable } from "node:stream"
import { type RunEvent, runEventSchema } from "../../src/contract/event.ts"
import { type Report, reportSchema } from "../../src/contract/report.ts"
import type { RunOptions } from "../../src/contract/run-options.ts"
import { createScriptModel } from "../../src/model/script.ts"
import type { Script } from "../../src/model/script-schema.ts"
import { run } from "../../src/run.ts"
import { scratchFolder } from "./scratch-folder.ts"

/** A run inside the test process: everything real but the process and, when `turns` are given, the model. */
export interface InProcessRun extends Omit<RunOptions, "onEvent"> {
  readonly turns?: Script["turns"]
  readonly env?: Readonly<Record<string, string>>
}

/** What a run gave back; report and events are valid against their schemas. */
export interface InProcessResult {
  readonly report: Report
  readonly events: readonly RunEvent[]
  readonly workspace: string
}

/** Run a task in a scratch workspace and collect its events. */
export async function runInProcess({ turns, env, ...options }: InProcessRun): Promise<InProcessResult> {
  const workspace = options.workspace ?? (await scratchFolder())
  const events: RunEvent[] = []
  const report = await run(
    {
      task: "do it",
      bare: true,
      ...(turns ? { model: createScriptModel({ turns }) } : {}),
      ...options,
      workspace,
      onEvent: (event) => events.push(runEventSchema.parse(event)),
    },
    {
      env: { PATH: process.env.PATH, HOME: workspace, ...env },
      cwd: workspace,
      stdin: Readable.from([]),
      log: () => {},
    },
  )
  return { report: reportSchema.parse(report), events, workspace }
}

/** The events of one type. */
export function eventsOf<Type extends RunEvent["type"]>(events: readonly RunEvent[], type: Type) {
  return events.filter((event): event is Extract<RunEvent, { type: Type }> => event.type === type)
}
