import { homedir } from "node:os"
import type { Config } from "../contract/config.ts"
import type { Rule } from "../contract/decision.ts"
import type { Emit } from "../contract/event.ts"
import type { Host, RunOptions } from "../contract/run-options.ts"
import { builtinToolNames, type Tool } from "../contract/tool.ts"
import type { Pool } from "../mcp/pool.ts"
import type { Policy } from "../permissions/policy.ts"
import { createBuiltinTools } from "../tools/builtin-tools.ts"
import { createCustomTools } from "../tools/custom-tools.ts"
import { createToolbox, type OfferedTools, type Toolbox } from "../tools/toolbox.ts"
import { createWorkspace } from "../tools/workspace.ts"

/** What the tools of a run are made from. */
export interface ToolSources {
  readonly options: RunOptions
  readonly host: Pick<Host, "env">
  readonly workspace: string
  readonly config: Config
  readonly policy: Policy
  readonly pool: Pool
  /** The tool that starts sub-agents, if it is on. */
  readonly agent: Tool | null
  readonly emit: Emit
}

/** The tools of a run, and those that a setting keeps from the model. Both follow the servers. */
export interface CollectedTools {
  /** What is on offer now. */
  toolbox(): OfferedTools
  /** The setting that withholds a tool, in the form of the rule that it amounts to. */
  withheldBy(name: string): Rule | null
}

/** Every tool of a run: built-in, from servers, from the caller; and a warning for each rule that matches none of them. */
export function collectTools(sources: ToolSources): CollectedTools {
  const { options, host, workspace, config, policy, pool, agent, emit } = sources
  const outputs = [...Object.values(config.output), config.mcp.deadLetterFile].filter((path) => path !== null)
  const protectedFiles = [...config.files, ...outputs]
  const place = createWorkspace(workspace, { protectedFiles, home: host.env.HOME ?? homedir() })
  const builtin = createBuiltinTools({
    workspace: place,
    settings: config.tools,
    path: host.env.PATH ?? "",
    leavesOut: policy.leavesOut,
  })
  const own = [...builtin, ...pool.resourceTools(), ...(agent === null ? [] : [agent])]
  const warned = new Set<string>()
  let ofServers = pool.tools()
  const first = offer()
  const toolbox = createToolbox(first, policy.hides)
  for (const rule of policy.deadRules(first)) {
    const message = `${rule.source}: the rule ${rule.action} "${rule.tool}" matches no tool of this run`
    emit({ type: "warning", code: "dead_rule", message })
  }

  /** Everything there is now, and a warning for each custom tool that has nothing to call. */
  function offer(): readonly Tool[] {
    const absent = new Set(pool.absentTools().map(({ name }) => name))
    const settings = config.tools.custom.filter(({ uses }) => !absent.has(uses))
    const custom = createCustomTools(settings, [...own, ...ofServers])
    for (const message of custom.warnings) warnOnce("custom_tool", message)
    return [...own, ...custom.tools, ...(options.tools ?? []), ...ofServers]
  }

  /** The pool makes a new list whenever a server has come, gone or changed. */
  function follow(): Toolbox {
    const now = pool.tools()
    if (now === ofServers) return toolbox
    ofServers = now
    const absent = pool.absentTools()
    const absentCustom = createCustomTools(config.tools.custom, absent).tools
    for (const name of toolbox.update(offer(), [...absent, ...absentCustom])) {
      const message = `a server offers ${name} now, which is the name of another tool of this run; it is left out`
      warnOnce("mcp_tool_name", message)
    }
    return toolbox
  }

  function warnOnce(code: string, message: string): void {
    if (warned.has(message)) return
    warned.add(message)
    emit({ type: "warning", code, message })
  }

  return { toolbox: follow, withheldBy: (name) => withheldBy(name, config, pool) }
}

function withheldBy(tool: string, config: Config, pool: Pool): Rule | null {
  const withhold = (source: string): Rule => ({ tool, action: "deny", broad: false, source })
  const builtin: readonly string[] = builtinToolNames
  if (builtin.includes(tool) && !config.tools.builtin.includes(tool)) return withhold("tools.builtin")
  const hidden = pool.hiddenTools().find(({ name }) => name === tool)
  return hidden ? withhold(`mcp_servers.${hidden.server}.${hidden.setting}, ${hidden.source}`) : null
}
