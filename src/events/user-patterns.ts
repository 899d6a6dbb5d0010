import { createContext, runInContext } from "node:vm"
import { UserError } from "../contract/user-error.ts"

/** Replace what a user's regular expression matches in a text. */
export type ReplacePattern = (text: string, replacement: (match: string) => string) => string

/**
 * Make a user's regular expression safe to run on hostile text: no run sees more than a window, and one that could
 * backtrack for ever has a time limit. `keep` is what must stay as it is, so that redacting twice changes nothing more.
 */
export function compileUserPattern(source: string, keep: string): ReplacePattern {
  const pattern = toRegExp(source, keep)
  const replaceWindow = isPlain(source) ? replaceDirectly : createTimedReplace()
  return (text, replacement) => {
    let result = ""
    let start = 0
    while (start < text.length) {
      const window = text.slice(start, start + windowChars + overlapChars)
      const own = start + window.length === text.length ? window.length : windowChars
      const replaced = replaceWindow({ window, own, pattern, replacement })
      result += replaced.text
      start += replaced.used
    }
    return result
  }
}

/** What stands for a stretch of text on which a user's expression ran out of time: unknown is treated as secret. */
export const slowPatternPlaceholder = "[redacted:slow-pattern]"

const windowChars = 8192
/** A match may reach this far into the next window. */
const overlapChars = 1024
const windowBudgetMs = 100

interface WindowJob {
  readonly window: string
  /** Matches that start behind this many characters belong to the next window. */
  readonly own: number
  readonly pattern: RegExp
  readonly replacement: (match: string) => string
}

interface ReplacedWindow {
  readonly text: string
  readonly used: number
}

function toRegExp(source: string, keep: string): RegExp {
  try {
    new RegExp(source)
    return new RegExp(`${keep}|(?:${source})`, "g")
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause)
    throw new UserError("config_error", `"${source}" cannot be used: ${problem}`, {
      where: "security.redact:",
      hint: "Write a JavaScript regular expression without slashes; in TOML, 'single quotes' keep its backslashes.",
      cause,
    })
  }
}

/** Without a repeated group, a back-reference or a second open repetition, backtracking is at most quadratic in the window. */
function isPlain(source: string): boolean {
  if (/\)[*+{]|\\[1-9]|\\k/.test(source)) return false
  return countOf(source, /[*+]|\{\d*,/g) <= 1 && countOf(source, /\?/g) <= 5
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}

function replaceDirectly({ window, own, pattern, replacement }: WindowJob): ReplacedWindow {
  let text = ""
  let used = 0
  for (const match of window.matchAll(pattern)) {
    if (match.index >= own) break
    if (match[0] === "") continue
    text += window.slice(used, match.index) + replacement(match[0])
    used = match.index + match[0].length
  }
  return used >= own ? { text, used } : { text: text + window.slice(used, own), used: own }
}

/** Only a time limit stops a regular expression that is under way, and `vm` is what has one. */
function createTimedReplace(): (job: WindowJob) => ReplacedWindow {
  const task = { run: () => {} }
  const context = createContext(task)
  return (job) => {
    let result: ReplacedWindow = { text: slowPatternPlaceholder, used: job.own }
    task.run = () => {
      result = replaceDirectly(job)
    }
    try {
      runInContext("run()", context, { timeout: windowBudgetMs })
    } catch {
      // Out of time. What the expression was looking for may be in here, so none of it is shown.
    }
    return result
  }
}
