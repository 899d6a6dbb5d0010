import * as z from "zod/mini"
import { builtinToolNames } from "../contract/tool.ts"
import { hooksSchema } from "./hook-schema.ts"
import { automatic, described, jsonValue, mapOf, name, names, positiveCount, seconds, text } from "./schema-values.ts"
import { serverSchema } from "./server-schema.ts"

const actions = ["deny", "ask", "allow"] as const
const dollars = z.number().check(z.minimum(0))
const amount = z.int().check(z.minimum(0))
const pauseMs = z.int().check(z.minimum(0), z.maximum(600_000))

const priceSchema = z.strictObject({
  input: described(dollars, "Dollars per million input tokens."),
  output: described(dollars, "Dollars per million output tokens."),
  cache_read: described(dollars, "Dollars per million tokens read from the cache."),
  cache_write: described(dollars, "Dollars per million tokens written to the cache."),
})

const agentSchema = z.strictObject({
  model: described(z._default(name, "claude-sonnet-5-5"), "The model that does the work."),
  fallback_models: described(z._default(names, []), "Models to use, in order, when the one before stays overloaded."),
  system_prompt: described(z.optional(text), "Replaces the built-in system prompt."),
  system_prompt_file: described(z.optional(name), "File that replaces the built-in system prompt."),
  instructions_file: described(
    z.optional(name),
    "File appended to the system prompt, such as AGENTS.md. None is loaded by itself.",
  ),
  max_turns: described(z._default(positiveCount, 50), "Requests that may call tools."),
  timeout_sec: described(z._default(seconds, 1800), "Time for the whole run, in seconds."),
  max_cost_usd: described(
    z.optional(z.number().check(z.gt(0))),
    "Cost of the run in US dollars. Unlimited unless set.",
  ),
  max_tokens: described(
    z.optional(positiveCount),
    "Tokens of the run: input including cache, plus output. Unlimited unless set.",
  ),
  max_output_tokens: described(z._default(positiveCount, 16_384), "Longest answer of one request, in tokens."),
  effort: described(
    z.optional(z.enum(["low", "medium", "high", "xhigh", "max"])),
    "How hard the model thinks. Default: the model's own.",
  ),
  prices: described(z._default(mapOf(priceSchema), {}), "Prices by model id, for models that have none or other ones."),
})

const retrySchema = z.strictObject({
  max_attempts: described(
    z._default(positiveCount, 3),
    "Attempts of one call, and of one reconnection, with the first. 1: never again.",
  ),
  initial_ms: described(
    z._default(pauseMs, 250),
    "First pause, in milliseconds; each further one is about twice as long.",
  ),
  max_ms: described(z._default(pauseMs, 5000), "Longest pause, in milliseconds."),
})

const mcpSchema = z.strictObject({
  auto_connect: described(z._default(z.boolean(), true), "Start all servers; false: only those named by --only."),
  lazy_loading: described(
    z._default(automatic, "auto"),
    "Load the definitions of MCP tools on demand; auto: when they are more than about 8,000 tokens.",
  ),
  deferred_tools: described(
    z._default(automatic, "auto"),
    "Use the API's deferred tools for that; auto: at the vendor's own endpoint. false: loaded definitions are appended.",
  ),
  summary_description_limit: described(
    z._default(positiveCount, 100),
    "Longest summary of a tool that is not loaded, in characters.",
  ),
  max_tools_per_search: described(z._default(positiveCount, 5), "Most tools that one mcp_tool_search finds and loads."),
  always_load_tools: described(
    z._default(names, []),
    "Globs on full tool names, such as mcp__github__get_*: which never wait to be loaded on demand.",
  ),
  description_limit: described(
    z._default(positiveCount, 2048),
    "Longest description of a tool and longest instructions of a server, in characters.",
  ),
  local_concurrency: described(
    z._default(positiveCount, 3),
    "stdio servers started at a time. AGENT_RUN_MCP_LOCAL_CONCURRENCY overrides it.",
  ),
  remote_concurrency: described(
    z._default(positiveCount, 20),
    "Remote servers connected at a time. AGENT_RUN_MCP_REMOTE_CONCURRENCY overrides it.",
  ),
  retry: described(
    z.prefault(retrySchema, {}),
    "How calls that cannot have run, and lost connections, are tried again.",
  ),
  dead_letter_file: described(
    z.optional(name),
    "File that gets a JSON line for every MCP call that failed for good. None unless set.",
  ),
  import: described(z._default(names, [".mcp.json"]), "JSON files with MCP servers to read as part of the project."),
  catalog_url: described(
    z.optional(name),
    "https URL of mcpServers JSON with more remote servers, below all others. Not allowed in project files; never loaded when there is a managed file.",
  ),
  exclusive: described(z._default(z.boolean(), false), "Managed file only: no server of any other place starts."),
})

const securitySchema = z.strictObject({
  mcp_server_allowlist: described(z._default(names, []), "When not empty, only these servers start."),
  mcp_server_denylist: described(z._default(names, []), "These servers never start. Lists of all files add up."),
  sandbox: described(
    z._default(z.enum(["auto", "require", "off"]), "auto"),
    "Run the commands of Bash in bubblewrap, where they see no other process and leave none; auto: if it works here, require: or end with exit code 2.",
  ),
  redact: described(
    z._default(z.array(text.check(z.superRefine(checkMask))), []),
    "Regular expressions; what matches is masked in every output. Lists of all files add up.",
  ),
  redact_env: described(
    z._default(names, []),
    "Globs on variable names whose values are masked in every output. Lists of all files add up.",
  ),
})

/** The keys of `[[permissions.rules]]`. */
export const ruleSchema = z.strictObject({
  tool: described(name, "Glob on the tool name, such as mcp__github__*."),
  action: described(z.enum(actions), "What happens to a call that matches. deny beats ask beats allow."),
  args: described(z.optional(mapOf(text)), "Argument, as a dotted path → glob that its value must match."),
  commands: described(
    z.optional(names.check(z.minLength(1))),
    "Bash only: exact words of a command; a final * admits more.",
  ),
  paths: described(z.optional(names.check(z.minLength(1))), "File tools only: globs on paths inside the workspace."),
  broad: described(
    z._default(z.boolean(), false),
    "Needed for an allow that matches the tools of several servers, or Bash without commands.",
  ),
})

const permissionsSchema = z.strictObject({
  default: described(z._default(z.enum(actions), "deny"), "What happens to a call that no rule matches."),
  broad: described(z._default(z.boolean(), false), 'Needed for default = "allow".'),
  on_denied: described(
    z._default(z.enum(["continue", "fail"]), "continue"),
    "fail ends the run with exit code 7 at the first denied call.",
  ),
  max_denials: described(
    z.optional(amount),
    "End the run when more calls than this were denied. Unlimited unless set.",
  ),
  on_ask: described(
    z._default(z.enum(["deny", "pause", "command"]), "deny"),
    "What happens to a call that a person has to approve: deny it, pause the run with exit code 3, or ask ask_command.",
  ),
  ask_command: described(
    z.optional(names.check(z.minLength(1))),
    'on_ask = "command": program and arguments that get the request as JSON on stdin and answer {"approve": true} on stdout.',
  ),
  ask_timeout_sec: described(z._default(seconds, 300), "Time for one answer of ask_command; later is a denial."),
  ask_env_vars: described(
    z._default(names, []),
    "Names of our own variables that ask_command may see beside the safe base.",
  ),
  read_only: described(
    z._default(names, []),
    "Globs on names of tools that only read, so that they run in plan mode and while approvals wait.",
  ),
  rules: described(z._default(z.array(ruleSchema), []), "Permission rules. Rules of all files add up."),
})

const bashSchema = z.strictObject({
  timeout_sec: described(z._default(seconds, 120), "Time for one command, in seconds."),
  env_vars: described(z._default(names, []), "Names of our own variables that commands may see beside the safe base."),
})

/** The keys of `[[tools.custom]]`. */
export const customToolSchema = z.strictObject({
  name: described(
    name.check(z.regex(/^[a-zA-Z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, _ and -")),
    "The name the model, the rules and the reports use.",
  ),
  description: described(name, "What the model is told about it."),
  uses: described(
    name,
    "The tool it calls: mcp__SERVER__TOOL or a built-in one. That call is decided by the rules too.",
  ),
  fixed: described(z._default(mapOf(jsonValue), {}), "Arguments that the model neither sees nor sets."),
  defaults: described(z._default(mapOf(jsonValue), {}), "Arguments that the model may leave out."),
})

const toolsSchema = z.strictObject({
  builtin: described(
    z._default(z.array(z.enum(builtinToolNames)), [...builtinToolNames]),
    "The built-in tools to offer.",
  ),
  bash: described(z.prefault(bashSchema, {}), "The Bash tool."),
  agent: described(
    z._default(z.boolean(), false),
    "Offer Agent, which gives a part of the task to a sub-agent. Calling it needs a rule.",
  ),
  max_result_chars: described(
    z._default(positiveCount, 30_000),
    "Longest text of one result, in characters; more is cut in the middle.",
  ),
  custom: described(
    z._default(z.array(customToolSchema), []),
    "Tools of your own that call others with less freedom. Those of all files add up; of one name, the highest counts.",
  ),
})

const expectSchema = z.strictObject({
  some_call_succeeds: described(
    z._default(z.boolean(), true),
    "A run that called tools and saw every call fail ends with exit code 8.",
  ),
  tools_called: described(z._default(names, []), "Globs on tool names; each must match a call that succeeded."),
  tools_not_called: described(z._default(names, []), "Globs on tool names; none may match a call that was run."),
  files_changed: described(z._default(names, []), "Globs on paths; each must match a file that the run changed."),
  files_unchanged: described(z._default(names, []), "Globs on paths; none may match a file that the run changed."),
  answer_matches: described(
    z.optional(text.check(z.superRefine(checkPattern))),
    "Regular expression that the answer must match.",
  ),
  max_cost_usd: described(z.optional(dollars), "The run must not have cost more."),
  max_turns: described(z.optional(amount), "The run must not have taken more turns."),
  max_denied: described(z.optional(amount), "No more calls than this may have been denied."),
})

const outputSchema = z.strictObject({
  report: described(z.optional(name), "File for the JSON report."),
  transcript: described(z.optional(name), "File for the transcript, one JSON event a line."),
  summary: described(z.optional(name), "File for the Markdown summary."),
  junit: described(z.optional(name), "File for JUnit XML: the run, each expectation, each failed or denied call."),
  html: described(z.optional(name), "File for a page about the run, complete in itself."),
  sarif: described(z.optional(name), "File for what the agent reported with report_finding, as SARIF."),
  findings: described(
    z._default(z.boolean(), false),
    "Offer report_finding, with which the agent reports what it found, with file and line. It needs no rule.",
  ),
  out_dir: described(z.optional(name), "Folder for all outputs, under fixed names."),
})

/** Every key of agent.toml with its type, default and description: the one home of all three. */
export const configSchema = z.strictObject({
  agent: described(z.prefault(agentSchema, {}), "The model and the limits of a run."),
  mcp_servers: described(
    z._default(mapOf(serverSchema), {}),
    "MCP servers by name. A server of a higher scope replaces one of the same name whole.",
  ),
  mcp: described(z.prefault(mcpSchema, {}), "How all MCP servers are started and presented."),
  security: described(
    z.prefault(securitySchema, {}),
    "Which servers may start, how commands are confined, and what is masked.",
  ),
  permissions: described(z.prefault(permissionsSchema, {}), "What the agent may do."),
  tools: described(z.prefault(toolsSchema, {}), "The built-in tools."),
  hooks: described(z.prefault(hooksSchema, {}), "Programs that are told of calls and of the run, and may answer."),
  expect: described(z.prefault(expectSchema, {}), "What must hold at the end of a run that would be green."),
  output: described(z.prefault(outputSchema, {}), "Where the files of a run go."),
})

/** A configuration with all defaults, as its keys are spelled in files. */
export type ConfigValues = z.infer<typeof configSchema>

function checkPattern(pattern: string, context: { addIssue(message: string): void }): void {
  try {
    new RegExp(pattern, "u").test("")
  } catch (error) {
    context.addIssue(`is not a regular expression: ${error instanceof Error ? error.message : error}`)
  }
}

function checkMask(pattern: string, context: { addIssue(message: string): void }): void {
  try {
    if (new RegExp(pattern).test("")) context.addIssue("matches the empty text, and so would mask everything")
  } catch (error) {
    context.addIssue(`is not a regular expression: ${error instanceof Error ? error.message : error}`)
  }
}
