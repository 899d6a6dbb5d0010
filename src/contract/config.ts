import type { Rule } from "./decision.ts"
import type { JsonObject } from "./json.ts"
import type { Price } from "./model.ts"
import type { OutputPaths } from "./output.ts"
import type { DisabledServer, ServerConfig } from "./server.ts"

/** `[agent]`: the model and the limits of a run. */
export interface AgentSettings {
  readonly model: string
  readonly fallbackModels: readonly string[]
  /** Replaces our own system prompt; the contents of `system_prompt_file` end up here too. */
  readonly systemPrompt: string | null
  /** The contents of `instructions_file`, appended to the system prompt. */
  readonly instructions: string | null
  readonly maxTurns: number
  readonly timeoutMs: number
  readonly maxCostUsd: number | null
  readonly maxTokens: number | null
  readonly maxOutputTokens: number
  readonly effort: "low" | "medium" | "high" | "xhigh" | "max" | null
  readonly prices: Readonly<Record<string, Price>>
}

/** `[mcp]`: how all servers are started and presented. */
export interface McpSettings {
  /** Do definitions of MCP tools wait until they are needed? `auto`: when they are many tokens. */
  readonly lazyLoading: "auto" | boolean
  /** Are they left to the API as deferred tools? `auto`: at the vendor's own endpoint. */
  readonly deferredTools: "auto" | boolean
  readonly summaryDescriptionLimit: number
  readonly maxToolsPerSearch: number
  /** Globs on full names of tools that never wait. */
  readonly alwaysLoadTools: readonly string[]
  readonly descriptionLimit: number
  readonly localConcurrency: number
  readonly remoteConcurrency: number
  readonly retry: RetrySettings
  /** Absolute; `null` is "not written". */
  readonly deadLetterFile: string | null
}

/** `[mcp.retry]`: attempts include the first; pauses grow from `initialMs` to `maxMs`. */
export interface RetrySettings {
  readonly maxAttempts: number
  readonly initialMs: number
  readonly maxMs: number
}

/** `[security]`, as far as it acts after servers were chosen. */
export interface SecuritySettings {
  readonly redact: readonly string[]
  readonly redactEnv: readonly string[]
  /** Are commands of Bash confined? `auto`: when that is possible. */
  readonly sandbox: "auto" | "require" | "off"
}

/** `[permissions]`: the rules and what their answers mean for the run. */
export interface PermissionSettings {
  readonly default: { readonly action: "deny" | "ask" | "allow"; readonly source: string }
  readonly onDenied: "continue" | "fail"
  readonly maxDenials: number | null
  /** What happens to a call that a person has to approve. */
  readonly onAsk:
    | { readonly kind: "deny" }
    | { readonly kind: "pause" }
    | {
        readonly kind: "command"
        readonly command: readonly string[]
        readonly timeoutMs: number
        readonly env: Readonly<Record<string, string>>
      }
  /** Globs on names of tools that only read, whatever they say of themselves. */
  readonly readOnly: readonly string[]
  readonly rules: readonly Rule[]
}

/** One of `[[tools.custom]]`: a tool of the user's own that calls another one. */
export interface CustomToolSettings {
  readonly name: string
  readonly description: string
  /** The name of the tool it calls. */
  readonly uses: string
  /** Arguments that the model neither sees nor sets. */
  readonly fixed: JsonObject
  /** Arguments that the model may leave out. */
  readonly defaults: JsonObject
  /** Where a person can change it. */
  readonly source: string
}

/** `[tools]`: which built-in tools are offered and how far they may go. */
export interface ToolSettings {
  readonly builtin: readonly string[]
  /** Is the tool Agent offered? */
  readonly agent: boolean
  readonly bash: { readonly timeoutMs: number; readonly env: Readonly<Record<string, string>> }
  /** Longest text of one result; more is cut in the middle, head and tail kept. */
  readonly maxResultChars: number
  readonly custom: readonly CustomToolSettings[]
}

/** Which calls a hook is about: the same keys as those of a rule, matched like a deny. */
export type HookPattern = Pick<Rule, "tool" | "args" | "commands" | "paths" | "source">

/** A program that is told of a moment of the run and may answer; `source` is where a person can change it. */
export interface Hook {
  /** The program and its arguments; no shell. */
  readonly command: readonly string[]
  readonly timeoutMs: number
  /** The complete environment of the program. */
  readonly env: Readonly<Record<string, string>>
  readonly source: string
}

/** `[hooks]`, in the order in which they run: those of the lowest scope first, so that the highest has the last word. */
export interface HookSettings {
  readonly preToolUse: readonly (Hook & HookPattern)[]
  readonly postToolUse: readonly (Hook & HookPattern)[]
  readonly runStart: readonly Hook[]
  readonly runEnd: readonly Hook[]
}

/** `[expect]`: what must hold at the end of a run that would be green. */
export interface ExpectSettings {
  readonly someCallSucceeds: boolean
  /** Globs on tool names: each must match a call that succeeded; none may match a call that ran. */
  readonly toolsCalled: readonly string[]
  readonly toolsNotCalled: readonly string[]
  /** Globs on changed paths: each must match one; none may match one. */
  readonly filesChanged: readonly string[]
  readonly filesUnchanged: readonly string[]
  /** A regular expression. */
  readonly answerMatches: string | null
  readonly maxCostUsd: number | null
  readonly maxTurns: number | null
  readonly maxDenied: number | null
}

/** Something a person should know that does not stop the run. */
export interface ConfigWarning {
  readonly code: string
  readonly message: string
}

/** The whole effective configuration of one run: merged, validated, expanded, with defaults. */
export interface Config {
  readonly agent: AgentSettings
  readonly mcp: McpSettings
  readonly servers: readonly ServerConfig[]
  readonly disabledServers: readonly DisabledServer[]
  readonly security: SecuritySettings
  readonly permissions: PermissionSettings
  readonly tools: ToolSettings
  readonly hooks: HookSettings
  readonly expect: ExpectSettings
  readonly output: OutputPaths
  /** Where things may be remembered between runs; `null` is nowhere. */
  readonly cacheFolder: string | null
  /** `output.findings`: is the tool report_finding offered? */
  readonly findings: boolean
  /** The files that were read, as people know them, in order of precedence, highest first. */
  readonly sources: readonly string[]
  /** The same files as absolute paths: what the agent must not touch. */
  readonly files: readonly string[]
  /** Programs that files of the work tree start, in words; empty when those files are not trusted. */
  readonly starts: readonly string[]
  /** Where agent.lock is or would be. Absolute. */
  readonly lockFile: string
  readonly warnings: readonly ConfigWarning[]
}
