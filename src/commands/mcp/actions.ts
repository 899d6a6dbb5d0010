import { defineAction, type McpAction } from "./define-action.ts"

/** The commands of `agent-run mcp`: the one home of their names, words and options; parser, help and docs are made from it. */
export const mcpActions: Readonly<Record<string, McpAction>> = {
  list: defineAction({
    describe: "Every configured server: its state, what it offers, how long it took, or why it is not there",
    words: {},
    options: {},
    load: async () => (await import("./list.ts")).listServers,
  }),
}
