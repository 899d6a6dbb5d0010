import { homedir } from "node:os"
import type { Config } from "../contract/config.ts"
import type { Rule } from "../contract/decision.ts"
import type { Emit } from "../contract/event.ts"
import type { Model } from "../contract/model.ts"
import type { Host, RunOptions } from "../contract/run-options.ts"
import { builtinToolNames, searchToolNames, type Tool } from "../contract/tool.ts"
import type { Pool } from "../mcp/pool.ts"
import type { Policy } from "../permissions/policy.ts"
import { createReportFindingTool } from "../tools/builtin/report-finding.ts"
import { createBuiltinTools } from "../tools/builtin-tools.ts"
import { createCustomTools } from "../tools/custom-tools.ts"
import { chooseDeferred } from "../tools/lazy/choose-deferred.ts"
import { createLazyTools, type LazyTools } from "../tools/lazy/lazy-tools.ts"
import type { Sandbox } from "../tools/sandbox.ts"
import { createToolbox, inOrder, type OfferedTools, type Toolbox } from "../tools/toolbox.ts"
import { createWorkspace, type Workspace } from "../tools/workspace.ts"

/** What the tools of a run are made from. */
export interface ToolSources {
  readonly options: RunOptions
  readonly host: Pick<Host, "env">
  readonly place: Workspace
  readonly config: Config
  readonly policy: Policy
  /** Where commands run; `null` is among all other processes. */
  readonly sandbox: Sandbox | null
  readonly pool: Pool
  /** The tool that starts sub-agents, if it is on. */
  readonly agent: Tool | null
  readonly model: Pick<Model, "takesDeferredTools">
  readonly emit: Emit
}

/** The tools of a run, and those that a setting keeps from the model. Both follow the servers. */
export interface CollectedTools {
  /** What is on offer now. */
  toolbox(): OfferedTools
  /** The setting that withholds a tool, in the form of the rule that it amounts to. */
  withheldBy(name: string): Rule | null
  /** What the system prompt says of tools that load on demand; `null` when none does. It never changes. */
  readonly catalogue: string | null
  /** How many tools there are at the start, and how many of them wait to be loaded. */
  readonly counts: { readonly offered: number; readonly deferred: number }
}

/** The workspace as file tools see it: what governs the run and what it writes is out of their reach. */
export function findPlace(
  workspace: string,
  config: Config,
  outputs: readonly string[],
  host: Pick<Host, "env">,
): Workspace {
  return createWorkspace(workspace, {
    protectedFiles: [...config.files, ...outputs],
    home: host.env.HOME ?? homedir(),
  })
}

/** Every tool of a run: built-in, from servers, from the caller; and a warning for each rule that matches none of them. */
export function collectTools(sources: ToolSources): CollectedTools {
  const { options, host, place, config, policy, sandbox, pool, agent, emit } = sources
  const builtin = createBuiltinTools({
    workspace: place,
    settings: config.tools,
    path: host.env.PATH ?? "",
    leavesOut: policy.leavesOut,
    sandbox,
  })
  const findings = config.findings ? [createReportFindingTool({ workspace: place, emit })] : []
  const own = [...builtin, ...findings, ...pool.resourceTools(), ...(agent === null ? [] : [agent])]
  const warned = new Set<string>()
  const isHidden = (tool: Tool) => policy.hides(tool) !== null
  const visible = () => inOrder(ofServers.filter((tool) => !isHidden(tool)))
  let ofServers = pool.tools()
  const lazy = chooseLazyTools(visible(), sources)
  const first = offer()
  const toolbox = createToolbox(first, policy.hides, lazy?.presentationOf)
  const inFull = toolbox.definitions.filter((definition) => !definition.deferred)
  for (const rule of policy.deadRules([...first, ...searchToolNames.map((name) => ({ name }))])) {
    const message = `${rule.source}: the rule ${rule.action} "${rule.tool}" matches no tool of this run`
    emit({ type: "warning", code: "dead_rule", message })
  }

  /** Everything there is now, and a warning for each custom tool that has nothing to call. */
  function offer(): readonly Tool[] {
    const absent = new Set(pool.absentTools().map(({ name }) => name))
    const settings = config.tools.custom.filter(({ uses }) => !absent.has(uses))
    const custom = createCustomTools(settings, [...own, ...ofServers])
    for (const message of custom.warnings) warnOnce("custom_tool", message)
    const served = lazy === null ? ofServers : [...ofServers.filter(isHidden), ...lazy.adopt(visible())]
    return [...own, ...custom.tools, ...(options.tools ?? []), ...served]
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

  return {
    toolbox: follow,
    withheldBy: (name) => withheldBy(name, config, pool),
    catalogue: lazy?.catalogue.text ?? null,
    counts: { offered: toolbox.tools.length, deferred: toolbox.tools.length - inFull.length },
  }
}

/** Without the search tool nothing that waits could be found, so a rule that hides it ends lazy loading. */
function chooseLazyTools(tools: readonly Tool[], { config, policy, model, emit }: ToolSources): LazyTools | null {
  const { mcp: settings, servers } = config
  const alwaysLoad = new Map(servers.map((server) => [server.name, server.alwaysLoad]))
  const waits = chooseDeferred(tools, { ...settings, alwaysLoad })
  if (waits === null || !tools.some(waits) || policy.hides({ name: "mcp_tool_search" }) !== null) return null
  const { deferredTools } = settings
  const refers = deferredTools === "auto" ? model.takesDeferredTools === true : deferredTools
  return createLazyTools({ tools, waits, delivery: refers ? "reference" : "append", settings, emit })
}

function withheldBy(tool: string, config: Config, pool: Pool): Rule | null {
  const withhold = (source: string): Rule => ({ tool, action: "deny", broad: false, source })
  const builtin: readonly string[] = builtinToolNames
  if (builtin.includes(tool) && !config.tools.builtin.includes(tool)) return withhold("tools.builtin")
  const hidden = pool.hiddenTools().find(({ name }) => name === tool)
  return hidden ? withhold(`mcp_servers.${hidden.server}.${hidden.setting}, ${hidden.source}`) : null
}
