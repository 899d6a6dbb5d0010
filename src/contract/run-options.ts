import type { RunEvent } from "./event.ts"
import type { Model } from "./model.ts"
import type { BrowserAuthorization } from "./server-auth.ts"
import type { Sink } from "./sink.ts"
import type { Tool } from "./tool.ts"

/** What a run can be told; the same names as the options of the command line, in camelCase. */
export interface RunOptions {
  /** The task, the file it is in (`-` is standard input), or a prompt of a server as SERVER/NAME. Exactly one of the three. */
  readonly task?: string
  readonly taskFile?: string
  readonly prompt?: string
  /** The arguments of the prompt, each NAME=VALUE. */
  readonly promptArgs?: readonly string[]
  /** Files with untrusted text that goes with the task, marked as data. */
  readonly inputs?: readonly string[]
  /** Plan mode: calls that only read run, everything else is queued into this file. */
  readonly plan?: string
  /** Run the calls of a plan instead of a task, without a model. */
  readonly apply?: ApplyRequest
  /** Go on with a paused run instead of beginning one. */
  readonly resume?: ResumeRequest
  /** The tree the agent works on. Default: the working folder. */
  readonly workspace?: string

  readonly config?: readonly string[]
  readonly set?: readonly string[]
  readonly bare?: boolean
  readonly allow?: readonly string[]
  readonly deny?: readonly string[]
  readonly broad?: boolean
  readonly mcpServers?: readonly string[]
  readonly only?: readonly string[]
  readonly without?: readonly string[]
  /** End before the model is asked when a server is not what agent.lock says. */
  readonly locked?: boolean
  /** Ask servers again that needed authentication less than 15 minutes ago. */
  readonly refreshAuth?: boolean

  /** The id of a model of the API, or a model of your own. */
  readonly model?: string | Model
  readonly fallbackModels?: readonly string[]
  readonly baseUrl?: string
  /** A file with the turns of a scripted model. */
  readonly script?: string

  /** A file with a JSON Schema that the answer must fit. */
  readonly outputSchema?: string

  readonly maxTurns?: number
  readonly maxCostUsd?: number
  readonly maxTokens?: number
  readonly timeoutMs?: number
  readonly maxDenials?: number

  readonly report?: string
  readonly transcript?: string
  readonly summary?: string
  readonly junit?: string
  readonly html?: string
  readonly sarif?: string
  readonly outDir?: string

  /** More files and folders that belong to the caller: tools leave them alone, and they are no change of the workspace. */
  readonly offLimits?: readonly string[]

  /** A person with a browser for servers that want one; without it they are needs-auth. */
  readonly browser?: BrowserAuthorization
  /** Tools of your own, next to the built-in and MCP tools; the same rules decide them. */
  readonly tools?: readonly Tool[]
  /** Called with every event, already redacted. */
  readonly onEvent?: (event: RunEvent) => void
  readonly sinks?: readonly Sink[]
  /** Ends the run early; abort it with a `Reason`, or with anything to have it reported as interrupted. */
  readonly signal?: AbortSignal
}

/** A paused run, and answers to the calls that wait in it. */
export interface ResumeRequest {
  /** The transcript that the paused run wrote; the run goes on in the same file. */
  readonly transcript: string
  /** Ids of calls, or `all`. */
  readonly approve?: readonly string[]
  readonly reject?: readonly string[]
  /** Recorded with every answer given here. */
  readonly reason?: string
}

/** A plan to apply, and how. */
export interface ApplyRequest {
  /** The file that `plan` wrote. */
  readonly plan: string
  /** Ids of the calls to run; all of them unless given. */
  readonly only?: readonly string[]
  /** Go on after a failed call. */
  readonly keepGoing?: boolean
}

/** What a run takes from the process it runs in. */
export interface Host {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly stdin: NodeJS.ReadableStream
  /** A line for people that belongs to no event. */
  readonly log: (line: string) => void
}
