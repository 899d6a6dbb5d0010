import { readFile } from "node:fs/promises"
import { setTimeout as pause } from "node:timers/promises"
import type { AssistantBlock, Model, ModelAnswer } from "../contract/model.ts"
import { findMismatch } from "./script-expect.ts"
import { parseScript, type Script, type ScriptTurn, scriptError } from "./script-schema.ts"

/** The model of `--script FILE`. */
export async function loadScript(path: string): Promise<Model> {
  let text: string
  try {
    text = await readFile(path, "utf8")
  } catch (error) {
    throw scriptError(`cannot be read: ${error instanceof Error ? error.message : error}`, path, error)
  }
  return createScriptModel(parseScript(text, path))
}

/** A model that says what a script says, one turn a request: no network, no key, no chance. */
export function createScriptModel(script: Script): Model {
  let asked = 0
  return {
    id: script.model ?? "scripted",
    priced: true,
    async ask(request, { signal }) {
      const turn = script.turns[asked]
      asked += 1
      if (turn === undefined) {
        return failure("script_mismatch", `The script has ${script.turns.length} turns, request ${asked} was made.`)
      }
      const mismatch = turn.expect === undefined ? null : findMismatch(turn.expect, request)
      if (mismatch !== null) return failure("script_mismatch", `Turn ${asked} of the script: ${mismatch}.`)
      if (!(await waited(turn.delay_ms ?? 0, signal))) return failure("interrupted", "The request was aborted.")
      return toReply(turn, { model: script.model ?? "scripted", number: asked })
    },
  }
}

/** False when the signal came first. */
async function waited(delayMs: number, signal: AbortSignal): Promise<boolean> {
  if (delayMs === 0) return !signal.aborted
  try {
    await pause(delayMs, undefined, { signal })
    return true
  } catch {
    // The only error a timer has is that it was aborted.
    return false
  }
}

function toReply(
  turn: ScriptTurn,
  { model, number }: { readonly model: string; readonly number: number },
): ModelAnswer {
  const calls = turn.calls ?? []
  const content: AssistantBlock[] = [
    ...(turn.text === undefined ? [] : [{ type: "text", text: turn.text } as const]),
    ...calls.map((call, index) => ({
      type: "tool_use" as const,
      id: call.id ?? `call_${number}_${index + 1}`,
      name: call.tool,
      input: call.input ?? {},
    })),
  ]
  return {
    kind: "reply",
    model,
    content,
    stopReason: turn.stop_reason ?? (calls.length > 0 ? "tool_use" : "end_turn"),
    stopDetails: turn.stop_details ?? null,
    usage: {
      inputTokens: turn.usage?.input_tokens ?? 0,
      outputTokens: turn.usage?.output_tokens ?? 0,
      cacheReadInputTokens: turn.usage?.cache_read_input_tokens ?? 0,
      cacheCreationInputTokens: turn.usage?.cache_creation_input_tokens ?? 0,
    },
    costUsd: turn.cost_usd ?? 0,
  }
}

function failure(code: "script_mismatch" | "interrupted", message: string): ModelAnswer {
  const hint = code === "script_mismatch" ? "Change the script, or what the run does." : null
  return { kind: "failure", code, message, hint, partialText: null }
}
