import { isJsonObject, type JsonObject } from "../../contract/json.ts"
import type { ServerInventory } from "../inventory.ts"
import { maxNameLength, nameTools, plainName } from "../names.ts"
import { isDeeperThan } from "../nesting.ts"
import { hazardsIn } from "./hazards.ts"
import { type LintFinding, type LintRule, scoreFindings, scoreOf } from "./score.ts"

/** What lint says of one tool. */
export interface ToolLint {
  /** The server's own name of it; its place in the list when it has none. */
  readonly tool: string
  readonly score: number
  readonly findings: readonly LintFinding[]
}

/** What lint says of one server: the score is that of its worst tool. */
export interface ServerLint {
  readonly server: string
  readonly source: string
  readonly score: number
  /** About the server itself. */
  readonly findings: readonly LintFinding[]
  readonly tools: readonly ToolLint[]
}

/** From here on a tool is good enough, unless asked otherwise. */
export const passingScore = 40

/** Judge what servers say of their tools, as they sent it. Tools that the configuration hides are left out. */
export function lintServers(
  inventories: readonly ServerInventory[],
  limits: { readonly descriptionLimit: number },
): readonly ServerLint[] {
  return inventories.map((inventory) => {
    const hidden = new Set(inventory.hidden)
    const entries = inventory.tools.filter((entry) => !hidden.has(nameOf(entry) ?? ""))
    const named = checkNames(inventory.server, entries)
    const tools = entries.map((entry, index): ToolLint => {
      const findings = [...lintEntry(entry, limits.descriptionLimit), ...(named[index] ?? [])]
      return { tool: nameOf(entry) ?? `entry ${index + 1}`, score: scoreOf(findings), findings }
    })
    const findings = lintInstructions(inventory.instructions, limits.descriptionLimit)
    const score = Math.min(scoreOf(findings), ...tools.map((tool) => tool.score))
    return { server: inventory.server, source: inventory.source, score, findings, tools }
  })
}

const deepestEntry = 102

function lintEntry(entry: unknown, descriptionLimit: number): readonly LintFinding[] {
  const name = nameOf(entry)
  if (!isJsonObject(entry) || name === null) return [broken("entry-unusable", "is no object with a name")]
  if (isDeeperThan(entry, deepestEntry)) return [broken("schema-not-object", "is nested too deeply")]
  const description = typeof entry.description === "string" ? entry.description : null
  const inputSchema = entry.inputSchema ?? {}
  const findings = [...checkTexts(entry), ...checkLength(description, "description", descriptionLimit)]
  if (!isJsonObject(inputSchema) || (inputSchema.type !== "object" && Object.keys(inputSchema).length > 0)) {
    return [broken("schema-not-object", 'has an inputSchema without type "object"'), ...findings]
  }
  return [
    ...scoreFindings({ name, description, inputSchema }),
    ...checkReferences(inputSchema),
    ...checkRequiredNames(inputSchema),
    ...findings,
  ]
}

function lintInstructions(instructions: string | null, limit: number): readonly LintFinding[] {
  if (instructions === null) return []
  return [...checkTexts({ instructions }), ...checkLength(instructions, "instructions", limit)]
}

function checkTexts(entry: JsonObject): readonly LintFinding[] {
  const found = new Map<string, LintFinding>()
  for (const { text, place } of textsOf(entry, "")) {
    for (const hazard of hazardsIn(text)) {
      if (found.has(hazard.rule)) continue
      const message = hazardMessages[hazard.rule](hazard.found, place)
      const level = hazard.rule === "sensitive-path" ? "warning" : "error"
      found.set(hazard.rule, { rule: hazard.rule, level, message, points: 0 })
    }
  }
  return [...found.values()]
}

const hazardMessages = {
  "hidden-text": (found: string, place: string) => `has ${found} in ${place}`,
  "model-instructions": (found: string, place: string) => `speaks to the model in ${place}: "${found}"`,
  "sensitive-path": (found: string, place: string) => `names a file with credentials in ${place}: ${found}`,
} as const

/** Every text, also keys: a model reads them all. */
function* textsOf(value: unknown, place: string): Generator<{ readonly text: string; readonly place: string }> {
  if (typeof value === "string") yield { text: value, place }
  if (typeof value !== "object" || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    const path = place === "" ? key : `${place}.${key}`
    if (!Array.isArray(value)) yield { text: key, place: `a key of ${place === "" ? "the tool" : place}` }
    yield* textsOf(inner, path)
  }
}

function checkLength(text: string | null, what: string, limit: number): readonly LintFinding[] {
  if (text === null || text.length <= limit) return []
  const message = `has ${what === "description" ? "a description" : what} of ${text.length} characters; models see the first ${limit}`
  return [{ rule: "description-too-long", level: "warning", message, points: 0 }]
}

function checkReferences(schema: JsonObject): readonly LintFinding[] {
  const remote = [...referencesOf(schema)].find((reference) => !reference.startsWith("#"))
  if (remote === undefined) return []
  return [broken("remote-ref", `refers to another document: ${remote.slice(0, 100)}`)]
}

function* referencesOf(value: unknown): Generator<string> {
  if (typeof value !== "object" || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    if ((key === "$ref" || key === "$dynamicRef") && typeof inner === "string") yield inner
    else yield* referencesOf(inner)
  }
}

function checkRequiredNames({ required, properties, ...others }: JsonObject): readonly LintFinding[] {
  const composed = ["$ref", "allOf", "anyOf", "oneOf"].some((key) => key in others)
  if (!Array.isArray(required) || composed) return []
  const known = isJsonObject(properties) ? properties : {}
  const unknown = required.filter((name) => typeof name !== "string" || !Object.hasOwn(known, name))
  if (unknown.length === 0) return []
  const message = `requires what it does not describe: ${unknown.slice(0, 5).map(String).join(", ")}`
  return [{ rule: "required-unknown", level: "warning", message, points: 0 }]
}

/** What is wrong with names can only be seen over all tools of a server. */
function checkNames(server: string, entries: readonly unknown[]): readonly (readonly LintFinding[])[] {
  const names = entries.map(nameOf)
  const distinct = [...new Set(names.filter((name) => name !== null))]
  const { named } = nameTools(distinct.map((tool) => ({ server, tool })))
  const given = new Map(named.map(({ tool, name }) => [tool, name]))
  return names.map((name, index) => {
    if (name === null) return []
    if (names.indexOf(name) !== index) return [broken("listed-twice", "is listed more than once")]
    const own = given.get(name) ?? ""
    const plain = plainName({ server, tool: name })
    if (own === plain) return []
    const tooLong = plain.length > maxNameLength
    const rule = tooLong ? "name-too-long" : "name-collision"
    const why = tooLong ? "because the name is too long" : "because another tool has the same name in legal characters"
    return [{ rule, level: "warning", message: `will be called ${own}, ${why}`, points: 0 }]
  })
}

function broken(rule: LintRule, message: string): LintFinding {
  return { rule, level: "error", message, points: 0 }
}

function nameOf(entry: unknown): string | null {
  return isJsonObject(entry) && typeof entry.name === "string" && entry.name !== "" ? entry.name : null
}
