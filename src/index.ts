import type { Report } from "./contract/report.ts"
import type { RunOptions } from "./contract/run-options.ts"
import { run as runInHost } from "./run.ts"

export type { RunEvent } from "./contract/event.ts"
export type { Model, ModelAnswer, ModelRequest } from "./contract/model.ts"
export type { Reason, ReasonCode } from "./contract/reason.ts"
export type { Report } from "./contract/report.ts"
export type { RunOptions } from "./contract/run-options.ts"
export type { BrowserAuthorization } from "./contract/server-auth.ts"
export type { Sink } from "./contract/sink.ts"
export type { Tool, ToolContext, ToolResult } from "./contract/tool.ts"
export { createScriptModel } from "./model/script.ts"
export { defineTool } from "./tools/define-tool.ts"

/** Run a task and get its report. Never throws: what went wrong is in `exit_code` and `reason`. */
export function run(options: RunOptions): Promise<Report> {
  const log = (line: string) => process.stderr.write(`${line}\n`)
  return runInHost(options, { env: process.env, cwd: process.cwd(), stdin: process.stdin, log })
}
