import { defineAction, type McpAction } from "../mcp/define-action.ts"
import { explainOptions, testOptions } from "./options.ts"

/** The commands of `agent-run policy`: the one home of their names, words and options. */
export const policyActions: Readonly<Record<string, McpAction>> = {
  explain: defineAction({
    describe: "Which rules match a call, which one decides, where it stands, and what would change it",
    words: {
      tool: { describe: "Name of the tool, such as Bash or mcp__SERVER__TOOL", required: true },
      input: { describe: "The input, a JSON object. Default: {}", required: false },
    },
    options: explainOptions,
    load: async () => (await import("./explain.ts")).explainCall,
  }),
  test: defineAction({
    describe: "Compare the decisions of the rules with a table of cases; exit code 8 when one differs",
    words: { file: { describe: "TOML with [[cases]]", required: true } },
    options: testOptions,
    load: async () => (await import("./test.ts")).testPolicy,
  }),
  suggest: defineAction({
    describe: "The least rules that allow what past runs used, as TOML",
    words: { transcripts: { describe: "Transcripts of past runs", required: true, many: true } },
    options: {},
    load: async () => (await import("./suggest.ts")).suggestPolicy,
  }),
}
