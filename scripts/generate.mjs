// Writes what is made from the code: schema/*.json and the tables of the docs. With --check nothing is written and a
// difference is an error. Needs a build.
import { readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { batchOptions, mergeOptions } from "../build/commands/batch-options.js"
import { mcpActions } from "../build/commands/mcp/actions.js"
import { runOptions } from "../build/commands/options.js"
import { configJsonSchema } from "../build/config/json-schema.js"
import { configKeys } from "../build/config/keys.js"
import { reasons } from "../build/contract/reason.js"
import { planJsonSchema } from "../build/plan/plan-file.js"
import { batchReportJsonSchema, eventJsonSchema, reportJsonSchema } from "../build/report/schemas.js"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const check = process.argv.includes("--check")
const stale = []

for (const [name, schema] of [
  ["config", configJsonSchema()],
  ["event", eventJsonSchema()],
  ["report", reportJsonSchema()],
  ["batch-report", batchReportJsonSchema()],
  ["plan", planJsonSchema()],
]) {
  update(`schema/${name}.schema.json`, () => `${JSON.stringify(schema, null, 2)}\n`)
}
updateTable("docs/cli.md", "options", optionTable(runOptions))
updateTable("docs/scale.md", "batch-options", optionTable(withoutKnown(batchOptions)))
updateTable("docs/scale.md", "merge-options", optionTable(mergeOptions))
updateTable("docs/mcp-commands.md", "mcp-commands", mcpCommandTable())
updateTable("docs/configuration.md", "keys", keyTable())
updateTable("docs/events-and-report.md", "events", eventTable())
updateTable("docs/exit-codes.md", "reasons", reasonTable())

if (stale.length > 0) {
  console.error(`not up to date: ${stale.join(", ")}\n  Run: npm run generate`)
  process.exitCode = 1
}

/** Options that mean what they mean for a run are in the table of a run. */
function withoutKnown(options) {
  return Object.fromEntries(Object.entries(options).filter(([name, option]) => runOptions[name] !== option))
}

function optionTable(options) {
  const rows = Object.entries(options).map(([name, option]) => [
    code(flagOf(name, option)),
    option.describe + (option.repeatable ? " (repeatable)" : ""),
  ])
  return table(["option", "meaning"], rows)
}

function flagOf(name, option) {
  const value = option.value ?? option.choices?.join("|")
  return `${option.alias ? `-${option.alias}, ` : ""}--${name}${value ? ` ${value}` : ""}`
}

function mcpCommandTable() {
  const rows = Object.entries(mcpActions).map(([name, { words, options, describe }]) => {
    const named = Object.entries(words).map(([word, { required }]) =>
      required ? word.toUpperCase() : `[${word.toUpperCase()}]`,
    )
    const flags = Object.entries(options).map(([option, about]) => `[${flagOf(option, about)}]`)
    return [code(["agent-run mcp", name, ...named, ...flags].join(" ")), cell(describe)]
  })
  return table(["command", "what it prints or does"], rows)
}

function keyTable() {
  const rows = [...configKeys()].map((key) => [
    code(key.key),
    cell(key.type),
    key.default === undefined ? "" : code(JSON.stringify(key.default)),
    cell(key.description),
  ])
  return table(["key", "type", "default", "meaning"], rows)
}

function eventTable() {
  const rows = eventJsonSchema().oneOf.map((event) => {
    const fields = Object.keys(event.properties).filter(
      (name) => !["schema_version", "seq", "at", "type", "parent_call_id"].includes(name),
    )
    return [code(event.properties.type.const), cell(event.description), fields.map(code).join(" ")]
  })
  return table(["type", "when", "fields"], rows)
}

function reasonTable() {
  const rows = Object.entries(reasons).map(([name, { exitCode, status, meaning }]) => [
    exitCode,
    status,
    code(name),
    meaning,
  ])
  return table(["exit code", "status", "`reason.code`", "meaning"], rows)
}

function table(head, rows) {
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n")
}

function code(text) {
  return `\`${String(text).replaceAll("|", "\\|")}\``
}

function cell(text) {
  return String(text).replaceAll("|", "\\|")
}

function updateTable(path, name, contents) {
  const begin = `<!-- generated: ${name} -->`
  const end = `<!-- end: ${name} -->`
  update(path, (old) => {
    const [before, rest] = old.split(begin)
    const after = rest?.split(end)[1]
    if (after === undefined) throw new Error(`${path} has no place for the table "${name}"`)
    return `${before}${begin}\n${contents}\n${end}${after}`
  })
}

function update(path, change) {
  const file = join(root, path)
  let old = ""
  try {
    old = readFileSync(file, "utf8")
  } catch {
    // A file that is not there yet is made.
  }
  const wanted = change(old)
  if (wanted === old) return
  if (check) stale.push(path)
  else writeFileSync(file, wanted)
}
