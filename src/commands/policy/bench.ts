import type { Rule } from "../../contract/decision.ts"
import type { JsonObject } from "../../contract/json.ts"
import { errorResult, reservedToolNames, type Tool, type ToolHints, type ToolOrigin } from "../../contract/tool.ts"
import { createPool, type Pool } from "../../mcp/pool.ts"
import { describeDecision, describeRule } from "../../permissions/describe.ts"
import { createPolicy, type Policy } from "../../permissions/policy.ts"
import { collectTools, findPlace } from "../../run/tools.ts"
import { createCustomTools } from "../../tools/custom-tools.ts"
import { version } from "../../util/version.ts"
import type { ServerSession } from "../connect-servers.ts"

/** What is decided about a call, and what was looked at. */
export interface JudgedCall {
  readonly tool: Tool
  readonly input: JsonObject
  /** `null` when nobody could say: the server was not started. */
  readonly hints: ToolHints | null
  readonly decision: ReturnType<typeof describeDecision>
  readonly matching: readonly Rule[]
  /** The setting that keeps the tool from the model. */
  readonly withheldBy: Rule | null
  /** Neither built-in nor of a server: a tool of a program that embeds us, or a mistake. */
  readonly isForeign: boolean
}

/** The rules of a configuration, ready to be tried out without a run. */
export interface PolicyBench {
  readonly policy: Policy
  /** `null` when the servers were started and none has this tool. */
  judge(name: string, input: JsonObject, hints?: ToolHints): JudgedCall | null
  /** The tool of this name, or one that stands in for it. */
  toolCalled(name: string, input: JsonObject): Tool
  readonly names: readonly string[]
}

const noHints: ToolHints = { readOnly: false, destructive: false, idempotent: false }

/** Set up the rules with the built-in tools, and with the tools of a pool if it was started. */
export function openBench(session: ServerSession, started: Pool | null): PolicyBench {
  const { config, workspace } = session
  const policy = createPolicy(config.permissions)
  const pool = started ?? idlePool(session)
  const agent = config.tools.agent ? standIn("Agent", { kind: "builtin" }) : null
  const host = { env: {} }
  const place = findPlace(workspace, config, [], host)
  const around = { options: {}, host, place, config, pool, agent, sandbox: null, model: {}, emit: () => {} }
  // Whether a rule hides a tool is a question of its own here, so that none is missing.
  const tools = collectTools({ ...around, policy: { ...policy, hides: () => null } })
  const toolbox = tools.toolbox()
  const isKnown = (name: string) => toolbox.find(name) !== null || tools.withheldBy(name) !== null

  function toolCalled(name: string, input: JsonObject): Tool {
    return toolbox.find(name) ?? customStandIn(name, input) ?? standIn(name, originOf(name))
  }

  /** A custom tool over a tool that only a server could describe: its arguments are those that anybody names. */
  function customStandIn(name: string, input: JsonObject): Tool | null {
    const custom = config.tools.custom.find((tool) => tool.name === name)
    if (custom === undefined) return null
    const known = Object.keys({ ...custom.fixed, ...custom.defaults, ...input })
    const properties = Object.fromEntries(known.map((argument) => [argument, {}]))
    const wrapped = { ...standIn(custom.uses, originOf(custom.uses)), inputSchema: { type: "object", properties } }
    return createCustomTools([custom], [wrapped]).tools[0] ?? null
  }

  return {
    policy,
    names: toolbox.tools.map(({ name }) => name),
    toolCalled,
    judge(name, input, hints) {
      if (started !== null && !isKnown(name)) return null
      const found = toolCalled(name, input)
      const tool = hints === undefined ? found : { ...found, hints }
      const isGuess = hints === undefined && toolbox.find(name) === null && tool.origin.kind !== "builtin"
      const isForeign = toolbox.find(name) === null && tool.origin.kind === "custom" && tool.wraps === undefined
      const inner = tool.wraps === undefined ? [] : policy.matching(tool.wraps.tool, tool.wraps.complete(input))
      const matching = [...policy.matching(tool, input), ...inner]
      const withheldBy = tools.withheldBy(name)
      const decision =
        withheldBy === null
          ? describeDecision(policy.decide(tool, input))
          : { action: withheldBy.action, rule: describeRule(withheldBy), source: withheldBy.source }
      return { tool, input, hints: isGuess ? null : tool.hints, decision, matching, withheldBy, isForeign }
    },
  }
}

/** A pool that nobody starts: it knows which servers are configured and nothing of their tools. */
function idlePool({ config }: ServerSession): Pool {
  const { servers, disabledServers: disabled, mcp: settings } = config
  const client = { name: "agent-run", version }
  return createPool({ servers, disabled, settings, emit: () => {}, client, env: {} })
}

function originOf(name: string): ToolOrigin {
  if (name.startsWith("mcp__")) return { kind: "mcp", server: "", tool: name }
  return { kind: reservedToolNames.includes(name) ? "builtin" : "custom" }
}

function standIn(name: string, origin: ToolOrigin): Tool {
  return {
    name,
    description: "",
    inputSchema: { type: "object" },
    origin,
    hints: noHints,
    subjects: () => [],
    execute: async () => errorResult("not_run", "This tool only stands in for another."),
  }
}
