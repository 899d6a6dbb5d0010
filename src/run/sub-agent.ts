import { shareLimits } from "../agent/limits.ts"
import { type LoopOptions, runLoop } from "../agent/loop.ts"
import { composeSystemPrompt, type PromptParts, subAgentNote } from "../agent/prompt.ts"
import type { Emit } from "../contract/event.ts"
import type { Outcome } from "../contract/outcome.ts"
import type { Reason } from "../contract/reason.ts"
import { errorResult, type Tool, type ToolResult, textResult } from "../contract/tool.ts"
import { defineTool } from "../tools/define-tool.ts"
import { narrowToolbox } from "../tools/toolbox.ts"
import { createDesk, type DeskRooms } from "./desk.ts"

/** The run that a sub-agent is a part of. */
export interface ParentRun {
  readonly loop: LoopOptions
  readonly rooms: DeskRooms
  /** What the system prompt is made of, without what is asked of the answer of the run. */
  readonly prompt: PromptParts
}

/** The tool that starts sub-agents. */
export interface SubAgents {
  readonly tool: Tool
  /** Why the whole run must end because of what a sub-agent did. */
  mustEnd(): Reason | null
}

const toolName = "Agent"

/**
 * The tool Agent: a sub-task with a context of its own, over everything its parent has and nothing more. The same
 * connections, rules, hooks and limits hold, and what it spends is spent by the run. A sub-agent starts no others.
 */
export function createSubAgents(parent: () => ParentRun): SubAgents {
  let mustEnd: Reason | null = null
  const tool = defineTool({
    name: toolName,
    description:
      "Give a self-contained part of the task to a sub-agent with an empty context; its final answer is the result. Say everything it needs to know.",
    inputSchema: {
      type: "object",
      properties: {
        task: { type: "string", minLength: 1 },
        tools: { type: "array", items: { type: "string" }, description: "names of your tools it may use; default all" },
      },
      required: ["task"],
    },
    origin: { kind: "builtin" },
    async execute(input, { callId, signal }) {
      const { loop, rooms, prompt } = parent()
      const { resumed: _, ...whole } = loop
      const wanted = Array.isArray(input.tools) ? input.tools.map(String) : null
      const names = rooms.tools.toolbox().tools.flatMap((tool) => (startsAgents(tool) ? [] : [tool.name]))
      const unknown = wanted?.filter((name) => !names.includes(name)) ?? []
      if (unknown.length > 0) {
        const message = `A sub-agent cannot have ${unknown.join(", ")}. It can have: ${names.join(", ")}`
        return errorResult("invalid_input", message)
      }
      const keeps = (tool: Tool) => !startsAgents(tool) && (wanted?.includes(tool.name) ?? true)
      const toolbox = () => narrowToolbox(rooms.tools.toolbox(), keeps, { inFull: wanted !== null })
      const outcome = await runLoop({
        ...whole,
        task: String(input.task),
        answerSchema: null,
        system: `${composeSystemPrompt(wanted === null ? prompt : { ...prompt, catalogue: null })}\n\n${subAgentNote}`,
        definitions: () => toolbox().definitions,
        desk: createDesk({ ...rooms, tools: { ...rooms.tools, toolbox } }),
        limits: shareLimits(loop.limits),
        emit: nested(loop.emit, callId),
        signal,
      })
      if (outcome.kind === "ended" && outcome.reason.code === "call_denied") mustEnd = outcome.reason
      return toResult(outcome)
    },
  })
  return { tool, mustEnd: () => mustEnd }
}

/** Agent itself, or a custom tool over it. */
function startsAgents(tool: Tool): boolean {
  return tool.name === toolName || (tool.wraps !== undefined && startsAgents(tool.wraps.tool))
}

function nested(emit: Emit, callId: string): Emit {
  return (event) => emit({ ...event, parent_call_id: callId })
}

function toResult(outcome: Outcome): ToolResult {
  if (outcome.kind === "answered") return textResult(outcome.answer)
  const sofar = outcome.answer === null ? "" : `\nWhat it said so far:\n${outcome.answer}`
  return errorResult("tool_error", `The sub-agent did not finish: ${outcome.reason.message}${sofar}`)
}
