import type { ServerAuth } from "./server-auth.ts"

/** What a server may spend on our model in one run: tokens are input including cache, plus output. */
export interface SamplingBudget {
  readonly maxRequests: number
  readonly maxTokens: number
}

/** What every configured MCP server has, whatever its transport. */
interface ServerSettings {
  readonly name: string
  readonly enabled: boolean
  readonly required: boolean
  /** Do all tasks of a batch use one and the same? */
  readonly shared: boolean
  readonly startupTimeoutMs: number
  readonly discoveryTimeoutMs: number
  readonly toolTimeoutMs: number
  readonly enabledTools: readonly string[]
  readonly disabledTools: readonly string[]
  /** May what the server says of its tools let a call run where only reading is allowed, or be made again? */
  readonly trustHints: boolean
  /** Is the server told where the workspace is? */
  readonly roots: boolean
  /** What the server may spend on our model; `null` when it may not ask it. */
  readonly sampling: SamplingBudget | null
  /** What a server is answered that wants to ask a person. */
  readonly elicitation: "decline" | "defaults"
  /** Globs on the server's own names of tools whose definitions never wait. */
  readonly alwaysLoad: readonly string[]
  /** `auto` negotiates over http and speaks the older protocol elsewhere. */
  readonly protocol: "auto" | "legacy" | "2026-07-28"
  /** Where the server was configured, such as `agent.toml:3`. */
  readonly source: string
}

/** A server that we start as a child process. */
export interface StdioServerConfig extends ServerSettings {
  readonly transport: "stdio"
  readonly command: string
  readonly args: readonly string[]
  /** Absolute. */
  readonly cwd: string
  /** The complete environment of the child: safe base, `env`, `env_vars`. */
  readonly env: Readonly<Record<string, string>>
  readonly shutdownGraceMs: number
}

/** A server that already runs somewhere; `url` alone tries Streamable HTTP, then SSE. */
export interface RemoteServerConfig extends ServerSettings {
  readonly transport: "http" | "sse" | "ws" | "url"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** How tokens for it are obtained; never set together with an Authorization header. */
  readonly auth: ServerAuth | null
}

/** A server inside our own process. */
export interface SdkServerConfig extends ServerSettings {
  readonly transport: "sdk"
  /** Absolute path of the module that exports the server. */
  readonly module: string
}

/** One MCP server, ready to start: variables expanded, defaults filled in. */
export type ServerConfig = StdioServerConfig | RemoteServerConfig | SdkServerConfig

/** A configured server that will not start in this run, and why, in words for a person. */
export interface DisabledServer {
  readonly name: string
  readonly transport: ServerConfig["transport"]
  readonly required: boolean
  readonly why: string
}

/** The state of a server; everything but `connected` offers no tools. */
export type ServerState =
  /** Not connected yet, or not again: `lost` says why the connection before this one ended. */
  | { readonly status: "pending"; readonly lost?: string }
  | { readonly status: "connected"; readonly connectMs: number }
  | { readonly status: "failed"; readonly error: string }
  | { readonly status: "needs-auth"; readonly error: string }
  | { readonly status: "disabled"; readonly why: string }
