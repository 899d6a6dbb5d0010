import type { Glob } from "./glob.ts"

const letters = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"]
const madeUpServers = letters.flatMap((letter) => [letter, `${letter}q7x`, `${letter}z3-k`])
const madeUpTool = "w8v"
const longestJudged = 120

/**
 * Would this glob match made-up tools of two servers? Judged by what it matches, never by how it is spelled:
 * invented names are tried, among them names that reuse the words of the glob.
 */
export function matchesMadeUpServers(glob: Glob): boolean {
  if (glob.exact || namesItsServer(glob.text)) return false
  const text = glob.text.slice(0, longestJudged)
  const servers = [...madeUpServers, ...serversLike(text)]
  const endings = [madeUpTool, ...piecesOf(text, "endings")]
  if (endings.some((tool) => matchesTwo(glob, servers, tool))) return true
  return piecesOf(text, "all").some((tool) => matchesTwo(glob, ["kq7x", "vz3k"], tool))
}

function namesItsServer(text: string): boolean {
  return /^mcp__[\w-]+?__/.test(text)
}

function matchesTwo(glob: Glob, servers: readonly string[], tool: string): boolean {
  let seen = 0
  for (const server of servers) {
    if (glob.matches(`mcp__${server}__${tool}`)) seen += 1
    if (seen === 2) return true
  }
  return false
}

function serversLike(text: string): readonly string[] {
  const words = new Set(text.split(/[^\w-]+|__/).filter((word) => word !== ""))
  return [...words].flatMap((word) => [`${word}q`, `${word}z`, `${word}q7x`, `${word}z3k`, `q7x${word}`, `z3k${word}`])
}

/** Parts of a glob made into tool names: wildcards become letters, the other signs go. */
function piecesOf(text: string, which: "endings" | "all"): readonly string[] {
  const sample = text
    .replace(/\[\^?!?(.)[^\]]*\]/g, "$1")
    .replace(/\?(?!\()/g, "q")
    .replace(/\*+(?!\()/g, madeUpTool)
  const pieces = new Set<string>()
  for (let start = 0; start < sample.length; start += 1) {
    const firstEnd = which === "all" ? start + 1 : sample.length
    for (let end = firstEnd; end <= sample.length; end += 1) {
      pieces.add(sample.slice(start, end).replace(/[^\w-]/g, ""))
    }
  }
  return [...pieces]
}
