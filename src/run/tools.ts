import { homedir } from "node:os"
import type { Config } from "../contract/config.ts"
import type { Rule } from "../contract/decision.ts"
import type { Emit } from "../contract/event.ts"
import type { Host, RunOptions } from "../contract/run-options.ts"
import { builtinToolNames } from "../contract/tool.ts"
import type { Pool } from "../mcp/pool.ts"
import type { Policy } from "../permissions/policy.ts"
import { createBuiltinTools } from "../tools/builtin-tools.ts"
import { createToolbox, type Toolbox } from "../tools/toolbox.ts"
import { createWorkspace } from "../tools/workspace.ts"

/** What the tools of a run are made from. */
export interface ToolSources {
  readonly options: RunOptions
  readonly host: Host
  readonly workspace: string
  readonly config: Config
  readonly policy: Policy
  readonly pool: Pool
  readonly emit: Emit
}

/** The tools of a run, and those that a setting keeps from the model. */
export interface CollectedTools {
  readonly toolbox: Toolbox
  /** By name: the setting, in the form of the rule that it amounts to. */
  readonly withheld: ReadonlyMap<string, Rule>
}

/** Every tool of a run: built-in, from servers, from the caller; and a warning for each rule that matches none of them. */
export function collectTools({ options, host, workspace, config, policy, pool, emit }: ToolSources): CollectedTools {
  const outputs = Object.values(config.output).filter((path) => path !== null)
  const protectedFiles = [...config.files, ...outputs]
  const place = createWorkspace(workspace, { protectedFiles, home: host.env.HOME ?? homedir() })
  const builtin = createBuiltinTools({ workspace: place, settings: config.tools, path: host.env.PATH ?? "" })
  const tools = [...builtin, ...pool.resourceTools(), ...pool.tools(), ...(options.tools ?? [])]
  for (const rule of policy.deadRules(tools)) {
    const message = `${rule.source}: the rule ${rule.action} "${rule.tool}" matches no tool of this run`
    emit({ type: "warning", code: "dead_rule", message })
  }
  return { toolbox: createToolbox(tools, policy.hides), withheld: withheldTools(config, pool) }
}

function withheldTools(config: Config, pool: Pool): ReadonlyMap<string, Rule> {
  const withheld = new Map<string, Rule>()
  const withhold = (tool: string, source: string) => withheld.set(tool, { tool, action: "deny", broad: false, source })
  for (const name of builtinToolNames) if (!config.tools.builtin.includes(name)) withhold(name, "tools.builtin")
  for (const { name, server, setting, source } of pool.hiddenTools()) {
    withhold(name, `mcp_servers.${server}.${setting}, ${source}`)
  }
  return withheld
}
