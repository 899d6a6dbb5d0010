import { type Command, type ParsedScript, parse, type Redirection, type SyntaxNode, type Word } from "unbash"

/** One simple command of a line, as the words the shell will pass on. */
export type CommandWords = readonly string[]

const longestLine = 16_384

/** Control, format and odd space characters: what they separate depends on the shell and its locale. */
const strangeCharacter = /(?![\t\n ])[\p{C}\p{Z}]/u

/** What may stand between words: blanks, continued lines, and the operators the syntax tree has already approved. */
const betweenWords = /^(?:[ \t\n;&|]|\\\n)*$/

/**
 * Each simple command of a line as literal words; `null` when the line is anything but literal words joined by
 * `&&`, `||`, `;`, `|` and newlines. A comment or a redirection to a file is not literal, `2>&1` is.
 */
export function literalCommands(line: string): readonly CommandWords[] | null {
  if (line.length > longestLine || strangeCharacter.test(line) || line.endsWith("\\")) return null
  const script = parseLine(line)
  if (script === null || (script.errors?.length ?? 0) > 0) return null
  const commands: Command[] = []
  if (!collectCommands(script, commands)) return null
  if (!isCovered(line, commands)) return null
  return commands.map((command) => wordsOf(command).map((word) => word.value))
}

function parseLine(line: string): ParsedScript | null {
  try {
    return parse(line)
  } catch {
    // A line the parser cannot survive is one we cannot judge: it is not literal.
    return null
  }
}

function collectCommands(node: SyntaxNode, found: Command[]): boolean {
  switch (node.type) {
    case "Script":
      return node.shebang === undefined && node.commands.every((statement) => collectCommands(statement, found))
    case "Statement":
      return !node.background && collectCommands(node.command, found)
    case "AndOr":
      return node.commands.every((part) => collectCommands(part, found))
    case "Pipeline":
      return (
        node.prefixes.length === 0 &&
        node.operators.every((operator) => operator === "|") &&
        node.commands.every((part) => collectCommands(part, found))
      )
    case "Command":
      found.push(node)
      return isLiteralCommand(node)
    default:
      return false
  }
}

function isLiteralCommand(command: Command): boolean {
  if (command.name === undefined || command.prefix.length > 0) return false
  return [command.name, ...command.suffix].every((part) => {
    if (part.type === "Word") return isLiteralWord(part)
    return part.type !== "Assignment" && isDescriptorCopy(part)
  })
}

function isLiteralWord(word: Word): boolean {
  if (/(?:^|[=:])~/.test(word.text)) return false
  if (word.parts === undefined) return word.text === "[" || word.text === "]" || isPlain(word.text)
  return word.parts.every((part) => {
    if (part.type === "Literal") return isPlain(part.text)
    if (part.type === "DoubleQuoted") return part.parts.every((child) => child.type === "Literal")
    return part.type === "SingleQuoted"
  })
}

/** bash reads `a[` at the start of a command as an array whose index may span words, so brackets must be quoted. */
function isPlain(unquoted: string): boolean {
  return !/[*?[\]!]/.test(unquoted.replace(/\\./gs, ""))
}

function isDescriptorCopy(redirection: Redirection): boolean {
  if (redirection.type !== "Redirect" || redirection.operator !== ">&") return false
  const { descriptor = null, target } = redirection
  if (descriptor !== null && !(descriptor.type === "FileDescriptor" && [1, 2].includes(descriptor.value))) return false
  return target !== undefined && /^[12]$/.test(target.text)
}

/** The tree drops what it finds meaningless; a judge must not, so every character has to belong to something seen. */
function isCovered(line: string, commands: readonly Command[]): boolean {
  let position = 0
  for (const command of commands) {
    for (const part of command.name === undefined ? command.suffix : [command.name, ...command.suffix]) {
      if (!betweenWords.test(line.slice(position, part.pos))) return false
      position = part.end
    }
  }
  return betweenWords.test(line.slice(position))
}

function wordsOf(command: Command): readonly Word[] {
  const parts = command.name === undefined ? command.suffix : [command.name, ...command.suffix]
  return parts.filter((part) => part.type === "Word")
}
