import type { OptionTable } from "../options.ts"

/** The options of `policy explain` beside those of every such command. */
export const explainOptions = {
  connect: {
    type: "boolean",
    group: "Servers",
    describe: "Start the servers, to know the tools and what they say of themselves",
  },
} as const satisfies OptionTable

/** The options of `policy test` beside those of every such command. */
export const testOptions = {
  junit: { type: "string", value: "FILE", group: "Output", describe: "Write the cases as JUnit XML" },
} as const satisfies OptionTable
