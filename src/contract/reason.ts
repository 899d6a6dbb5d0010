/** The status of a run as the report names it. */
export type RunStatus = "completed" | "paused" | "stopped" | "failed"

interface ReasonMeaning {
  readonly exitCode: number
  readonly status: Exclude<RunStatus, "completed">
  readonly meaning: string
}

/** Every cause that can end a run other than an answer. Closed and public: scripts branch on these codes. */
export const reasons = {
  internal_error: { exitCode: 1, status: "failed", meaning: "a bug in agent-run" },
  usage_error: { exitCode: 2, status: "failed", meaning: "the command line or the options of run() are wrong" },
  config_error: { exitCode: 2, status: "failed", meaning: "a configuration file, key or value is wrong" },
  unset_variable: { exitCode: 2, status: "failed", meaning: "the configuration names a variable that is not set" },
  script_error: { exitCode: 2, status: "failed", meaning: "the file given with --script cannot be read or is wrong" },
  output_unwritable: { exitCode: 2, status: "failed", meaning: "a file or folder for the output cannot be written" },
  unknown_price: { exitCode: 2, status: "failed", meaning: "a cost limit was set for a model whose price is unknown" },
  plan_refused: {
    exitCode: 2,
    status: "failed",
    meaning: "the plan cannot be read, was changed, belongs to another configuration, or a file it edits has changed",
  },
  resume_refused: {
    exitCode: 2,
    status: "failed",
    meaning:
      "the transcript given with --resume cannot be read, was cut off or changed, or belongs to another configuration",
  },
  missing_api_key: { exitCode: 2, status: "failed", meaning: "no credentials for the model are in the environment" },
  actor_refused: {
    exitCode: 2,
    status: "failed",
    meaning: "the Action was started by an event of somebody who may not write to the repository",
  },
  approval_needed: { exitCode: 3, status: "paused", meaning: "calls wait for a person; the run can be resumed" },
  max_turns: { exitCode: 4, status: "stopped", meaning: "the limit of turns was reached" },
  max_cost: { exitCode: 4, status: "stopped", meaning: "the cost limit was reached" },
  max_tokens: { exitCode: 4, status: "stopped", meaning: "the token limit was reached" },
  timeout: { exitCode: 4, status: "stopped", meaning: "the time limit of the run was reached" },
  max_denials: { exitCode: 4, status: "stopped", meaning: "too many calls were denied" },
  repeated_call: { exitCode: 4, status: "stopped", meaning: "the model repeated one call again and again" },
  max_failures: { exitCode: 4, status: "stopped", meaning: "more tasks of a batch failed than it may have" },
  lock_mismatch: {
    exitCode: 5,
    status: "failed",
    meaning: "a server is not what agent.lock says, and --locked is set",
  },
  required_server_unavailable: { exitCode: 5, status: "failed", meaning: "a required MCP server is not connected" },
  model_auth: { exitCode: 6, status: "failed", meaning: "the model API refused the credentials or the account" },
  model_overloaded: { exitCode: 6, status: "failed", meaning: "the model API stayed overloaded or rate limited" },
  model_unreachable: { exitCode: 6, status: "failed", meaning: "the model API could not be reached" },
  model_stream_broken: {
    exitCode: 6,
    status: "failed",
    meaning: "the answer of the model broke off, also when retried",
  },
  model_bad_response: { exitCode: 6, status: "failed", meaning: "what answered is not the model API" },
  model_request_rejected: { exitCode: 6, status: "failed", meaning: "the model API rejected the request" },
  model_refused: { exitCode: 6, status: "failed", meaning: "the model refused" },
  model_truncated: { exitCode: 6, status: "failed", meaning: "the answer was cut off at the output limit" },
  model_empty: { exitCode: 6, status: "failed", meaning: "the model answered nothing" },
  context_overflow: { exitCode: 6, status: "failed", meaning: "the conversation no longer fits the model" },
  unknown_stop_reason: { exitCode: 6, status: "failed", meaning: "the model stopped for a reason we do not know" },
  call_denied: { exitCode: 7, status: "stopped", meaning: "a call was denied and on_denied is fail, or in apply" },
  hook_blocked: { exitCode: 7, status: "stopped", meaning: "a run_start or run_end hook blocked the run" },
  no_call_succeeded: { exitCode: 8, status: "failed", meaning: "tools were called and none succeeded" },
  expectation_failed: { exitCode: 8, status: "failed", meaning: "something that [expect] asks for does not hold" },
  output_schema: { exitCode: 8, status: "failed", meaning: "the answer is not JSON of the schema that was asked for" },
  lint_failed: { exitCode: 8, status: "failed", meaning: "a tool scored below the minimum of mcp lint" },
  plan_call_failed: { exitCode: 8, status: "failed", meaning: "a call of a plan failed in apply" },
  batch_failed: { exitCode: 8, status: "failed", meaning: "a task of a batch did not complete" },
  merge_incomplete: {
    exitCode: 8,
    status: "failed",
    meaning: "reports given to merge lack a shard or a task, or have a task twice",
  },
  script_mismatch: { exitCode: 8, status: "failed", meaning: "the run did not match what the script expects" },
  output_incomplete: {
    exitCode: 8,
    status: "failed",
    meaning: "an output could not be written to its end",
  },
  interrupted: { exitCode: 130, status: "stopped", meaning: "SIGINT" },
  terminated: { exitCode: 143, status: "stopped", meaning: "SIGTERM" },
} as const satisfies Record<string, ReasonMeaning>

/** The name of a cause in the closed list. */
export type ReasonCode = keyof typeof reasons

/** Why a run ended as it did, in words for a person and a code for a script. */
export interface Reason {
  readonly code: ReasonCode
  readonly message: string
  readonly hint: string | null
}
