import type { Argv } from "yargs"
import { UserError } from "../contract/user-error.ts"
import type { OptionTable, OptionValues } from "./options.ts"

/** Teach a parser a table of options. */
export function addOptions(parser: Argv, table: OptionTable): Argv {
  for (const [name, option] of Object.entries(table)) {
    parser.option(name, {
      type: option.repeatable ? "array" : option.type,
      string: option.type === "string",
      describe: option.describe,
      group: `${option.group}:`,
      ...(option.alias ? { alias: option.alias } : {}),
      ...(option.choices ? { choices: option.choices } : {}),
      requiresArg: option.type !== "boolean",
    })
  }
  return parser
}

/** What a parser found for a table of options. */
export function valuesOf<Table extends OptionTable>(
  found: Readonly<Record<string, unknown>>,
  table: Table,
): OptionValues<Table> {
  const values: Record<string, unknown> = {}
  for (const [name, option] of Object.entries(table)) {
    const value = found[name]
    if (option.repeatable) values[name] = value === undefined ? [] : [value].flat()
    else if (Array.isArray(value))
      throw new UserError("usage_error", `--${name} was given ${value.length} times`, { hint: "Give it once." })
    else if (option.type === "number" && Number.isNaN(value))
      throw new UserError("usage_error", `--${name} needs a number`)
    else values[name] = value
  }
  return values as OptionValues<Table>
}
