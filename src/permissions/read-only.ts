import type { JsonObject } from "../contract/json.ts"
import type { Tool } from "../contract/tool.ts"
import { allowsCommand, compileCommand } from "./command-pattern.ts"
import { compileGlob } from "./glob.ts"
import { soundsReadOnly } from "./read-only-name.ts"
import { literalCommands } from "./shell-words.ts"

/** What decides whether a call only reads. */
export interface ReadOnlySettings {
  /** Globs on tool names, from the configuration. */
  readonly readOnly: readonly string[]
  /** Servers whose own word counts. */
  readonly trustedServers: readonly string[]
}

/**
 * Tells calls that only read from all others. The configuration decides first, then what a trusted server says of its tool,
 * then the name of the tool. What a server says may make a call a write, trusted or not. Unknown is a write.
 */
export function createReadOnlyJudge(settings: ReadOnlySettings): (tool: Tool, input: JsonObject) => boolean {
  const globs = settings.readOnly.map((glob) => compileGlob(glob, "permissions.read_only:"))
  const trusted = new Set(settings.trustedServers)
  return function isReadOnly(tool, input): boolean {
    if (globs.some((glob) => glob.matches(tool.name))) return true
    if (tool.wraps !== undefined) return isReadOnly(tool.wraps.tool, tool.wraps.complete(input))
    const { origin, hints } = tool
    const commands = tool.subjects(input).flatMap((subject) => (subject.kind === "command" ? [subject.line] : []))
    if (commands.length > 0) return commands.every(isReadOnlyLine)
    if (origin.kind !== "mcp") return hints.readOnly
    if (hints.destructive || hints.writes === true) return false
    if (hints.readOnly && trusted.has(origin.server)) return true
    return soundsReadOnly(origin.tool, origin.server)
  }
}

const readOnlyCommands = [
  "ls *, cat *, head *, tail *, wc *, pwd, stat *, du *, df *, tree *, grep *, rg *, diff *, cmp *, basename *, dirname *",
  "realpath *, readlink *, which *, echo *, true, sha256sum *",
  "git status *, git log *, git diff *, git show *, git rev-parse *, git ls-files *, git blame *, git describe *",
]
  .flatMap((line) => line.split(", "))
  .map((command) => compileCommand(command, "built-in:"))

/** Literal words only: what a shell would make of anything else cannot be told. */
function isReadOnlyLine(line: string): boolean {
  const commands = literalCommands(line)
  if (commands === null || commands.length === 0) return false
  return commands.every((words) => readOnlyCommands.some((pattern) => allowsCommand(pattern, words)))
}
