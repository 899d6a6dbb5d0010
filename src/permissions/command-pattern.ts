import { basename } from "node:path/posix"
import { UserError } from "../contract/user-error.ts"
import { isHarmlessContinuation, runsArguments } from "./command-continuation.ts"
import { type CommandWords, literalCommands } from "./shell-words.ts"

/** One entry of `commands`: exact words, and whether a final `*` admits none or more words after them. */
export interface CommandPattern {
  readonly words: CommandWords
  readonly open: boolean
}

/** Read one entry of `commands`: the words of one command, quoted as in a shell. */
export function compileCommand(text: string, where: string): CommandPattern {
  const open = /(?:^|\s)\*\s*$/.test(text)
  const commands = literalCommands(open ? text.replace(/\*\s*$/, "") : text)
  const [words = []] = commands ?? []
  if (commands === null || commands.length > 1 || (words.length === 0 && !open)) {
    throw new UserError("config_error", `the command ${JSON.stringify(text)} is not one command of literal words`, {
      where,
      hint: 'Write the words of one command, such as "npm test"; only a last word * stands for more words: "npm test *".',
    })
  }
  return { words, open }
}

/** Does an allow with this pattern cover the command? What `*` admits, even if that is nothing, must not run more. */
export function allowsCommand(pattern: CommandPattern, words: CommandWords): boolean {
  if (!begins(pattern, words)) return false
  return !pattern.open || isHarmlessContinuation(pattern.words, words.slice(pattern.words.length))
}

/** Does a deny or ask with this pattern catch the command? It looks through paths and programs that run others. */
export function catchesCommand(pattern: CommandPattern, words: CommandWords): boolean {
  const [first, ...others] = words
  if (first === undefined) return false
  if (begins(pattern, words) || begins(pattern, [basename(first), ...others])) return true
  if (!runsArguments(words)) return false
  return others.some((word, index) => {
    if (begins(pattern, [basename(word), ...others.slice(index + 1)])) return true
    return /[\s;&|$`()<>]/.test(word) && catchesLine(pattern, word)
  })
}

function catchesLine(pattern: CommandPattern, line: string): boolean {
  const commands = literalCommands(line)
  return commands === null || commands.some((words) => catchesCommand(pattern, words))
}

function begins(pattern: CommandPattern, words: CommandWords): boolean {
  if (pattern.open ? words.length < pattern.words.length : words.length !== pattern.words.length) return false
  return pattern.words.every((word, index) => words[index] === word)
}
