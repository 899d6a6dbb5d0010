import type { RunOptions } from "../contract/run-options.ts"
import type { configOptions, OptionValues } from "./options.ts"

/** The options that every command with a configuration takes, as `run()` calls them. */
export function toConfigRunOptions(values: OptionValues<typeof configOptions>): RunOptions {
  return {
    workspace: values.workspace,
    config: values.config,
    set: values.set,
    bare: values.bare,
    allow: values.allow,
    deny: values.deny,
    broad: values.broad,
    mcpServers: values["mcp-server"],
    only: values.only,
    without: values.without,
    model: values.model,
    fallbackModels: values["fallback-model"],
  }
}
