import { createContext, runInContext } from "node:vm"

const longestPattern = 1000
const budgetMs = 100

/** Which of the texts a regular expression matches, or why that cannot be known. */
export type Matches =
  | { readonly ok: true; readonly matches: readonly boolean[] }
  | { readonly ok: false; readonly problem: string }

/**
 * Match texts against a regular expression that a model wrote, ignoring case. One that backtracks for ever is stopped:
 * only a time limit can do that while it is under way, and `vm` is what has one.
 */
export function findMatches(pattern: string, texts: readonly string[]): Matches {
  if (pattern.length > longestPattern) return { ok: false, problem: `it is longer than ${longestPattern} characters` }
  let expression: RegExp
  try {
    expression = new RegExp(pattern, "i")
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error) }
  }
  let matches: readonly boolean[] | null = null
  const run = () => {
    matches = texts.map((text) => expression.test(text))
  }
  try {
    runInContext("run()", createContext({ run }), { timeout: budgetMs })
  } catch {
    // The only thing that can go wrong in there is the time.
  }
  return matches === null
    ? { ok: false, problem: `it took longer than ${budgetMs} ms; write it without nested repetitions` }
    : { ok: true, matches }
}
