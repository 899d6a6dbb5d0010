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
