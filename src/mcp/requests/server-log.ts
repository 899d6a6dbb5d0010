import { type Emit, logLevelSchema, type RunEventOf } from "../../contract/event.ts"
import type { JsonObject } from "../../contract/json.ts"
import { cutText } from "../cut-text.ts"
import { createAllowance } from "./allowance.ts"
import { boundJson } from "./bound-json.ts"

const maxTextLength = 2000
const maxLoggerLength = 200
const flood = { burst: 100, perSecond: 10 }

/** What a server logs on its way into the transcript. */
export interface ServerLog {
  take(params: JsonObject): void
  /** How many messages were too many to keep. */
  leftOut(): number
}

/** Turn the log messages of one server into events: each bounded, a flood thinned out. */
export function createServerLog(server: string, emit: Emit): ServerLog {
  const allowance = createAllowance(flood)
  return {
    take({ level, logger, data }) {
      if (!allowance.take()) return
      emit({
        type: "server.log",
        server,
        level: toLevel(level),
        logger: typeof logger === "string" ? cutText(logger, maxLoggerLength) : null,
        text: cutText(typeof data === "string" ? data : (JSON.stringify(boundJson(data)) ?? ""), maxTextLength),
      })
    },
    leftOut: allowance.refused,
  }
}

function toLevel(level: unknown): RunEventOf<"server.log">["level"] {
  const parsed = logLevelSchema.safeParse(level)
  return parsed.success ? parsed.data : "info"
}
