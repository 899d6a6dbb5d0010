import * as z from "zod/mini"
import { authSchema } from "./auth-schema.ts"
import { described, mapOf, name, names, positiveCount, seconds, text } from "./schema-values.ts"

/** The keys of `[mcp_servers.NAME]`: their types, defaults and descriptions. */
export const serverSchema = z.strictObject({
  type: described(
    z.optional(z.enum(["stdio", "http", "sse", "ws", "sdk"])),
    "The transport. Without it, `command` means stdio, and `url` tries Streamable HTTP, then SSE.",
  ),
  command: described(z.optional(name), "stdio: the program to start, without a shell."),
  args: described(z._default(z.array(text), []), "stdio: its arguments."),
  cwd: described(z.optional(name), "stdio: its working folder, relative to the workspace. Default: the workspace."),
  env: described(z._default(mapOf(text), {}), "stdio: variables it gets beside the safe base."),
  env_vars: described(z._default(names, []), "stdio: names of our own variables to pass on."),
  inherit_env: described(
    z._default(z.boolean(), false),
    "stdio: pass on our whole environment, secrets included. Not allowed in project files.",
  ),
  shutdown_grace_ms: described(
    z._default(z.int().check(z.minimum(0), z.maximum(60_000)), 50),
    "stdio: time between closing its stdin and SIGTERM, in milliseconds.",
  ),
  module: described(
    z.optional(name),
    "sdk: the module that exports a server to run inside our process, relative to this file. Not allowed in project files.",
  ),
  url: described(z.optional(name), "remote: the http or https endpoint; ws or wss with type ws."),
  headers: described(z._default(mapOf(text), {}), "remote: HTTP headers."),
  env_headers: described(
    z._default(mapOf(name), {}),
    "remote: HTTP header → name of the variable that holds its value.",
  ),
  bearer_token_env_var: described(
    z.optional(name),
    "remote: name of the variable that holds a bearer token for the Authorization header.",
  ),
  auth: described(z.optional(authSchema), "remote: OAuth without a browser; used when the server asks for a token."),
  protocol: described(
    z._default(z.enum(["auto", "legacy", "2026-07-28"]), "auto"),
    "The protocol to speak. auto: negotiated over http, the initialize handshake elsewhere.",
  ),
  enabled: described(z._default(z.boolean(), true), "Start this server."),
  required: described(z._default(z.boolean(), false), "End the run with exit code 5 when the server is not connected."),
  shared: described(
    z._default(z.boolean(), false),
    "Start it once for all tasks of a batch. Its cwd is then relative to the working folder of agent-run.",
  ),
  startup_timeout_sec: described(z._default(seconds, 15), "Time to connect and initialize, in seconds."),
  discovery_timeout_sec: described(z._default(seconds, 15), "Time to list tools, resources and prompts, in seconds."),
  tool_timeout_sec: described(z._default(seconds, 60), "Time for one call, in seconds."),
  enabled_tools: described(z._default(names, ["*"]), "Globs on the server's own tool names: which are offered."),
  disabled_tools: described(z._default(names, []), "Globs on the server's own tool names: which are hidden."),
  trust_hints: described(
    z._default(z.boolean(), false),
    "Believe its readOnlyHint and idempotentHint: in plan mode, while approvals wait, and where a call that may have run would be made again.",
  ),
  roots: described(z._default(z.boolean(), false), "Tell the server where the workspace is, as its only root."),
  sampling: described(z._default(z.boolean(), false), "Let the server ask our model, within the two budgets below."),
  sampling_max_requests: described(z._default(positiveCount, 5), "Requests that sampling may make in one run."),
  sampling_max_tokens: described(
    z._default(positiveCount, 50_000),
    "Tokens that sampling may use in one run: input including cache, plus output.",
  ),
  elicitation: described(
    z._default(z.enum(["decline", "defaults"]), "decline"),
    "A server that wants to ask a person gets a refusal, or the defaults of its own form where it has all it needs.",
  ),
  always_load: described(
    z._default(names, []),
    "Globs on the server's own tool names: which never wait to be loaded on demand.",
  ),
})

/** `[mcp_servers.NAME]` with its defaults filled in. */
export type ServerValues = z.infer<typeof serverSchema>

/** Keys that only a server with `command` has. */
export const stdioKeys = ["args", "cwd", "env", "env_vars", "inherit_env", "shutdown_grace_ms"] as const

/** Keys that only a server with `url` has. */
export const remoteKeys = ["headers", "env_headers", "bearer_token_env_var", "auth"] as const
