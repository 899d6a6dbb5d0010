import type { OptionTable } from "./options.ts"

/**
 * Read a command line of nothing but `--option value`, `--option=value` and flags, each known and given as often as it
 * may be. `null` for every other line: help, other commands and mistakes are left to the parser that can explain them.
 * Most runs in a pipeline are such a line, and loading that parser would take a quarter of their start.
 */
export function readPlainLine(args: readonly string[], table: OptionTable): Readonly<Record<string, unknown>> | null {
  const found: Record<string, unknown> = {}
  const words = args.values()
  for (const word of words) {
    const [, name = "", given] = /^--([a-z][a-z-]*)(?:=(.*))?$/s.exec(longForm(word, table)) ?? []
    const option = Object.hasOwn(table, name) ? table[name] : undefined
    if (option === undefined || (name in found && !option.repeatable)) return null
    if (option.type === "boolean") {
      if (given !== undefined) return null
      found[name] = true
      continue
    }
    const value = given ?? words.next().value
    if (value === undefined || !isPlain(value) || option.choices?.includes(value) === false) return null
    if (option.type === "number" && !/^\d{1,15}(?:\.\d{1,15})?$/.test(value)) return null
    const read = option.type === "number" ? Number(value) : value
    found[name] = option.repeatable ? [...[found[name] ?? []].flat(), read] : read
  }
  return found
}

/** `-q` is short for `--quiet`. */
function longForm(word: string, table: OptionTable): string {
  const [name] = Object.entries(table).find(([, { alias }]) => alias !== undefined && word === `-${alias}`) ?? []
  return name === undefined ? word : `--${name}`
}

/** What begins like an option, is empty or wears quotes of its own is read in more than one way. */
function isPlain(value: string): boolean {
  return value !== "" && !/^[-"'`]/.test(value)
}
