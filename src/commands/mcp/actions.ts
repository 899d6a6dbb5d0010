import { defineAction, type McpAction } from "./define-action.ts"
import { callOptions, lintOptions, lockOptions, readOptions, searchOptions, statsOptions } from "./options.ts"

const oneServer = { server: { describe: "Only this server", required: false } }

/** The commands of `agent-run mcp`: the one home of their names, words and options; parser, help and docs are made from it. */
export const mcpActions: Readonly<Record<string, McpAction>> = {
  list: defineAction({
    describe: "Every configured server: its state, what it offers, how long it took, or why it is not there",
    words: {},
    options: {},
    load: async () => (await import("./list.ts")).listServers,
  }),
  tools: defineAction({
    describe: "Every tool by the name that rules use, with its hints and its lint score, also the hidden ones",
    words: oneServer,
    options: {},
    load: async () => (await import("./tools.ts")).listTools,
  }),
  search: defineAction({
    describe: "The tools that mcp_tool_search would find for the model, best first",
    words: { query: { describe: "What the tool does, or its name", required: true } },
    options: searchOptions,
    load: async () => (await import("./search.ts")).searchTools,
  }),
  stats: defineAction({
    describe: "What the tools cost in context, server by server, and what lazy loading saves",
    words: {},
    options: statsOptions,
    load: async () => (await import("./stats.ts")).showStatistics,
  }),
  lint: defineAction({
    describe: "Score what servers say of their tools; exit code 8 when a tool is below --min-score",
    words: oneServer,
    options: lintOptions,
    load: async () => (await import("./lint.ts")).lintTools,
  }),
  lock: defineAction({
    describe: "Write agent.lock: the tools of all servers as they are now, for --locked",
    words: {},
    options: lockOptions,
    load: async () => (await import("./lock.ts")).lockTools,
  }),
  resources: defineAction({
    describe: "The resources and resource templates of the servers",
    words: oneServer,
    options: {},
    load: async () => (await import("./resources.ts")).listResources,
  }),
  read: defineAction({
    describe: "The contents of a resource",
    words: { uri: { describe: "URI of the resource", required: true } },
    options: readOptions,
    load: async () => (await import("./read.ts")).readResource,
  }),
  prompts: defineAction({
    describe: "The prompts of the servers, by the name that --prompt takes",
    words: oneServer,
    options: {},
    load: async () => (await import("./prompts.ts")).listPrompts,
  }),
  call: defineAction({
    describe: "Call one tool by hand: its result on stdout, exit code 8 when it fails, 7 when a rule denies it",
    words: {
      tool: { describe: "mcp__SERVER__TOOL or SERVER/TOOL", required: false },
      input: { describe: "The input, a JSON object. Default: {}", required: false },
    },
    options: callOptions,
    load: async () => (await import("./call.ts")).callTool,
  }),
  export: defineAction({
    describe: "The effective servers as mcpServers JSON, variables unexpanded, secrets masked; starts none",
    words: {},
    options: {},
    load: async () => (await import("./export.ts")).exportConfig,
  }),
}
