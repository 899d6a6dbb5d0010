import type { ServerSession } from "../connect-servers.ts"
import type { OptionTable, OptionValues } from "../options.ts"
import { valuesOf } from "../yargs-options.ts"

/** What a command does once its words and options are read; returns the exit code. */
export type McpWork = (session: ServerSession) => Promise<number>

/** A word of the command line that is no option. */
interface Word {
  readonly describe: string
  readonly required: boolean
  /** The last word may stand for several. */
  readonly many?: true
}

/** One command of `agent-run mcp` or `agent-run policy`, as the parser and the docs need it. */
export interface McpAction {
  readonly describe: string
  readonly words: Readonly<Record<string, Word>>
  readonly options: OptionTable
  /** Read what the parser found; throws a UserError for options that are wrong. */
  prepare(found: Readonly<Record<string, unknown>>): McpWork
}

/** What a command is given: its words, as they were typed, and its own options. */
export interface McpInput<Words extends string, Options extends OptionTable> {
  readonly words: Readonly<Record<Words, string | undefined>>
  /** All of a word that may stand for several. */
  readonly rest: readonly string[]
  readonly options: OptionValues<Options>
}

/** Describe a command; the code that does it is loaded when it is run. */
export function defineAction<Words extends string, const Options extends OptionTable>(action: {
  readonly describe: string
  readonly words: Readonly<Record<Words, Word>>
  readonly options: Options
  readonly load: () => Promise<(session: ServerSession, input: McpInput<Words, Options>) => Promise<number>>
}): McpAction {
  return {
    ...action,
    prepare(found) {
      const options = valuesOf(found, action.options)
      const words = Object.fromEntries(Object.keys(action.words).map((word) => [word, textAt(found, word)]))
      const last = found[Object.keys(action.words).at(-1) ?? ""]
      const rest = Array.isArray(last) ? last.map(String) : []
      return async (session) => (await action.load())(session, { words: words as Record<Words, string>, rest, options })
    },
  }
}

function textAt(found: Readonly<Record<string, unknown>>, word: string): string | undefined {
  const value = found[word]
  return value === undefined ? undefined : String(value)
}
