import type { Rule } from "../contract/decision.ts"
import type { CommandWords } from "./shell-words.ts"

/** A rule as the lines of TOML that a person can paste. */
export function renderRule(rule: Omit<Rule, "source">): string {
  const args = Object.entries(rule.args ?? {}).map(([path, glob]) => `${toKey(path)} = ${toToml(glob)}`)
  return [
    "[[permissions.rules]]",
    `tool = ${toToml(rule.tool)}`,
    `action = ${toToml(rule.action)}`,
    ...(args.length === 0 ? [] : [`args = { ${args.join(", ")} }`]),
    ...(rule.commands === undefined ? [] : [`commands = ${toTomlList(rule.commands)}`]),
    ...(rule.paths === undefined ? [] : [`paths = ${toTomlList(rule.paths)}`]),
    ...(rule.broad ? ["broad = true"] : []),
  ].join("\n")
}

/** A list of texts in TOML, each once. */
export function toTomlList(values: readonly string[]): string {
  return `[${[...new Set(values)].map(toToml).join(", ")}]`
}

/** A text in TOML. What TOML forbids, and what a CI runner would read as a command or a line break, is escaped. */
export function toToml(value: string): string {
  return JSON.stringify(value)
    .replaceAll(/##(?=[\w.-]*\[)/g, "#\\u0023")
    .replaceAll(
      /[\x7f-\x9f\u2028\u2029]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
    )
}

/** The words of a command as one entry of `commands`, quoted as in a shell. */
export function quoteWords(words: CommandWords): string {
  return words.map(quoteWord).join(" ")
}

function toKey(path: string): string {
  return /^[A-Za-z0-9_-]+$/.test(path) ? path : toToml(path)
}

function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}
