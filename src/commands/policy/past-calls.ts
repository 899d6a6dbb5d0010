import { type RunEventOf, runEventSchema } from "../../contract/event.ts"
import { isJsonObject, type JsonObject } from "../../contract/json.ts"
import { UserError } from "../../contract/user-error.ts"
import { openTranscript } from "../open-transcript.ts"

/** A call of a past run: the input it was made with, what was decided, and whether it ran. */
export interface PastCall {
  readonly tool: string
  readonly input: JsonObject
  readonly decision: RunEventOf<"tool.call">["decision"]
  readonly fate: "ran" | "denied" | "neither"
  /** The workspace of that run, perhaps on another machine. */
  readonly workspace: string
}

const looked = new Set(["run.start", "tool.call", "tool.result", "hook"])

/** Read the calls of a transcript, also of one that was cut off. Throws a UserError for what is no transcript. */
export async function readPastCalls(path: string): Promise<readonly PastCall[]> {
  const calls = new Map<string, PastCall>()
  let workspace = ""
  let line = 0
  await using file = await openTranscript(path)
  for await (const text of file.readLines()) {
    line += 1
    const event = parseLine(text)
    if (event === "cut off") continue
    if (event === null) {
      throw new UserError("usage_error", "is not an event of a transcript", { where: `${path}:${line}` })
    }
    if (event.type === "other") continue
    if (event.type === "run.start") workspace = event.workspace
    else take(event)
  }
  return [...calls.values()]

  function take(event: RunEventOf<"tool.call" | "tool.result" | "hook">): void {
    if (event.call_id === null) return
    const { type, call_id: id } = event
    const before = calls.get(id)
    if (type === "tool.call" && isJsonObject(event.input)) {
      const { tool, input, decision } = event
      calls.set(id, { tool, input, decision, fate: "neither", workspace })
    }
    if (before === undefined) return
    if (type === "hook") {
      const input = isJsonObject(event.input) ? event.input : before.input
      calls.set(id, { ...before, input, decision: event.decision ?? before.decision })
    }
    if (type === "tool.result") calls.set(id, { ...before, fate: fateOf(event) })
  }
}

type Looked = RunEventOf<"run.start" | "tool.call" | "tool.result" | "hook">

/** Only what we look at is checked: later versions may write more. */
function parseLine(text: string): Looked | { readonly type: "other" } | "cut off" | null {
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch {
    return text.startsWith("{") ? "cut off" : null
  }
  if (!isJsonObject(data) || typeof data.type !== "string") return null
  if (!looked.has(data.type)) return { type: "other" }
  const parsed = runEventSchema.safeParse(data)
  if (!parsed.success) return null
  const event = parsed.data
  switch (event.type) {
    case "run.start":
    case "tool.call":
    case "tool.result":
    case "hook":
      return event
    default:
      return { type: "other" }
  }
}

function fateOf({ state, error_code }: RunEventOf<"tool.result">): PastCall["fate"] {
  if (state === "denied") return "denied"
  if (state === "output") return "ran"
  return state === "error" && error_code !== "unknown_tool" && error_code !== "invalid_input" ? "ran" : "neither"
}
