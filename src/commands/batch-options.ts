import { outputFiles } from "../contract/output.ts"
import { configOptions, type OptionTable, runOptions } from "./options.ts"

const { summary, junit, html, report } = outputFiles
const files = [summary, junit, html, report].join(", ")

/** What a batch and a merge have in common. */
const resultOptions = {
  output: {
    type: "string",
    choices: ["text", "json"],
    group: "Output",
    describe: "What stdout carries: a row for each task, or the report. Default: text",
  },
} as const satisfies OptionTable

/** The options of `agent-run batch`; limits are for the whole of it. */
export const batchOptions = {
  concurrency: { type: "number", value: "N", group: "Batch", describe: "Tasks at a time in this process. Default: 4" },
  shard: {
    type: "string",
    value: "I/N|auto",
    group: "Batch",
    describe: "Run only the I-th of N parts, the first being 1; auto: as the variables of the CI system say",
  },
  durations: {
    type: "string",
    value: "REPORT",
    group: "Batch",
    describe: "Balance the parts by how long tasks took in this earlier report, longest first; otherwise by hash",
  },
  force: { type: "boolean", group: "Batch", describe: "Run finished tasks again" },
  "keep-failed": { type: "boolean", group: "Batch", describe: "Do not run failed and stopped tasks again" },
  ...configOptions,
  "refresh-auth": runOptions["refresh-auth"],
  locked: runOptions.locked,
  "base-url": runOptions["base-url"],
  script: runOptions.script,
  "max-cost-usd": { type: "number", value: "X", group: "Limits", describe: "Cost of all tasks in US dollars" },
  timeout: { type: "string", value: "10m", group: "Limits", describe: "Time for the whole batch: 90s, 10m, 1h30m" },
  "max-failures": { type: "number", value: "N", group: "Limits", describe: "End when more tasks than this failed" },
  "fail-fast": { type: "boolean", group: "Limits", describe: "End when a task fails" },
  ...resultOptions,
  "out-dir": {
    type: "string",
    value: "DIR",
    group: "Output",
    describe: `Write ${files}, and the files of each task under tasks/ID. Default: agent-run-batch`,
  },
  quiet: runOptions.quiet,
} as const satisfies OptionTable

/** The options of `agent-run merge`. */
export const mergeOptions = {
  tasks: { type: "string", value: "FILE", group: "Batch", describe: "The file of tasks: missing ones get their names" },
  ...resultOptions,
  "out-dir": {
    type: "string",
    value: "DIR",
    group: "Output",
    describe: `Write ${files}. Default: agent-run-merged`,
  },
} as const satisfies OptionTable
