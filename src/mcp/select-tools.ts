import type { ServerConfig } from "../contract/server.ts"
import { compileNameGlobs } from "../util/name-globs.ts"
import type { ServerTool } from "./discover.ts"

/** A tool that the configuration of its server keeps from the model. */
export interface HiddenTool {
  readonly tool: ServerTool
  readonly setting: "enabled_tools" | "disabled_tools"
}

/** Divide the tools of a server by `enabled_tools` and `disabled_tools`, globs on the server's own names. */
export function selectTools(
  tools: readonly ServerTool[],
  config: Pick<ServerConfig, "enabledTools" | "disabledTools">,
): { readonly offered: readonly ServerTool[]; readonly hidden: readonly HiddenTool[] } {
  const isEnabled = compileNameGlobs(config.enabledTools)
  const isDisabled = compileNameGlobs(config.disabledTools)
  const offered: ServerTool[] = []
  const hidden: HiddenTool[] = []
  for (const tool of tools) {
    if (isDisabled(tool.name)) hidden.push({ tool, setting: "disabled_tools" })
    else if (!isEnabled(tool.name)) hidden.push({ tool, setting: "enabled_tools" })
    else offered.push(tool)
  }
  return { offered, hidden }
}
