import { lstatSync, readFileSync } from "node:fs"
import { type RunEvent, runEventSchema } from "../contract/event.ts"
import { isJsonObject } from "../contract/json.ts"
import { planKeyVariable } from "../contract/plan.ts"
import { UserError } from "../contract/user-error.ts"
import { createSealer, sealProblem } from "../util/seal.ts"

/** A transcript that a run can go on from. */
export interface PausedTranscript {
  readonly events: readonly RunEvent[]
  /** Length of its whole lines; what a killed process wrote after them does not count. */
  readonly bytes: number
}

const maxBytes = 512 * 1024 * 1024

/**
 * Read the transcript of a paused run and make sure that it is what was written: every line, in order, up to the pause, and
 * after it as far as a run that went on came. Throws a UserError.
 */
export function readTranscript(
  path: string,
  expected: { readonly configDigest: string; readonly key: string | undefined },
): PausedTranscript {
  const text = readText(path)
  const whole = text.slice(0, text.lastIndexOf("\n") + 1)
  const lines = whole.split("\n").slice(0, -1)
  const sealer = createSealer(expected.key)
  const events: RunEvent[] = []
  let paused = false
  for (const [index, line] of lines.entries()) {
    const event = readEvent(line, { path, number: index + 1 })
    const { digest, ...unsealed } = event.raw
    sealer.add(`${JSON.stringify(unsealed)}\n`)
    const found = typeof digest === "string" ? digest : null
    const problem = found === null ? null : sealProblem(found, sealer.seal(), planKeyVariable)
    if (problem !== null) throw refused(path, `at line ${index + 1} ${problem}`)
    if (found === null && (paused || event.value.type === "run.end")) {
      throw refused(path, `line ${index + 1} is not sealed: it was changed or added by hand`)
    }
    if (event.value.seq !== index) throw refused(path, `line ${index + 1} is not where it was written`)
    if (event.value.type === "run.end") paused = pausedBy(event.value, { path, paused })
    events.push(event.value)
  }
  if (!paused) throw refused(path, "it was cut off before its end, or the run was killed: only a paused run can go on")
  const start = events.findLast((event) => event.type === "run.start")
  if (start?.config_digest !== expected.configDigest) {
    throw refused(
      path,
      "it belongs to another configuration",
      "Use the files and options that the run was started with.",
    )
  }
  return { events, bytes: Buffer.byteLength(whole) }
}

/** The user's mistake: a transcript that a run cannot go on from. */
export function refused(path: string, problem: string, hint = "Run the task again."): UserError {
  return new UserError("resume_refused", `the run cannot go on: ${problem}`, { where: `${path}:`, hint })
}

function readText(path: string): string {
  try {
    const stats = lstatSync(path)
    if (!stats.isFile()) throw new Error("it is no regular file")
    if (stats.size > maxBytes) throw new Error("it is larger than 512 MiB")
    return readFileSync(path, "utf8")
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new UserError("resume_refused", `the transcript cannot be read: ${why}`, {
      where: `${path}:`,
      hint: "Give the transcript that the paused run wrote.",
      cause,
    })
  }
}

function readEvent(line: string, at: { readonly path: string; readonly number: number }) {
  let raw: unknown
  try {
    raw = JSON.parse(line)
  } catch {
    raw = null
  }
  const parsed = runEventSchema.safeParse(raw)
  if (!isJsonObject(raw) || !parsed.success) throw refused(at.path, `line ${at.number} is no event of this version`)
  // Checked, but not rebuilt: the seal depends on the order of its fields.
  return { raw, value: raw as RunEvent }
}

/** Before its first pause a run does not say which calls it starts, so only a pause is safe to go on from. */
function pausedBy(
  end: RunEvent & { readonly type: "run.end" },
  { path, paused }: { readonly path: string; readonly paused: boolean },
): boolean {
  if (paused || end.status === "paused") return true
  throw refused(path, `the run is over: ${end.status} (exit ${end.exit_code})`)
}
