import type { FindingLevel } from "../../contract/finding.ts"
import type { JsonSchema } from "../../contract/json.ts"
import { type Parameters, parametersOf } from "./parameters.ts"

/** One thing about a tool that is wrong, or well done, and what it costs or brings. */
export interface LintFinding {
  readonly rule: LintRule
  readonly level: FindingLevel
  readonly message: string
  readonly points: number
}

/** Every check, by its id: what it is about, and what it does to a score. */
export const lintRules = {
  "description-missing": "The description is missing or shorter than 20 characters: −40.",
  "properties-undescribed": "A property of the input has no description: −20.",
  "required-unmarked": "The input does not say which properties are required: −10.",
  "name-convention": "The name is not snake_case: −5.",
  "usage-shown": "The description shows usage or an example: +10, up to 100.",
  "entry-unusable": "The entry of tools/list is no object or has no name; clients leave it out: 0.",
  "schema-not-object":
    "inputSchema does not describe an object, or is nested too deeply; clients leave the tool out: 0.",
  "listed-twice": "Two tools have the same name; clients keep one of them: 0.",
  "remote-ref": "The schema refers to another document, which no client fetches: 0.",
  "hidden-text": "A text holds characters that people do not see: 0.",
  "model-instructions": "A text tries to steer the model beyond the tool: 0.",
  "sensitive-path": "A text names a file with credentials.",
  "name-too-long": "mcp__SERVER__TOOL is longer than 64 characters, so it is cut and gets a hash.",
  "name-collision": "Two names are the same once illegal characters are replaced, so both get a hash.",
  "description-too-long": "A description, or the instructions of the server, is over the limit and will be cut.",
  "required-unknown": "The input requires a property that it does not describe.",
} as const

/** The id of a check. */
export type LintRule = keyof typeof lintRules

/** What a tool is scored by. */
export interface ScoredTool {
  readonly name: string
  readonly description: string | null
  readonly inputSchema: JsonSchema
}

const shortestDescription = 20
const bestScore = 100
const snakeCase = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/

/** The checks that cost or bring points: how well a model can use the tool from what its server says. */
export function scoreFindings(tool: ScoredTool): readonly LintFinding[] {
  const parameters = parametersOf(tool.inputSchema)
  return [
    ...checkDescription(tool.description),
    ...checkProperties(parameters),
    ...checkRequired(parameters),
    ...checkName(tool.name),
    ...findUsage(tool.description, parameters),
  ]
}

/** The score of findings: 0 to 100, and 0 as soon as one of them is an error. */
export function scoreOf(findings: readonly LintFinding[]): number {
  if (findings.some(({ level }) => level === "error")) return 0
  const sum = findings.reduce((score, { points }) => score + points, bestScore)
  return Math.min(bestScore, Math.max(0, sum))
}

function checkDescription(description: string | null): readonly LintFinding[] {
  const length = [...(description ?? "").trim()].length
  if (length >= shortestDescription) return []
  const message =
    length === 0
      ? "has no description"
      : `has a description of ${length} characters; say in at least ${shortestDescription} what it does and when to use it`
  return [{ rule: "description-missing", level: "warning", message, points: -40 }]
}

function checkProperties({ list }: Parameters): readonly LintFinding[] {
  const bare = list.filter(({ described }) => !described).map(({ name }) => name)
  if (bare.length === 0) return []
  const message = `has ${bare.length === 1 ? "a property" : "properties"} without description: ${listed(bare)}`
  return [{ rule: "properties-undescribed", level: "warning", message, points: -20 }]
}

function checkRequired({ list, marksRequired }: Parameters): readonly LintFinding[] {
  const open = list.filter(({ optional }) => !optional).map(({ name }) => name)
  if (marksRequired || open.length === 0) return []
  const message = `does not say which properties are required; list them in required, or write an empty list: ${listed(open)}`
  return [{ rule: "required-unmarked", level: "warning", message, points: -10 }]
}

function checkName(name: string): readonly LintFinding[] {
  if (snakeCase.test(name)) return []
  const message = "is not named in snake_case: lower-case words joined by _"
  return [{ rule: "name-convention", level: "note", message, points: -5 }]
}

/** Said in the description, or shown by `examples` of the schema. */
function findUsage(description: string | null, { hasExamples }: Parameters): readonly LintFinding[] {
  if (!hasExamples && !usage.test(description ?? "")) return []
  return [{ rule: "usage-shown", level: "note", message: "shows how it is used", points: 10 }]
}

const usage =
  /\be\.g\.|\bfor (?:example|instance)\b|\bexamples?\s*[:(]|\busage\s*:|\bsuch as\b|\buse (?:this|it|when|for|to)\b|```/i

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(", ")
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown
}
