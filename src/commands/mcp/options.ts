import type { OptionTable } from "../options.ts"

/** The options of `agent-run mcp read` beside the common ones. */
export const readOptions = {
  server: {
    type: "string",
    value: "NAME",
    group: "Resource",
    describe: "The server to ask, when several offer the URI",
  },
} as const satisfies OptionTable

/** The options of `agent-run mcp lint` beside the common ones. */
export const lintOptions = {
  "min-score": {
    type: "number",
    value: "N",
    group: "Lint",
    describe: "The score that every tool must reach, 0 to 100. Default: 40",
  },
  sarif: { type: "string", value: "FILE", group: "Lint", describe: "Write the findings as SARIF" },
} as const satisfies OptionTable

/** The options of `agent-run mcp lock` beside the common ones. */
export const lockOptions = {
  check: {
    type: "boolean",
    group: "Lock",
    describe: "Write nothing; exit code 5 when a server is not what agent.lock says",
  },
} as const satisfies OptionTable

/** The options of `agent-run mcp call` beside the common ones. */
export const callOptions = {
  "from-dead-letter": {
    type: "string",
    value: "ID",
    group: "Call",
    describe: "Make the call of this dead letter again",
  },
  file: {
    type: "string",
    value: "FILE",
    group: "Call",
    describe: "The dead letters. Default: mcp.dead_letter_file",
  },
} as const satisfies OptionTable

/** The options of `agent-run mcp search` beside the common ones. */
export const searchOptions = {
  regex: { type: "boolean", group: "Search", describe: "The query is a regular expression on names and descriptions" },
  limit: {
    type: "number",
    value: "N",
    group: "Search",
    describe: "Most tools to find. Default: mcp.max_tools_per_search",
  },
} as const satisfies OptionTable

/** The options of `agent-run mcp stats` beside the common ones. */
export const statsOptions = {
  estimate: { type: "boolean", group: "Counting", describe: "Estimate, also when a key for the API's count is there" },
} as const satisfies OptionTable
