import { outputFiles } from "../contract/output.ts"

interface Option {
  readonly type: "string" | "number" | "boolean"
  readonly describe: string
  readonly alias?: string
  readonly repeatable?: true
  readonly choices?: readonly string[]
  readonly value?: string
  readonly group: string
}

/** The options that say what the configuration is; every command that reads one takes them. */
export const configOptions = {
  workspace: {
    type: "string",
    value: "DIR",
    group: "Task",
    describe: "The tree the agent works on. Default: the working folder",
  },
  config: {
    type: "string",
    value: "PATH",
    repeatable: true,
    group: "Configuration",
    describe: "A configuration file, TOML or MCP JSON; later ones win",
  },
  set: {
    type: "string",
    value: "KEY=VALUE",
    repeatable: true,
    group: "Configuration",
    describe: "Set one configuration key, such as agent.max_turns=10",
  },
  bare: {
    type: "boolean",
    group: "Configuration",
    describe: "Read no configuration but --config, --set and the managed file",
  },
  model: { type: "string", value: "ID", group: "Model", describe: "The model to ask" },
  "fallback-model": {
    type: "string",
    value: "ID",
    repeatable: true,
    group: "Model",
    describe: "Used when the model before it stays overloaded",
  },
  allow: {
    type: "string",
    value: "GLOB",
    repeatable: true,
    group: "Permissions",
    describe: "Allow tools whose name matches",
  },
  deny: {
    type: "string",
    value: "GLOB",
    repeatable: true,
    group: "Permissions",
    describe: "Deny and hide tools whose name matches",
  },
  broad: {
    type: "boolean",
    group: "Permissions",
    describe: "Let --allow match the tools of several servers, or Bash with any command",
  },
  "mcp-server": {
    type: "string",
    value: "NAME=URL|COMMAND",
    repeatable: true,
    group: "Servers",
    describe: "One more MCP server for this run",
  },
  only: {
    type: "string",
    value: "NAME",
    repeatable: true,
    group: "Servers",
    describe: "Start only these configured servers",
  },
  without: {
    type: "string",
    value: "NAME",
    repeatable: true,
    group: "Servers",
    describe: "Leave this configured server out",
  },
} as const satisfies Record<string, Option>

/** What commands that start servers take beside. */
const connectOptions = {
  "refresh-auth": {
    type: "boolean",
    group: "Servers",
    describe: "Ask servers again that needed authentication less than 15 minutes ago",
  },
} as const satisfies Record<string, Option>

const verbosityOptions = {
  quiet: { type: "boolean", alias: "q", group: "Output", describe: "Only warnings and the end on stderr" },
  verbose: { type: "boolean", alias: "v", group: "Output", describe: "More on stderr: turns, inputs, server messages" },
} as const satisfies Record<string, Option>

/** The options of every `agent-run mcp` command, beside its own. */
export const mcpOptions = {
  ...configOptions,
  ...connectOptions,
  json: { type: "boolean", group: "Output", describe: "Machine-readable output" },
  ...verbosityOptions,
} as const satisfies Record<string, Option>

/** The options of `agent-run init`. */
export const initOptions = {
  workspace: configOptions.workspace,
  force: { type: "boolean", group: "Output", describe: "Replace files that are there" },
  workflow: { type: "boolean", group: "Output", describe: "Write the workflow also where there is no .github folder" },
} as const satisfies Record<string, Option>

const timeoutOption = {
  type: "string",
  value: "10m",
  group: "Limits",
  describe: "Time for the whole run: 90s, 10m, 1h30m. Default: 30m",
} as const satisfies Option

const outputOptions = {
  output: {
    type: "string",
    choices: ["text", "json", "jsonl"],
    group: "Output",
    describe: "What stdout carries: the answer, the report, or the event stream. Default: text",
  },
  report: { type: "string", value: "FILE", group: "Output", describe: "Write the JSON report" },
  transcript: {
    type: "string",
    value: "FILE",
    group: "Output",
    describe: "Write the transcript, one JSON event a line, as it happens",
  },
  summary: { type: "string", value: "FILE", group: "Output", describe: "Write a Markdown summary" },
  junit: { type: "string", value: "FILE", group: "Output", describe: "Write JUnit XML" },
  html: { type: "string", value: "FILE", group: "Output", describe: "Write a page about the run, complete in itself" },
  sarif: { type: "string", value: "FILE", group: "Output", describe: "Write what the agent reported as SARIF" },
  "out-dir": {
    type: "string",
    value: "DIR",
    group: "Output",
    describe: `Write all of ${Object.values(outputFiles).join(", ")}`,
  },
  ...verbosityOptions,
} as const satisfies Record<string, Option>

/** The options of `agent-run run`. The one home of their names and descriptions; parser, help and docs are made from it. */
export const runOptions = {
  task: { type: "string", value: "TEXT", group: "Task", describe: "What the agent shall do" },
  "task-file": {
    type: "string",
    value: "PATH",
    group: "Task",
    describe: "Read the task from a file; - is standard input, to its end within 30 s",
  },
  prompt: { type: "string", value: "SERVER/NAME", group: "Task", describe: "The task is a prompt of an MCP server" },
  arg: {
    type: "string",
    value: "NAME=VALUE",
    repeatable: true,
    group: "Task",
    describe: "An argument of the prompt",
  },
  input: {
    type: "string",
    value: "PATH",
    repeatable: true,
    group: "Task",
    describe: "Untrusted text that goes with the task, such as an issue: sanitised, and marked as data",
  },
  ...configOptions,
  ...connectOptions,
  locked: {
    type: "boolean",
    group: "Servers",
    describe: "Ask the model only if every server is what agent.lock says",
  },
  plan: {
    type: "string",
    value: "FILE",
    group: "Permissions",
    describe: "Plan mode: calls that only read run, everything else is queued into FILE for review",
  },
  resume: {
    type: "string",
    value: "TRANSCRIPT",
    group: "Approvals",
    describe: "Go on with a paused run, in its own transcript; also on another machine",
  },
  approve: {
    type: "string",
    value: "ID|all",
    repeatable: true,
    group: "Approvals",
    describe: "Say yes to a call that waits",
  },
  reject: {
    type: "string",
    value: "ID|all",
    repeatable: true,
    group: "Approvals",
    describe: "Say no to a call that waits",
  },
  reason: {
    type: "string",
    value: "TEXT",
    group: "Approvals",
    describe: "Why; recorded, and told to the model with a no",
  },
  "base-url": {
    type: "string",
    value: "URL",
    group: "Model",
    describe: "Endpoint of the model API; https unless it is this machine",
  },
  script: {
    type: "string",
    value: "FILE",
    group: "Model",
    describe: "The model is a script: no network, no key; tools and permissions are real",
  },
  "max-turns": { type: "number", value: "N", group: "Limits", describe: "Requests that may call tools. Default: 50" },
  "max-cost-usd": { type: "number", value: "X", group: "Limits", describe: "Cost in US dollars" },
  "max-tokens": { type: "number", value: "N", group: "Limits", describe: "Input with cache plus output tokens" },
  timeout: timeoutOption,
  "max-denials": { type: "number", value: "N", group: "Limits", describe: "End when more calls than this were denied" },
  "output-schema": {
    type: "string",
    value: "FILE",
    group: "Output",
    describe: "The answer must be JSON of this schema; repaired at most twice, else exit code 8",
  },
  ...outputOptions,
} as const satisfies Record<string, Option>

const { only: _servers, without: _left, model: _model, "fallback-model": _fallback, ...sharedOptions } = configOptions

/** The options of `agent-run apply`; which servers start follows from the plan, and there is no model. */
export const applyOptions = {
  only: {
    type: "string",
    value: "P1,P3",
    repeatable: true,
    group: "Plan",
    describe: "Run only these calls of the plan",
  },
  "keep-going": { type: "boolean", group: "Plan", describe: "Go on after a failed call" },
  ...sharedOptions,
  timeout: timeoutOption,
  ...outputOptions,
} as const satisfies Record<string, Option>

/** Options by their command-line name. */
export type OptionTable = Readonly<Record<string, Option>>

type ValueOf<Entry extends Option> = Entry["type"] extends "number"
  ? number
  : Entry["type"] extends "boolean"
    ? boolean
    : string

/** What a parsed command line holds for a table of options. */
export type OptionValues<Table extends OptionTable> = {
  readonly [Name in keyof Table]: Table[Name] extends { readonly repeatable: true }
    ? readonly ValueOf<Table[Name]>[]
    : ValueOf<Table[Name]> | undefined
}
