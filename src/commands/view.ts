import { resolve } from "node:path"
import { type RunEvent, runEventSchema } from "../contract/event.ts"
import { isJsonObject } from "../contract/json.ts"
import { UserError } from "../contract/user-error.ts"
import { createReportFold } from "../report/fold.ts"
import { createEventKeeper } from "../report/html/kept-events.ts"
import { renderPage } from "../report/html/page.ts"
import { prepareOutputFile, writeOutput } from "../sinks/files.ts"
import { openTranscript } from "./open-transcript.ts"

/** What `agent-run view` is asked to do. */
export interface ViewCommand {
  readonly transcript: string
  readonly html: string
}

/** `agent-run view TRANSCRIPT --html FILE`: the page of a past run, also of one that was killed. */
export async function viewCommand({ transcript, html }: ViewCommand, host: NodeJS.Process): Promise<number> {
  const path = resolve(host.cwd(), html)
  const fold = createReportFold()
  const keeper = createEventKeeper()
  let events = 0
  await using file = await openTranscript(resolve(host.cwd(), transcript))
  prepareOutputFile(path)
  let line = 0
  for await (const text of file.readLines()) {
    line += 1
    const event = readEvent(text, `${transcript}:${line}`)
    if (event === null) continue
    events += 1
    fold.write(event)
    keeper.write(event)
  }
  if (events === 0) throw noTranscript(transcript)
  await writeOutput(path, renderPage(fold.report(), keeper.kept()))
  host.stderr.write(`agent-run: ${html} shows ${events} events\n`)
  return 0
}

/** `null` for a line that was cut off, and for an event of a later version. */
function readEvent(text: string, where: string): RunEvent | null {
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch {
    if (text.startsWith("{")) return null
    throw noTranscript(where)
  }
  if (!isJsonObject(data) || typeof data.type !== "string") throw noTranscript(where)
  const parsed = runEventSchema.safeParse(data)
  return parsed.success ? parsed.data : null
}

function noTranscript(where: string): UserError {
  return new UserError("usage_error", "is not a transcript", {
    where,
    hint: "agent-run --transcript FILE writes one.",
  })
}
