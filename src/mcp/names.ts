import { createHash } from "node:crypto"

/** The identity of an MCP tool: which server, and what that server calls it. */
export interface ToolPair {
  readonly server: string
  readonly tool: string
}

/** A pair with the one name the model, the rules and the reports use for it. */
export interface NamedPair extends ToolPair {
  readonly name: string
}

/** The longest name that every model API and gateway takes. */
export const maxNameLength = 64
const hashLength = 8

/**
 * Make the names of all tools at once: `mcp__server__tool`, legal for the API and different for every pair, in the
 * order given. Pairs that would share a name all get a suffix, so that no server can take over the name of another;
 * names that are `given` already stay with their owners.
 */
export function nameTools(
  pairs: readonly ToolPair[],
  given: ReadonlySet<string> = new Set(),
): {
  readonly named: readonly NamedPair[]
  readonly warnings: readonly string[]
} {
  const uses = new Map<string, number>()
  for (const pair of pairs) uses.set(plainName(pair), (uses.get(plainName(pair)) ?? 0) + 1)
  const taken = new Set(given)
  for (const [name, count] of uses) if (count === 1) taken.add(name)
  const warnings: string[] = []
  const named = pairs.map((pair) => {
    const plain = plainName(pair)
    const shared = uses.get(plain) !== 1 || given.has(plain)
    if (!shared && plain.length <= maxNameLength) return { ...pair, name: plain }
    const name = suffixedName(pair, taken)
    taken.add(name)
    const why = shared ? "another tool would have the same name" : `its name is longer than ${maxNameLength} characters`
    warnings.push(`tool "${pair.tool}" of MCP server "${pair.server}" is called ${name}, because ${why}`)
    return { ...pair, name }
  })
  return { named, warnings }
}

/** The name of a pair before others are looked at: every character that the API does not take is an underscore. */
export function plainName({ server, tool }: ToolPair): string {
  return `mcp__${server}__${tool}`.replace(/[^a-zA-Z0-9_-]/gu, "_")
}

function suffixedName(pair: ToolPair, taken: ReadonlySet<string>): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([pair.server, pair.tool]))
    .digest("hex")
  for (let length = hashLength; ; length += 1) {
    const suffix = `_${hash.slice(0, length)}`
    const name = `${plainName(pair).slice(0, maxNameLength - suffix.length)}${suffix}`
    if (!taken.has(name) || length === hash.length) return name
  }
}
