import picomatch from "picomatch"
import { UserError } from "../contract/user-error.ts"

/** A compiled glob; `exact` when it has no wildcard and so names one thing. */
export interface Glob {
  readonly text: string
  readonly exact: boolean
  matches(value: string): boolean
}

/** Compile a glob of a rule once. A glob that would not mean what it says is the user's mistake. */
export function compileGlob(text: string, where: string): Glob {
  if (text !== "" && !/[*?[\]{}()|\\]/.test(text)) return { text, exact: true, matches: (value) => value === text }
  const literal = literalOf(text)
  if (literal !== null) return { text, exact: false, matches: (value) => value === literal }
  const fault = faultOf(text)
  if (fault !== null) throw badGlob(text, where, fault)
  const expression = toExpression(text, where)
  return { text, exact: false, matches: (value) => expression.test(value) }
}

/** Write a value so that a glob matches it and nothing else. */
export function escapeGlob(value: string): string {
  return value.replace(/[*?[\]{}()|\\]/g, "\\$&")
}

/** What a glob means in which every special character is escaped; picomatch loses some of those. */
function literalOf(text: string): string | null {
  if (!/^(?:[^*?[\]{}()|\\]|\\.)+$/s.test(text)) return null
  return text.replace(/\\(.)/gs, "$1")
}

/** Spellings that picomatch accepts but reads as literal text, as a regular expression, or in exponential time. */
const misread: readonly (readonly [RegExp, string])[] = [
  [/\\$/, "it ends in a backslash"],
  [/(?<![@?!+*])\(/, 'a group needs one of @ ? ! + * before "(", or write {a,b}'],
  [/\(\?/, 'a "?" cannot follow "("'],
  [/[+*]\((?!\*+\))[^()]*[*?|(]/, "a repeated group may hold plain text only"],
  [/[)}\]]\+(?!\()/, 'a "+" cannot follow a group; write \\+ for the character'],
]

function faultOf(text: string): string | null {
  if (text === "") return "it is empty"
  const bare = text.replace(/\\./gs, "x").replace(/\[[^\]]*\]/g, "[]")
  const found = misread.find(([spelling]) => spelling.test(bare))
  if (found !== undefined) return found[1]
  return withoutGroups(bare).includes("|") ? 'alternatives are written {a,b} or @(a|b), not "a|b"' : null
}

function withoutGroups(text: string): string {
  const shorter = text.replace(/\([^()]*\)/g, "")
  return shorter === text ? text : withoutGroups(shorter)
}

function toExpression(text: string, where: string): RegExp {
  const glob = text.replace(/(?<!\\)[+*]\(\*+\)/g, "*").replace(/(?<!\\)\[!/g, "[^")
  try {
    return picomatch.makeRe(glob, {
      dot: true,
      nonegate: true,
      strictBrackets: true,
      // Without it picomatch answers a broken expression with one that never matches.
      debug: true,
      // A newline in a value must not end what a wildcard covers.
      flags: "s",
    })
  } catch (error) {
    throw badGlob(text, where, error instanceof Error ? error.message : String(error))
  }
}

function badGlob(text: string, where: string, fault: string): UserError {
  return new UserError("config_error", `the glob ${JSON.stringify(text)} cannot be used: ${fault}`, {
    where,
    hint: "Globs know * ? [abc] {a,b} and @(a|b); put a backslash before a character that is meant as itself.",
  })
}
