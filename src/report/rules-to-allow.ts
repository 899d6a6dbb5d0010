import type { Report } from "../contract/report.ts"
import { escapeForLogs } from "./json.ts"

const longestRule = 4000

/** The rules that would allow denied calls, as TOML: each once, and those that differ only in their list made one. */
export function rulesToAllow(calls: Report["calls"]): readonly string[] {
  const denied = calls.filter((call) => call.error_code === "denied")
  const rules = new Set(denied.flatMap(({ allow_with }) => (allow_with === undefined ? [] : allow_with.split("\n\n"))))
  const found: string[] = []
  const lastOf = new Map<string, number>()
  for (const rule of rules) {
    const { head, list } = takeApart(rule)
    const last = lastOf.get(head)
    const joined = last === undefined || list === null ? null : join(found[last] ?? "", list)
    if (last !== undefined && joined !== null) found[last] = joined
    else lastOf.set(head, found.push(rule) - 1)
  }
  return found
}

/** A rule without the list of commands or paths at its end, and the list. */
function takeApart(rule: string): { readonly head: string; readonly list: readonly unknown[] | null } {
  const [, head = rule, list] = /^([\s\S]*\n(?:commands|paths) = )(\[.*\])$/.exec(rule) ?? []
  return { head, list: list === undefined ? null : readList(list) }
}

/** The same rule for more commands or paths; null when it would get too long. */
function join(rule: string, more: readonly unknown[]): string | null {
  const { head, list } = takeApart(rule)
  if (list === null) return null
  const all = [...new Set([...list, ...more])].map((value) => escapeForLogs(JSON.stringify(value)))
  const joined = `${head}[${all.join(", ")}]`
  return joined.length > longestRule ? null : joined
}

/** The texts of a list that we wrote; null for a list of somebody else. */
function readList(list: string): readonly unknown[] | null {
  try {
    return JSON.parse(list)
  } catch {
    // What is no list stays as it is.
    return null
  }
}
