import * as z from "zod/mini"
import { messageBlockSchema, resultBlockSchema } from "./event-block.ts"
import { findingSchema } from "./finding.ts"
import { type ReasonCode, reasons } from "./reason.ts"

/** How an approval is recorded. */
export const confirmed = "Yes, confirmed."

/** How a rejection is recorded. */
export const denied = "No, denied."

const count = z.int().check(z.nonnegative())
const text = z.string()

/** The five states of a server, as every event and report spells them. */
export const serverStatusSchema = z.enum(["pending", "connected", "failed", "needs-auth", "disabled"])

/** Tokens as the report and the transcript spell them. */
export const usageSchema = z.object({
  input_tokens: count,
  output_tokens: count,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
})

/** The levels at which servers log, least urgent first. */
export const logLevelSchema = z.enum(["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"])

/** A decision as the report and the transcript spell it: what, which rule, and where a person can change it. */
export const decisionSchema = z.object({ action: z.enum(["allow", "ask", "deny"]), rule: text, source: text })

/** Why a run did not complete. */
export const reasonSchema = z.object({
  code: z.enum(Object.keys(reasons) as [ReasonCode, ...ReasonCode[]]),
  message: text,
  hint: z.nullable(text),
})

/** A file that a queued call would change: as it was (`null`: not there) and what would become of it. */
export const editSchema = z.object({ path: text, before: z.nullable(text), diff: text })

/** A call that plan mode queued, all but the words that the model had for it. */
const queuedCallSchema = {
  plan_id: text,
  call_id: text,
  tool: text,
  server: z.nullable(text),
  input: z.unknown(),
  refill: z.array(text),
  decision: decisionSchema,
  edit: z.nullable(editSchema),
}

/** The CI system that the run is a job of, and the page of that job. */
export const ciSchema = z.object({
  name: z.enum(["GitHub Actions", "GitLab", "Jenkins", "CircleCI", "Buildkite"]),
  url: z.nullable(text),
})

/** A file that the run changed in the workspace. */
export const fileChangeSchema = z.object({ path: text, added: count, removed: count })

/** What had to hold at the end of a run that would be green, and whether it did. */
export const expectationSchema = z.object({ name: text, ok: z.boolean(), message: text })

/** Why a call has no good result. */
export const callErrorCodeSchema = z.enum([
  "denied",
  "unknown_tool",
  "invalid_input",
  "tool_error",
  "timeout",
  "server_unavailable",
  "protocol_error",
  "not_run",
  "aborted",
])

const answered = {
  model: z.nullable(text),
  usage: z.nullable(usageSchema),
  cost_usd: z.nullable(z.number()),
}

const stamp = {
  schema_version: z.literal(1),
  seq: count,
  at: z.iso.datetime(),
  /** The call of Agent whose sub-agent this event belongs to. */
  parent_call_id: z.optional(text),
  /** Over all lines up to this one; in `run.end`, and in every event after a pause. */
  digest: z.optional(text),
}
const server = { server: text, transport: text, state: serverStatusSchema }
const call = { turn: count, call_id: text, tool: text, server: z.nullable(text) }

function eventSchema<Type extends string, Shape extends z.core.$ZodShape>(type: Type, meaning: string, shape: Shape) {
  return z.object({ ...stamp, type: z.literal(type), ...shape }).check(z.describe(meaning))
}

/** Every event of a transcript. The one home of their names, fields and meanings. */
export const runEventSchema = z.discriminatedUnion("type", [
  eventSchema("run.start", "The run begins, or goes on after a pause; always the first event.", {
    run_id: text,
    version: text,
    task: text,
    model: text,
    workspace: text,
    config_sources: z.array(text),
    sandbox: text,
    config_digest: z.optional(text),
    ci: z.optional(ciSchema),
    /** Programs that the configuration in the work tree starts. */
    starts: z.optional(z.array(text)),
    resumed: z.optional(z.literal(true)),
  }),
  eventSchema("server.connecting", "A connection to a server is being made.", server),
  eventSchema("server.connected", "A server is ready and its tools are known.", {
    ...server,
    tools: count,
    resources: count,
    prompts: count,
    connect_ms: count,
    protocol_version: z.nullable(text),
  }),
  eventSchema("server.changed", "A connected server offers something else than before.", {
    ...server,
    tools: count,
    resources: count,
    prompts: count,
    added: z.array(text),
    removed: z.array(text),
    changed: z.array(text),
  }),
  eventSchema(
    "server.disconnected",
    "A server is not, or no longer, connected: it was not started, was lost, or the run ended.",
    {
      ...server,
      reason: z.enum(["not_started", "lost", "run_end"]),
      detail: z.nullable(text),
    },
  ),
  eventSchema("server.error", "A server could not be connected, or failed while connected.", {
    ...server,
    error: text,
    hint: z.nullable(text),
    stderr_tail: z.nullable(text),
  }),
  eventSchema(
    "server.request",
    "A server asked something of us: where the workspace is, a person, or our model, whose usage counts in the run.",
    {
      server: text,
      method: text,
      outcome: z.enum(["answered", "declined", "refused"]),
      detail: z.nullable(text),
      request: z.unknown(),
      response: z.unknown(),
      ...answered,
    },
  ),
  eventSchema("server.log", "A server logged something; a flood is thinned out.", {
    server: text,
    level: logLevelSchema,
    logger: z.nullable(text),
    text,
  }),
  eventSchema("turn.start", "A request goes to the model; `summary` is the last one, asked at a limit.", {
    turn: count,
    kind: z.enum(["work", "summary"]),
  }),
  eventSchema("message", "A message of the conversation: the task, or what the model said.", {
    turn: count,
    role: z.enum(["user", "assistant"]),
    content: z.array(messageBlockSchema),
    stop_reason: z.nullable(text),
    ...answered,
  }),
  eventSchema("tool.call", "The model asked for a call and it was decided; an unknown tool has no decision.", {
    ...call,
    input: z.unknown(),
    wraps: z.optional(z.object({ tool: text, input: z.unknown() })),
    decision: z.nullable(decisionSchema),
    /** Of a call that is refused because no rule allows it: the rules that would, as TOML. */
    allow_with: z.optional(text),
    refill: z.optional(z.array(text)),
  }),
  eventSchema("approval.request", "A call waits for a person.", {
    ...call,
    input: z.unknown(),
    decision: decisionSchema,
  }),
  eventSchema("approval.answer", "Somebody, or the program in their place, answered a request.", {
    ...call,
    approved: z.boolean(),
    answer: z.enum([confirmed, denied]),
    reason: z.nullable(text),
    by: z.enum(["option", "command"]),
  }),
  eventSchema(
    "tool.started",
    "A call of a resumed run is about to run; this line is on the disk before it does.",
    call,
  ),
  eventSchema("tool.progress", "A server says how far a call is; at most once a second and call.", {
    call_id: text,
    tool: text,
    server: text,
    progress: z.number(),
    total: z.nullable(z.number()),
    message: z.nullable(text),
  }),
  eventSchema("tool.result", "The one answer to a call.", {
    ...call,
    state: z.enum(["output", "queued", "error", "denied", "not_run"]),
    ok: z.boolean(),
    duration_ms: count,
    error_code: z.nullable(callErrorCodeSchema),
    content: z.array(resultBlockSchema),
    structured: z.optional(z.unknown()),
  }),
  eventSchema(
    "hook",
    "A hook was told of a call or of the run. `decision` is there when the answer changed it, `input` when it changed that.",
    {
      hook: text,
      event: z.enum(["pre_tool_use", "post_tool_use", "run_start", "run_end"]),
      tool: z.nullable(text),
      call_id: z.nullable(text),
      outcome: z.enum(["passed", "changed", "blocked"]),
      duration_ms: count,
      reason: z.nullable(text),
      note: z.nullable(text),
      input: z.optional(z.unknown()),
      decision: z.optional(decisionSchema),
    },
  ),
  eventSchema("tool.search", "mcp_tool_search looked for tools; `names` are what it found, best first.", {
    query: text,
    regex: z.boolean(),
    results: count,
    names: z.array(text),
  }),
  eventSchema("finding", "The agent reported something it found in a file.", { call_id: text, ...findingSchema.shape }),
  eventSchema("tool.dynamicLoad", "The definition of a tool was loaded, because it was found or called.", {
    tool: text,
    server: z.nullable(text),
    by: z.enum(["search", "call"]),
  }),
  eventSchema(
    "plan.call",
    "Plan mode queued a call. `refill` names the variables whose values stand as placeholders in the input.",
    queuedCallSchema,
  ),
  eventSchema("retry", "Something failed in a way that is worth another try.", {
    what: z.enum(["model", "mcp"]),
    attempt: count,
    delay_ms: count,
    error: text,
  }),
  eventSchema("limit", "A limit was reached or is near enough to stop.", {
    limit: z.enum(["max_turns", "max_cost_usd", "max_tokens", "timeout", "max_denials", "repeated_call"]),
    allowed: z.number(),
    used: z.number(),
  }),
  eventSchema("warning", "Something a person should know that does not stop the run.", { code: text, message: text }),
  eventSchema("run.end", "The run is over or paused; always the last event, on every path.", {
    status: z.enum(["completed", "paused", "stopped", "failed"]),
    exit_code: count,
    reason: z.nullable(reasonSchema),
    answer: z.nullable(text),
    structured: z.optional(z.unknown()),
    duration_ms: count,
    tools_offered: count,
    tools_deferred: count,
    files_changed: z.array(fileChangeSchema),
    expectations: z.array(expectationSchema),
    redactions: count,
  }),
])

/** One line of a transcript. */
export type RunEvent = z.infer<typeof runEventSchema>

/** One kind of event, by its name. */
export type RunEventOf<Type extends RunEvent["type"]> = Extract<RunEvent, { type: Type }>

type Unstamped<Event> = Event extends RunEvent ? Omit<Event, "schema_version" | "seq" | "at"> : never

/** An event before the bus numbers, dates and redacts it. */
export type RunEventBody = Unstamped<RunEvent>

/** Say that something happened. Synchronous; never throws. */
export type Emit = (event: RunEventBody) => void
